"""Options that several commands share, and opening what they name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

if TYPE_CHECKING:
    from bot.config import Settings
    from core.memory import Memory

Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The settings; without it clarify-bot.toml in this folder, if there is one."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a machine; an error is then JSON on stderr.")]


def settings_of(config: Path | None) -> "Settings":
    from bot.config import load

    return load(config)


@contextmanager
def memory_of(settings: "Settings", on_embedding: Callable[[int, int], None] | None = None) -> Iterator["Memory"]:
    """The memory of these settings, for their tenant. Raises NotFound as `database_of`, and where there is no such."""
    from core.errors import NotFound

    with database_of(settings, on_embedding) as memory:
        if settings.tenant not in memory.people.tenants():
            raise NotFound(
                f"the database has no tenant {settings.tenant!r}: `clarify-bot tenant list` shows those it has, and "
                "`clarify-bot init` makes this one"
            )
        yield memory


@contextmanager
def database_of(settings: "Settings", on_embedding: Callable[[int, int], None] | None = None) -> Iterator["Memory"]:
    """Whatever their tenant. Raises NotFound where `init` was never run: a mistyped path makes no new database."""
    from bot.config import open_memory

    require_database(settings)
    with open_memory(settings, on_embedding=on_embedding) as memory:
        yield memory


def require_database(settings: "Settings") -> None:
    scheme, _, file = settings.database.partition(":///")
    if scheme == "sqlite" and not Path(file.partition("?")[0]).exists():
        from core.errors import NotFound

        raise NotFound(
            f"there is no database {file}: run `clarify-bot init` first, or name other settings with --config"
        )


def person_named(memory: "Memory", settings: "Settings", name: str) -> UUID:
    """The person of an id, an e-mail address or a name. Raises NotFound."""
    try:
        return UUID(name)
    except ValueError:
        return memory.people.named(settings.tenant, name).person_id
