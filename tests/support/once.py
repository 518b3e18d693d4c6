"""What each test would work out anew, worked out once a worker.

A test opens a database of its own, and with it an engine, which compiles a statement once for as long as it lives: in
the bot that is for ever, in a test it is a moment. Here all engines of one kind share what is compiled, as the bot does
from its second request on, and the migrations, which never change, are read from their files once.
"""

from functools import cache
from typing import Any

from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

STATEMENTS: LRUCache[Any, Any] = LRUCache(2000)
"""More than all tests have."""


def share_statements() -> None:
    """An engine and a mapper find a compiled statement by their dialect: let all of a kind be equal."""

    def _created(_dialect: type, engine: Engine) -> None:
        engine._compiled_cache = STATEMENTS

    kind: Any
    for kind in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        kind.__eq__ = lambda one, other: type(one) is type(other)
        kind.__hash__ = lambda one: hash(type(one))
        kind.engine_created = classmethod(_created)


def share_migrations() -> None:
    read = ScriptDirectory.from_config

    @cache
    def _of(folder: str) -> ScriptDirectory:
        config = Config()
        config.set_main_option("script_location", folder)
        return read(config)

    def _from_config(config: Config) -> ScriptDirectory:
        return _of(str(config.get_main_option("script_location")))

    ScriptDirectory.from_config = staticmethod(_from_config)  # type: ignore[method-assign]
