"""Bells: who waits for jobs hears at once that one is due.

On SQLite whoever commits such a job rings the bells of its own process. On PostgreSQL it notifies a channel in the same
transaction, so that 10,000 jobs are told of once, and a connection of the bell's own listens. What is told while that
connection is broken is lost, so a bell rings of itself when it has come back. Nobody relies on a bell: jobs are looked
for at every tick, and one that was not heard of costs a tick.
"""

import select
import socket
from contextlib import suppress
from threading import Lock
from time import monotonic

import psycopg
from sqlalchemy import Engine, text
from sqlalchemy.engine import Connection

from core.model.bell import Bell

_CHANNEL = "clarify_jobs"
_AGAIN_SECS = 0.5
"""A server that is started anew, or ends each connection, is not asked without a pause."""
_FULL = 4096


def tell(connection: Connection) -> None:
    """Ring every listening bell, of every process, when this transaction commits."""
    connection.execute(text(f"NOTIFY {_CHANNEL}"))


class _Cord:
    """What wakes a thread that waits, be it for something else too: a pair of sockets, one of which is waited for."""

    def __init__(self) -> None:
        self._inside, self._outside = socket.socketpair()
        self._inside.setblocking(False)
        self._outside.setblocking(False)
        self._stopped = False

    def pull(self) -> None:
        with suppress(OSError):  # full: it is heard anyway; closed: nobody listens
            self._outside.send(b"!")

    def stop(self) -> None:
        self._stopped = True
        self.pull()

    @property
    def stopped(self) -> bool:
        return self._stopped

    def wait(self, secs: float, *others: int) -> list[int]:
        """Wait for the cord or one of these other sockets, and take up the cord's pulls; which sockets were heard."""
        sockets = [self._inside.fileno(), *others]
        heard, _, _ = select.select(sockets, [], [], 0 if self._stopped else secs)
        with suppress(BlockingIOError):
            while self._inside.recv(_FULL):
                pass
        return heard

    def close(self) -> None:
        self._inside.close()
        self._outside.close()


class Bells:
    """The bells of one process."""

    def __init__(self) -> None:
        self._hung: set[_OwnBell] = set()
        self._lock = Lock()

    def bell(self) -> Bell:
        bell = _OwnBell(self)
        with self._lock:
            self._hung.add(bell)
        return bell

    def ring(self) -> None:
        with self._lock:
            for bell in self._hung:
                bell.cord.pull()

    def take_down(self, bell: "_OwnBell") -> None:
        with self._lock:
            self._hung.discard(bell)


class _OwnBell:
    def __init__(self, bells: Bells) -> None:
        self.cord = _Cord()
        self._bells = bells

    def wait(self, secs: float) -> bool:
        return bool(self.cord.wait(secs)) and not self.cord.stopped

    def stop(self) -> None:
        self.cord.stop()

    def close(self) -> None:
        self._bells.take_down(self)
        self.cord.close()


class ListeningBell:
    """Its connection is made when it is first waited for, and anew when it has broken."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._cord = _Cord()
        self._connection: psycopg.Connection | None = None

    def wait(self, secs: float) -> bool:
        until, left = monotonic() + secs, secs
        while not self._cord.stopped:
            try:
                if self._rung(left):
                    return True
            except (psycopg.Error, OSError):
                self._hang_up()
                self._cord.wait(min(left, _AGAIN_SECS))
            left = until - monotonic()
            if left <= 0:
                break
        return False

    def _rung(self, secs: float) -> bool:
        if self._connection is None:
            self._connection = self._listening()
            return True
        heard = self._cord.wait(secs, self._connection.fileno())
        return self._connection.fileno() in heard and bool(list(self._connection.notifies(timeout=0)))

    def _listening(self) -> psycopg.Connection:
        args, named = self._engine.dialect.create_connect_args(self._engine.url)
        connection = psycopg.connect(*args, **{**named, "autocommit": True})
        connection.execute(f"LISTEN {_CHANNEL}")
        return connection

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def stop(self) -> None:
        self._cord.stop()

    def close(self) -> None:
        self._hang_up()
        self._cord.close()
