"""The event loop's way into core: synchronous calls on a bounded pool of threads."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Thread
from typing import ParamSpec, TypeVar

from core.memory import Memory

P = ParamSpec("P")
T = TypeVar("T")

_BRIEF = 3
"""They share one interpreter and, on SQLite, one writer's turn: with eight, whoever tapped waited half as long again
for the acknowledgement (`make soak`)."""
_LONG = 8
"""These wait for a model or for a source; few enough, with the others, for the pool of connections."""
_AT_THE_DOOR = 2
"""What comes in is short and takes turns at the database anyway."""
_AT_THE_GATE = 1
"""A look-up is a millisecond; together the threads are as many as the pool has connections."""


class MemoryGateway:
    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._brief = ThreadPoolExecutor(_BRIEF, thread_name_prefix="brief")
        self._long = ThreadPoolExecutor(_LONG, thread_name_prefix="long")
        self._door = ThreadPoolExecutor(_AT_THE_DOOR, thread_name_prefix="door")
        self._gate = ThreadPoolExecutor(_AT_THE_GATE, thread_name_prefix="gate")
        self._bell = ThreadPoolExecutor(1, thread_name_prefix="bell")

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a short call of core, a few milliseconds, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._brief, partial(function, *args, **kwargs))

    async def at_length(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that may take seconds or minutes, out of the way of the short ones."""
        return await asyncio.get_running_loop().run_in_executor(self._long, partial(function, *args, **kwargs))

    async def at_the_door(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that a platform waits for, ahead of everything that the bot does by itself."""
        return await asyncio.get_running_loop().run_in_executor(self._door, partial(function, *args, **kwargs))

    async def at_the_gate(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a look-up of who calls: anybody may ask for one, so that it keeps nothing else waiting."""
        return await asyncio.get_running_loop().run_in_executor(self._gate, partial(function, *args, **kwargs))

    async def at_the_bell(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a call that waits for work to be due, which holds a thread for as long."""
        return await asyncio.get_running_loop().run_in_executor(self._bell, partial(function, *args, **kwargs))

    def stop(self) -> None:
        """Wait for running calls; the memory stays open."""
        for pool in (self._gate, self._door, self._brief, self._long, self._bell):
            pool.shutdown(wait=True)

    def close(self, patience_secs: float | None = None) -> None:
        """Wait for running calls, for so many seconds or as long as they take, then close the memory."""
        stopping = Thread(target=self.stop, daemon=True)
        stopping.start()
        stopping.join(patience_secs)
        self.memory.close()
