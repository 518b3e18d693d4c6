"""Whether the SDK is there: it comes with an extra, and nothing else here needs it."""

from importlib.util import find_spec

from core.errors import InvalidConfig


def require_sdk() -> None:
    """Raises InvalidConfig, saying what to install."""
    if find_spec("mcp") is None:
        raise InvalidConfig(
            "MCP needs the package mcp: install clarify-bot with its extra, pip install '.[mcp]' in its folder"
        )
