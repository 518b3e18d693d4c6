"""A name is held for as long as its request is worked on, however long a model takes, and by a lease no longer.

Whoever works says so again and again, on a thread of its own; a process that died says nothing, and its lease runs out.
"""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from typing import Self

from core.clock import SECOND
from core.errors import CoreError
from core.requests.views import LEASE, Begun

EVERY_SECS = LEASE / SECOND / 3
"""Two that fail lose nothing."""


class Holding:
    """Within it a request is kept. `begun`: what it is to be ended by, once that is over."""

    def __init__(self, keep: Callable[[Begun], Begun], begun: Begun) -> None:
        self.begun = begun
        self._keep = keep
        self._over = Event()
        self._thread = Thread(target=self._hold, name="holding", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _hold(self) -> None:
        while not self._over.wait(EVERY_SECS):
            with suppress(CoreError):
                self.begun = self._keep(self.begun)
