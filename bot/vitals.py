"""Whether a loop goes on: one that has ended, or stands in one round for longer than any round takes, does not."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import structlog

from bot.faults import described
from core.clock import MINUTE, SECOND, Clock

log = structlog.get_logger()

TELL_AGAIN = MINUTE
"""A database that is down fails each step of each loop at every tick: so long each has been told of."""


class Vital:
    """One loop's signs of life. `patience_secs`: how long a round may take without a sign."""

    def __init__(self, name: str, clock: Clock, patience_secs: int) -> None:
        self.name = name
        self._clock = clock
        self._patience = patience_secs * SECOND
        self._task: asyncio.Task[None] | None = None
        self._busy_since: int | None = None
        self._told: dict[str, tuple[int, int]] = {}

    def start(self, loop: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        self._task = asyncio.create_task(loop, name=self.name)
        self._task.add_done_callback(self._say)
        return self._task

    def begins(self) -> None:
        """A round begins, or has come a step further."""
        self._busy_since = self._clock.now()

    def rests(self) -> None:
        """A round is over: what waits to be woken is well."""
        self._busy_since = None

    def fails(self, how: str) -> int:
        """How often it has failed so since that was last told of, this time included; 0: it need not be told of yet."""
        now = self._clock.now()
        told_at, untold = self._told.get(how, (now - TELL_AGAIN, 0))
        if 0 <= now - told_at < TELL_AGAIN:
            self._told[how] = told_at, untold + 1
            return 0
        self._told[how] = now, 0
        return untold + 1

    def ailment(self) -> str | None:
        """What is wrong with it now."""
        if self._task is None:
            return "has not started"
        if self._task.done():
            return "has ended"
        since = self._busy_since
        return "is stuck" if since is not None and self._clock.now() - since > self._patience else None

    def _say(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()):
            log.error("loop.died", loop=self.name, error=described(error))
