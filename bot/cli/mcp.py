"""`mcp`."""

import typer

from bot.cli.options import Config, memory_of, settings_of

_KEY = "CLARIFY_API_KEY"


def add_to(app: typer.Typer) -> None:
    app.command()(mcp)


def mcp(config: Config = None) -> None:
    """Serve the memory to a program that speaks MCP over stdin and stdout, for the key in CLARIFY_API_KEY.

    Logs go to stderr. The program that starts it sets the key and ends it.
    """
    import asyncio
    import logging
    import signal

    from bot import logs
    from bot.mcp.extra import require_sdk
    from bot.memory_gateway import MemoryGateway

    settings = settings_of(config)
    require_sdk()
    secret = _secret()
    logs.configure(logging.WARNING)
    with memory_of(settings) as memory:
        memory.api_keys.principal_of(secret)  # it is refused here where nobody could ever be served
        from bot.mcp.stdio import serve

        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that waits for stdin could not be ended otherwise
        gateway = MemoryGateway(memory)
        try:
            asyncio.run(serve(gateway, secret))
        finally:
            gateway.stop()


def _secret() -> str:
    """Raises InvalidConfig."""
    import os

    from core.errors import InvalidConfig

    secret = os.environ.get(_KEY, "").strip()
    if not secret:
        raise InvalidConfig(f"set {_KEY} to an API key; `clarify-bot key add NAME --for PERSON` makes one")
    return secret
