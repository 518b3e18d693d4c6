"""The event loop waits for nothing: while a model is at work others are answered, and chat keeps threads of its own."""

import asyncio
import threading

import aiohttp

from bot.http.v1.limits import Limits
from bot.http.v1.route import Pace, Reply, Route
from bot.http.v1.serving import Server
from bot.http.v1.shapes import Told
from bot.memory_gateway import MemoryGateway
from tests.support.http import Caller, key, listening


async def test_while_long_calls_wait_short_ones_are_answered_and_threads_are_left(memory):
    let_through, begun = threading.Event(), threading.Semaphore(0)

    def slow(_):
        begun.release()
        let_through.wait(30)
        return Reply(Told())

    def quick(_):
        return Reply(Told())

    routes = [Route("POST", "/slow", slow, Told, pace=Pace.LONG), Route("POST", "/quick", quick, Told)]
    gateway, limits = MemoryGateway(memory), Limits(long_at_once=2)
    async with listening(memory, Server(gateway, routes, limits)) as base, aiohttp.ClientSession() as session:
        callers = [Caller(session, base, key(memory, "member")) for _ in range(3)]
        waiting = [asyncio.create_task(one("POST", "/slow")) for one in callers * 3]
        for _ in range(limits.long_at_once):
            await asyncio.to_thread(begun.acquire)
        async with asyncio.timeout(30):
            assert (await callers[0]("POST", "/quick")).status == 200
            assert await gateway.at_length(lambda: "a thread for a chat") == "a thread for a chat"
        assert not begun.acquire(blocking=False), "no more than two are begun"
        let_through.set()
        assert {(await one).status for one in waiting} == {200}
    gateway.stop()


async def test_nothing_of_core_or_of_a_body_is_touched_on_the_event_loop(memory, robot, monkeypatch):
    loop_thread, seen = threading.get_ident(), []
    read = memory._database.read

    def noted(tenant):
        seen.append(threading.get_ident())
        return read(tenant)

    monkeypatch.setattr(memory._database, "read", noted)
    assert (await robot("POST", "/memory/context", {"question": "What may a meal cost?"})).status == 200
    assert seen
    assert loop_thread not in seen
