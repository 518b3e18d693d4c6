"""The memory engine of clarify-bot: open `Memory` on a database URL, call it, close it.

`Memory` is looked up when it is first asked for, so that a pure module does not load the databases.
"""

from typing import TYPE_CHECKING, Any

from core.errors import CoreError

if TYPE_CHECKING:
    from core.memory import DEFAULT_TENANT, Memory

__all__ = ["DEFAULT_TENANT", "CoreError", "Memory"]


def __getattr__(name: str) -> Any:
    if name in {"DEFAULT_TENANT", "Memory"}:
        from core import memory

        return getattr(memory, name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")
