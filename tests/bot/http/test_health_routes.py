"""Whether a process is ready is said at once, however much it has to do; and not while a loop of it is down."""

import asyncio
import threading

import aiohttp
import pytest

from bot.http.health import health_routes
from bot.memory_gateway import MemoryGateway
from bot.vitals import Vital
from core.clock import SECOND
from tests.support.memories import without_table
from tests.support.slack import on_loopback

MORE_THAN_ITS_THREADS = 64


@pytest.fixture
def gateway(memory):
    opened = MemoryGateway(memory)
    yield opened
    opened.stop()


async def asked(gateway, vitals=(), *, path="/readyz", stopping=False, patience_secs=30):
    routes = health_routes(gateway, lambda: stopping, lambda: vitals, patience_secs)
    async with on_loopback(routes) as base, aiohttp.ClientSession() as session, session.get(base + path) as answer:
        return answer.status, await answer.json()


async def test_a_process_whose_threads_all_work_is_ready(gateway):
    done = threading.Event()
    working = [asyncio.create_task(gateway.call(done.wait)) for _ in range(MORE_THAN_ITS_THREADS)]
    try:
        async with asyncio.timeout(30):
            assert await asked(gateway) == (200, {"status": "ready"})
    finally:
        done.set()
    await asyncio.gather(*working)


async def test_a_loop_that_has_ended_is_seen_however_it_ended(gateway, clock):
    ends = {"ended": asyncio.sleep(0), "failed": _failing(), "cancelled": asyncio.sleep(3600)}
    vitals = [Vital(name, clock, 60) for name in ends]
    tasks = [vital.start(end) for vital, end in zip(vitals, ends.values(), strict=True)]
    tasks[-1].cancel()
    await asyncio.wait(tasks)
    status, said = await asked(gateway, vitals)
    assert (status, said["reason"]) == (503, "loop_down")
    assert said["loops"] == dict.fromkeys(ends, "has ended")
    assert await asked(gateway, vitals, path="/healthz") == (200, {"status": "alive"})


async def _failing():
    raise RuntimeError("broken")


async def test_a_loop_that_has_not_started_is_seen(gateway, clock):
    assert (await asked(gateway, [Vital("sweep", clock, 60)]))[1]["loops"] == {"sweep": "has not started"}


async def test_a_round_that_takes_too_long_is_stuck_and_one_that_goes_on_or_rests_is_not(gateway, clock):
    vital = Vital("sweep", clock, 60)
    task = vital.start(asyncio.sleep(3600))
    vital.begins()
    clock.advance(60 * SECOND)
    assert (await asked(gateway, [vital]))[0] == 200
    clock.advance(1)
    assert (await asked(gateway, [vital]))[1]["loops"] == {"sweep": "is stuck"}
    vital.begins()
    assert (await asked(gateway, [vital]))[0] == 200
    vital.rests()
    clock.advance(3600 * SECOND)
    assert (await asked(gateway, [vital]))[0] == 200
    task.cancel()


async def test_a_database_that_says_no_or_nothing_makes_it_not_ready(memory, gateway, monkeypatch):
    with without_table(memory, "tenant"):
        assert await asked(gateway) == (503, {"status": "not ready", "reason": "store_unavailable"})
    waiting = threading.Event()
    monkeypatch.setattr(memory, "check_store", waiting.wait)
    assert await asked(gateway, patience_secs=0.01) == (503, {"status": "not ready", "reason": "store_unavailable"})
    waiting.set()


async def test_a_process_that_stops_is_not_ready(gateway):
    assert await asked(gateway, stopping=True) == (503, {"status": "not ready", "reason": "stopping"})
