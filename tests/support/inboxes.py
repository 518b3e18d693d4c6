"""The inbox's server on loopback."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.channels.inbox import InboxServer
from core.clock import Clock


@asynccontextmanager
async def inbox_over(backend: Any, clock: Clock) -> AsyncIterator[InboxServer]:
    running = InboxServer(backend, clock, secret=bytes(range(32)), port=0)
    await running.start()
    yield running
    await running.stop()
