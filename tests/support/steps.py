"""Counting the work of SQLite's own machine, which is the same each time and on each computer."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event

from core.memory import Memory


@contextmanager
def steps(memory: Memory) -> Iterator[list[int]]:
    """How many steps, in tens, the database takes meanwhile."""
    taken = [0]

    def count() -> None:
        taken[0] += 1

    def watched(connection: Any, *_: object) -> None:
        connection.set_progress_handler(count, 10)

    engine = memory._database.engine
    engine.dispose()
    event.listen(engine, "connect", watched)
    yield taken
    event.remove(engine, "connect", watched)
    engine.dispose()
