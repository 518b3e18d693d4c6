"""Connections to a database of tests live on from one test to the next.

A new one costs PostgreSQL 3 ms, and what it reads of 41 tables before it first looks into them 10 ms more: for a bot
that happens once, for a test each time that it opens a memory. So what an engine closes is kept, and is as new when the
next engine opens it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from core.store.database import REACH

_Connection = psycopg.Connection[Any]
_To = frozenset[tuple[str, Any]]
_idle: dict[_To, list[_Connection]] = {}
"""What is kept, by what it leads to; of anything else nothing is."""
_known: WeakKeyDictionary[_Connection, _To] = WeakKeyDictionary()


def share_connections() -> None:
    connect, close = PGDialect_psycopg.connect, PGDialect_psycopg.do_close

    def _connect(dialect: Any, *args: Any, **named: Any) -> _Connection:
        to = _to(*args, **{name: value for name, value in named.items() if name != "context"})
        connection = _taken(to) or connect(dialect, *args, **named)
        _known[connection] = to
        return connection

    def _close(dialect: Any, connection: _Connection) -> None:
        if not _put_by(connection):
            close(dialect, connection)

    kind: Any = PGDialect_psycopg
    kind.connect, kind.do_close = _connect, _close


@contextmanager
def keeping(url: str) -> Iterator[None]:
    """Keep connections to this database for as long as this lasts."""
    to = _to(url)
    _idle[to] = []
    try:
        yield
    finally:
        for connection in _idle.pop(to):
            connection.close()


@contextmanager
def keeping_none() -> Iterator[None]:
    """What an engine closes is closed for as long as this lasts: for what must find nobody else there."""
    kept = dict(_idle)
    _idle.clear()
    for connection in [one for some in kept.values() for one in some]:
        connection.close()
    try:
        yield
    finally:
        _idle.update({to: [] for to in kept})


@contextmanager
def borrowed(url: str) -> Iterator[_Connection]:
    """A connection that commits each statement."""
    to = _to(url)
    connection = _taken(to) or psycopg.connect(url)
    _known[connection] = to
    connection.autocommit = True
    try:
        yield connection
    finally:
        if not _put_by(connection):
            connection.close()


def kept(url: str) -> list[int]:
    """The server's processes behind the connections that are kept."""
    return [connection.info.backend_pid for connection in _idle.get(_to(url), []) if not connection.closed]


def _to(*args: Any, **named: Any) -> _To:
    """But for how long it is waited for, which a connection of a test has no need of."""
    return frozenset((name, value) for name, value in conninfo_to_dict(*args, **named).items() if name not in REACH)


def _taken(to: _To) -> _Connection | None:
    """One that is kept, as new. Whoever ended it meanwhile is not minded."""
    with suppress(IndexError, KeyError):
        while connection := _idle[to].pop():
            with suppress(psycopg.OperationalError):
                connection.autocommit = True
                connection.execute("UNLISTEN *; RESET ALL")
                connection.autocommit, connection.isolation_level = False, None
                connection._notice_handlers.clear()
                return connection
            connection.close()
    return None


def _put_by(connection: _Connection) -> bool:
    if connection.info.transaction_status is not TransactionStatus.IDLE:
        return False
    with suppress(KeyError):
        _idle[_known[connection]].append(connection)
        return True
    return False
