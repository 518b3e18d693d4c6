"""Work that goes by lanes: in one lane one after the other, in different lanes side by side."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import structlog

from bot.faults import described

log = structlog.get_logger()

K = TypeVar("K", bound=Hashable)


class Lanes(Generic[K]):
    """`ended` is told each time that a lane's work ends: there may be more for it."""

    def __init__(self, ended: Callable[[], None] = lambda: None) -> None:
        self._last: dict[K, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.ended = ended

    @property
    def busy(self) -> tuple[K, ...]:
        return tuple(self._last)

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, lane: K, work: Callable[[], Awaitable[None]]) -> None:
        """Begin when what was begun before in this lane has ended, however it ended. `work` deals with its errors."""
        task = asyncio.create_task(_after(self._last.get(lane), work))
        self._last[lane] = task
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._end(lane, done))

    def _end(self, lane: K, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if self._last.get(lane) is task:
            del self._last[lane]
        if not task.cancelled() and (error := task.exception()):
            log.error("lane.failed", error=described(error))
        self.ended()

    def cancel(self) -> None:
        """End what is at work; each piece of it may still put itself in order."""
        for task in self._tasks:
            task.cancel()

    async def finish(self) -> None:
        """Wait until nothing is at work."""
        while self._tasks:
            await asyncio.wait(self._tasks)


async def _after(before: asyncio.Task[None] | None, work: Callable[[], Awaitable[None]]) -> None:
    if before is not None:
        await asyncio.wait({before})
    await work()
