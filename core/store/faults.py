"""A database's refusals, in words that say what to do."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError

from core.errors import InvalidConfig, StoreUnavailable

_SAYINGS = (
    ("database is locked", "is locked by another program: close it, or wait until it has finished"),
    ("readonly", "is read-only: give this user the right to write the file and its folder"),
    ("not a database", "is not a SQLite database: name another file, or restore a backup"),
    ("malformed", "is corrupt: restore a backup"),
    ("disk is full", "cannot grow, the disk is full: make room and try again; nothing was half written"),
    ("disk i/o error", "cannot be written, the disk reports an error: check the disk and its free space"),
    ("unable to open", "cannot be opened: check that the folder exists and this user may write it"),
    ("connection", "cannot be reached: check that the server runs and that the address is right"),
    ("no such table", "was never set up: run `clarify-bot init`"),
    ("does not exist", "was never set up: run `clarify-bot init`"),
)


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Turn a driver's operational errors into StoreUnavailable, and a url it cannot follow into InvalidConfig.

    Broken rules of ours (IntegrityError) pass through.
    """
    try:
        yield
    except DBAPIError as error:
        if isinstance(error, ProgrammingError) and error.statement is None:
            raise InvalidConfig(f"the database url {_shown(url)} has an option that is none: {error.orig}") from error
        message = _saying(str(error.orig))
        if message is None and not isinstance(error, OperationalError):
            raise
        raise StoreUnavailable(
            f"the database {_shown(url)} {message or 'cannot be used: ' + str(error.orig)}"
        ) from error


def refusal(error: sqlite3.Error) -> str:
    """What SQLite refused, as the rest of a sentence about a file."""
    return _saying(str(error)) or f"cannot be used: {error}"


@contextmanager
def opening(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"the database {file} cannot be opened: {error.strerror}") from error


_PASSING = {"08", "40", "53", "55", "57"}
"""SQLSTATE classes of what another try may not meet: a lost connection, a rollback for another's sake, no room, a lock,
an operator's or a time-out's cancelling."""


def is_passing(error: Exception) -> bool:
    """Whether an error is of the database's moment, and not of what it was asked."""
    if not isinstance(error, DBAPIError):
        return False
    return error.connection_invalidated or str(getattr(error.orig, "sqlstate", None))[:2] in _PASSING


class Retry:
    """Up to fifty tries, 20 ms apart, of what fails with sqlite3.OperationalError."""

    def __iter__(self) -> Iterator["_Attempt"]:
        for number in range(50):
            attempt = _Attempt(last=number == 49)
            yield attempt
            if attempt.done:
                return
            time.sleep(0.02)


class _Attempt:
    def __init__(self, *, last: bool) -> None:
        self.done = False
        self._last = last

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> bool:
        self.done = error is None
        return isinstance(error, sqlite3.OperationalError) and "locked" in str(error) and not self._last


def _saying(message: str) -> str | None:
    lowered = message.lower()
    return next((saying for sign, saying in _SAYINGS if sign in lowered), None)


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)
