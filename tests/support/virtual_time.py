"""Time that passes only when everybody waits for it."""

import asyncio
import heapq
from collections.abc import Coroutine, Iterable
from itertools import count
from typing import Any


class VirtualTime:
    """For tasks that wait for nothing but `sleep`."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, secs: float) -> None:
        awake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + secs, next(self._numbers), awake))
        await awake

    async def run(self, work: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
        """All of it at once, to its end."""
        tasks = [asyncio.create_task(one) for one in work]
        while not all(task.done() for task in tasks):
            for _ in range(10):  # enough for whoever is awake to fall asleep or to end
                await asyncio.sleep(0)
            if self._sleepers:
                self.now, _, awake = heapq.heappop(self._sleepers)
                awake.set_result(None)
        return [task.result() for task in tasks]
