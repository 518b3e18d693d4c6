"""What is done to a database from outside, while no memory of it is open here: looking at it, and moving it."""

from contextlib import closing

from core.clock import Clock, SystemClock
from core.embed.protocol import Embedder
from core.model.tables_state import TablesState
from core.reembed.engine import ReembedEngine
from core.reembed.report import Progress, Reembedded
from core.store.database import Database
from core.store.migrate import tables_state, upgrade


def reembed(
    url: str,
    embedder: Embedder | None,
    *,
    clock: Clock | None = None,
    on_progress: Progress = lambda _done, _total: None,
) -> list[Reembedded]:
    """Move every tenant of a database to this model; its passages are embedded anew while others go on working.

    Stopped half way it goes on from there, and a second time it changes nothing. Raises InvalidConfig,
    StoreUnavailable, and SemanticUnavailable where the model cannot be used.
    """
    with closing(Database(url, clock or SystemClock())) as database:
        upgrade(database)
        return ReembedEngine(database, embedder).run(on_progress)


def inspect_tables(url: str) -> tuple[TablesState, str]:
    """How a database's tables compare with this program's, and their revision; nothing is brought up to date.

    Raises InvalidConfig, StoreUnavailable.
    """
    with closing(Database(url, SystemClock())) as database:
        return tables_state(database)
