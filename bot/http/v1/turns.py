"""Whose turn it is: of one key so many requests are in hand, and so many of those that take long are at work.

A long call goes on when its caller is given up, for a thread cannot be stopped. Its turn ends with it and no sooner, or
a model that hangs would be handed one thread after another until none was left for people who ask in a chat.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from bot.http.v1.limits import Limits
from bot.http.v1.problems import Problem

T = TypeVar("T")
_CALLERS = "callers"
"""Those whose key is still being looked up, counted together."""


class Turns:
    """Keys are known by their ids; None stands for whoever calls without one."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._in_hand: Counter[UUID | str | None] = Counter()
        self._none_in_hand = asyncio.Event()
        self._none_in_hand.set()
        self._is_closed = False
        self._long = asyncio.Semaphore(limits.long_at_once)
        self._long_of: WeakValueDictionary[UUID | None, asyncio.Semaphore] = WeakValueDictionary()

    def of_caller(self) -> AbstractContextManager[None]:
        """While a key is looked up. Raises Problem TOO_MANY_REQUESTS, STOPPING."""
        return self._one_of(_CALLERS, self._limits.callers_at_once, "keys are looked up")

    def one_of(self, key: UUID | None) -> AbstractContextManager[None]:
        """Raises Problem TOO_MANY_REQUESTS, STOPPING."""
        return self._one_of(key, self._limits.at_once, "requests of a key are worked on")

    def close(self) -> None:
        """Begin no more."""
        self._is_closed = True

    async def over(self) -> None:
        """Wait until nothing is in hand that anybody waits for."""
        await self._none_in_hand.wait()

    @contextmanager
    def _one_of(self, whose: UUID | str | None, most: int, what: str) -> Iterator[None]:
        if self._is_closed:
            raise Problem("STOPPING")
        if self._in_hand[whose] >= most:
            raise Problem("TOO_MANY_REQUESTS", f"At most {most} {what} at once.")
        self._in_hand[whose] += 1
        self._none_in_hand.clear()
        try:
            yield
        finally:
            self._in_hand[whose] -= 1
            if not self._in_hand[whose]:
                del self._in_hand[whose]
            if not self._in_hand:
                self._none_in_hand.set()

    async def begin(self, key: UUID | None, call: Callable[[], Awaitable[T]]) -> asyncio.Future[T]:
        """A long call on its way, once it is its turn."""
        own = self._long_of.setdefault(key, asyncio.Semaphore(self._limits.long_of_one_key))
        with ExitStack() as held:
            for gate in (own, self._long):
                await gate.acquire()
                held.callback(gate.release)
            running = asyncio.ensure_future(call())
            running.add_done_callback(partial(_over, held.pop_all()))
        return running


def _over(held: ExitStack, running: asyncio.Future[Any]) -> None:
    held.close()
    if not running.cancelled():
        running.exception()  # looked at: of one that was given up, nobody else will
