"""A lease is kept while what it is for is worked on, however long a model takes; who has lost it goes no further."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bot.faults import described

log = structlog.get_logger()

T = TypeVar("T")

BEATS = 3
"""Extensions within a lease: two may fail before it is lost."""


class LeaseLost(Exception):
    """Somebody else is at it by now, or may be: this worker records nothing more of it."""


async def kept(work: Awaitable[T], extend: Callable[[], Awaitable[bool]], every: float) -> T:
    """What `work` comes to. Every so many seconds its lease is extended.

    Raises LeaseLost when it was lost, and ends the work. What runs in a thread cannot be ended; what would have
    followed it does not begin.
    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=every))[0]:
            if not await _extended(extend) and not task.done():
                raise LeaseLost
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _extended(extend: Callable[[], Awaitable[bool]]) -> bool:
    """False when the lease was lost. A database that does not answer has not said so: it is asked again."""
    try:
        return await extend()
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not end the work
        log.warning("lease.not_extended", error=described(error))
        return True
