"""What `/v1` adds to a call of core: `context` and `verify` in the process and over HTTP, by turns, at two sizes.

Callers are processes of their own. What is compared is the processor time of the threads that serve, in which whatever
else the machine does weighs little (threads of numpy's that spin are none of them); beside it is what a caller waits by
the clock on the wall.
"""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import quantiles
from time import perf_counter, thread_time
from typing import Any

from aiohttp import web

from benchmarks.support import Bench, Line, claims, document, opened, progress, question
from bot.app import SWITCH_SECS
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.memory_gateway import MemoryGateway
from core.memory import DEFAULT_TENANT, Memory
from core.planner.request import PlanRequest
from core.verify.request import VerifyRequest

QUICK = {"sizes": (1_000,)}
SIZES = (10_000, 100_000)
GOALS = {"context over HTTP adds": 3, "verify over HTTP adds": 3}
SECTIONS_A_DOCUMENT = 100
"""A long page of a handbook."""
CALLS = 60
AT_ONCE = 8
REST = 0.005
"""Seconds before each call: who waits for a request has rested, and finds the caches as others left them."""

_CALLER = """
import http.client, json, sys, time
connection = http.client.HTTPConnection(sys.argv[1])
headers = {"Authorization": "Bearer " + sys.argv[2], "Content-Type": "application/json"}
for line in sys.stdin:
    path, body = json.loads(line)
    start = time.perf_counter()
    connection.request("POST", path, json.dumps(body), headers)
    answer = connection.getresponse()
    told = answer.read()
    assert answer.status == 200, told
    print(time.perf_counter() - start, flush=True)
"""


class _Pool(ThreadPoolExecutor):
    """Threads whose processor time is known."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.spent = 0.0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def timed() -> Any:
            start = thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.spent += thread_time() - start

        return super().submit(timed)


class _Gateway(MemoryGateway):
    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self._door, self._long = self.pools = _Pool(2), _Pool(8)

    def spent(self) -> float:
        """Seconds of processor time of the event loop and of the threads of `/v1`."""
        return thread_time() + sum(pool.spent for pool in self.pools)


Calls = Sequence[tuple[Any, Callable[[], object]]]
"""What is sent, and the same asked of core."""


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    sys.setswitchinterval(SWITCH_SECS)
    with opened() as bench:
        found = [asyncio.run(_at(bench, done, size)) for done, size in zip((0, *sizes), sizes, strict=False)]
    return [line for lines in found for line in lines]


async def _at(bench: Bench, done: int, size: int) -> list[Line]:
    progress(f"http: {size:,} sections")
    for number in range(done // SECTIONS_A_DOCUMENT, size // SECTIONS_A_DOCUMENT):
        bench.put(f"{number}.md", document(SECTIONS_A_DOCUMENT, seed=number))
    contexts = [_context(bench, f"{question(number)} limit") for number in range(CALLS)]
    verdicts = [_verdict(bench, claim) for claim in claims(CALLS)]
    key = bench.memory.api_keys.create(DEFAULT_TENANT, "bench", person_id=bench.person.person_id).secret
    gateway = _Gateway(bench.memory)
    async with _callers(gateway, key) as callers:
        return [
            *await _compared(f"{size:,} sections", gateway, callers[0], "context", contexts),
            *await _compared(f"{size:,} sections", gateway, callers[0], "verify", verdicts),
            await _many(f"{size:,} sections", callers, [body for body, _ in contexts]),
        ]


def _context(bench: Bench, words: str) -> tuple[Any, Callable[[], object]]:
    return {"question": words}, lambda: bench.memory.context(PlanRequest(question=words), bench.person).to_json()


def _verdict(bench: Bench, claim: str) -> tuple[Any, Callable[[], object]]:
    return {"claims": [claim]}, lambda: bench.memory.verify(VerifyRequest([claim]), bench.person).to_json()


@asynccontextmanager
async def _callers(gateway: _Gateway, key: str) -> AsyncIterator[list[Process]]:
    """Processes that call a served memory."""
    app = web.Application()
    app.add_subapp("/v1", Server(gateway, ROUTES).app())
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    command = (sys.executable, "-c", _CALLER, f"127.0.0.1:{runner.addresses[0][1]}", key)
    async with AsyncExitStack() as stack:
        stack.callback(gateway.stop)
        stack.push_async_callback(runner.cleanup)
        started = [await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE) for _ in range(AT_ONCE)]
        for one in started:
            stack.push_async_callback(_end, one)
        yield started


async def _end(caller: Process) -> None:
    assert caller.stdin is not None
    caller.stdin.close()
    await caller.wait()


async def _post(caller: Process, name: str, body: Any) -> float:
    """Seconds that a caller waited."""
    assert caller.stdin is not None
    assert caller.stdout is not None
    caller.stdin.write(json.dumps([f"/v1/memory/{name}", body]).encode() + b"\n")
    return float(await caller.stdout.readline())


async def _compared(where: str, gateway: _Gateway, caller: Process, name: str, calls: Calls) -> list[Line]:
    """Each thing is asked both ways, by turns first in the one and in the other, of documents that were read before."""
    pairs: list[tuple[float, float]] = []
    waited: list[float] = []

    async def within(call: Callable[[], object]) -> float:
        await asyncio.sleep(REST)
        start = thread_time()
        call()
        return thread_time() - start

    async def over(body: Any) -> float:
        await asyncio.sleep(REST)
        start = gateway.spent()
        waited.append(await _post(caller, name, body))
        return gateway.spent() - start

    for _, call in calls:
        call()  # what is new is taken into the index, and documents are read: once, whoever asks first
    for number, (body, call) in enumerate(calls):
        if number % 2:
            pairs.append((await within(call), await over(body)))
        else:
            pairs.append((await over(body), await within(call))[::-1])
    return _told(where, name, pairs, waited)


def _told(where: str, name: str, pairs: Sequence[tuple[float, float]], waited: Sequence[float]) -> list[Line]:
    inner, over, adds = (_cuts(times) for times in (*zip(*pairs, strict=True), [b - a for a, b in pairs]))
    wall = _cuts(waited)
    return [
        (f"{name} in the process, {where}, p50", inner[0], "ms"),
        (f"{name} over HTTP, {where}, p50", over[0], "ms"),
        (f"{name} over HTTP, {where}, p95", over[1], "ms"),
        (f"{name} over HTTP adds, {where}, p50", adds[0], "ms"),
        (f"{name} over HTTP by the wall, {where}, p50", wall[0], f"ms; p95 {wall[1]:.1f}"),
    ]


def _cuts(times: Sequence[float]) -> tuple[float, float]:
    """The 50th and the 95th of a hundred, in milliseconds."""
    cuts = quantiles(times, n=20)
    return cuts[9] * 1e3, cuts[18] * 1e3


async def _many(where: str, callers: Sequence[Process], bodies: Sequence[Any]) -> Line:
    waiting, start = iter(bodies), perf_counter()

    async def work(caller: Process) -> None:
        for body in waiting:
            await _post(caller, "context", body)

    await asyncio.gather(*map(work, callers))
    rate = len(bodies) / (perf_counter() - start)
    return f"context over HTTP, {where}, {len(callers)} callers", rate, "requests a second"
