"""Whether a process is ready is said at once, however much it has to do."""

import asyncio
import threading

import aiohttp
import pytest

from bot.http.health import health_routes
from bot.memory_gateway import MemoryGateway
from tests.support.slack import on_loopback

MORE_THAN_ITS_THREADS = 64


@pytest.fixture
def gateway(memory):
    opened = MemoryGateway(memory)
    yield opened
    opened.stop()


async def test_a_process_whose_threads_all_work_is_ready(gateway):
    done = threading.Event()
    working = [asyncio.create_task(gateway.call(done.wait)) for _ in range(MORE_THAN_ITS_THREADS)]
    try:
        async with (
            asyncio.timeout(30),
            on_loopback(health_routes(gateway, lambda: False)) as base,
            aiohttp.ClientSession() as session,
            session.get(f"{base}/readyz") as answer,
        ):
            assert (answer.status, await answer.json()) == (200, {"status": "ready"})
    finally:
        done.set()
    await asyncio.gather(*working)
