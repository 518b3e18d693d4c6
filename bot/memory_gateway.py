"""The event loop's way into core: synchronous calls on a bounded pool of threads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from core.memory import Memory

P = ParamSpec("P")
T = TypeVar("T")

_THREADS = 8
"""More than a small machine's cores, since most calls wait for the database; few enough for its connection pool."""
_AT_THE_DOOR = 2
"""What comes in is short and takes turns at the database anyway."""


class MemoryGateway:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="memory")
        self._door = ThreadPoolExecutor(_AT_THE_DOOR, thread_name_prefix="door")

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call of core without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(function, *args, **kwargs))

    async def at_the_door(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that a platform waits for, ahead of everything that the bot does by itself."""
        return await asyncio.get_running_loop().run_in_executor(self._door, partial(function, *args, **kwargs))

    def stop(self) -> None:
        """Wait for running calls; the memory stays open."""
        self._door.shutdown(wait=True)
        self._pool.shutdown(wait=True)

    def close(self) -> None:
        """Wait for running calls, then close the memory."""
        self.stop()
        self.memory.close()
