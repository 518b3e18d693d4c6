"""What fails, takes too long or is too much is told as a problem, and holds up nothing else."""

import asyncio
import threading
from contextlib import asynccontextmanager

import aiohttp
import pytest

from bot.http.v1.limits import LIMITS, Limits
from bot.http.v1.problems import KINDS, of_core
from bot.http.v1.route import Pace, Reply, Route
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.http.v1.shapes import Told
from bot.memory_gateway import MemoryGateway
from core import errors
from core.requests.views import LEASE
from core.store.tables import IdempotencyKey
from tests.support.http import Caller, key, listening
from tests.support.memories import rows

JSON = {"Content-Type": "application/json"}

# ── what core, or a bug, comes to ──

RAISED = {
    "SEMANTIC_UNAVAILABLE": errors.SemanticUnavailable(),
    "GENERATE_UNAVAILABLE": errors.GenerateUnavailable("https://models.example/secret said no"),
    "EMBED_UNAVAILABLE": errors.EmbedUnavailable("http://10.0.0.7:8000/v1 secret cannot be reached"),
    "STORE_UNAVAILABLE": errors.StoreUnavailable("postgresql://db.example/secret is gone"),
    "MODEL_MISMATCH": errors.ModelMismatch("secret"),
    "INTERNAL": RuntimeError("secret words of a document"),
}


@asynccontextmanager
async def serving(memory, handler, limits=LIMITS, **more):
    """A caller of one endpoint, whose handler is the test's own."""
    gateway = MemoryGateway(memory)
    route = Route("POST", "/x", handler, Told, **more)
    async with listening(memory, Server(gateway, [route], limits)) as base, aiohttp.ClientSession() as session:
        try:
            yield Caller(session, base, key(memory, "member"))
        finally:
            gateway.stop()


@pytest.mark.parametrize("code", RAISED)
@pytest.mark.parametrize("pace", Pace)
async def test_what_fails_inside_is_told_without_what_it_said(code, pace, memory):
    def fail(_):
        raise RAISED[code]

    async with serving(memory, fail, pace=pace) as call:
        heard = await call("POST", "/x")
    assert (heard.code, heard.status) == (code, KINDS[code].status)
    assert b"secret" not in heard.raw
    assert b"Traceback" not in heard.raw


def test_every_error_of_core_has_a_code():
    told = {error: of_core(error("x", "y") if error is errors.Refused else error("x")) for error in _tree()}
    inside = {errors.CoreError, errors.InvalidConfig, *_tree(errors.ContextPlanError)} | {errors.Refused}
    assert {error for error, problem in told.items() if problem.code == "INTERNAL"} == inside


def _tree(root=errors.CoreError):
    return [
        root,
        *(one for child in root.__subclasses__() if child.__module__ == "core.errors" for one in _tree(child)),
    ]


# ── what takes too long, or is too much ──


class Gate:
    """A handler that says when it has begun, and waits to be let through."""

    def __init__(self):
        self.begun, self.open = threading.Event(), threading.Event()

    def __call__(self, _):
        self.begun.set()
        self.open.wait(30)
        return Reply(Told())

    async def reached(self):
        await asyncio.to_thread(self.begun.wait, 30)

    __name__ = "gate"


async def test_what_takes_too_long_is_given_up(memory):
    gate = Gate()
    async with serving(memory, gate, Limits(answer_secs=0.05)) as call:
        heard = await call("POST", "/x")
        gate.open.set()
    assert (heard.code, heard.headers["Retry-After"]) == ("TIMED_OUT", "60")


async def test_what_was_given_up_still_has_its_thread_and_no_other_is_handed_to_the_same(memory):
    """However often a caller asks again."""
    gate, begun = Gate(), []

    def slow(call):
        begun.append(call)
        return gate(call)

    limits = Limits(answer_secs=0.05, long_at_once=2, long_of_one_key=1)
    async with serving(memory, slow, limits, pace=Pace.LONG) as call:
        assert {(await call("POST", "/x")).code for _ in "123"} == {"TIMED_OUT"}
        assert len(begun) == 1
        gate.open.set()


async def test_one_key_keeps_no_other_waiting(memory):
    gate = Gate()
    async with serving(memory, gate, Limits(at_once=1)) as call:
        first = asyncio.create_task(call("POST", "/x"))
        await gate.reached()
        assert (await call("POST", "/x")).code == "TOO_MANY_REQUESTS"
        other = asyncio.create_task(call.as_(key(memory, "member"))("POST", "/x"))
        gate.open.set()
        assert ((await first).status, (await other).status, (await call("POST", "/x")).status) == (200, 200, 200)


async def test_a_request_that_is_being_worked_on_is_not_begun_again(memory):
    gate = Gate()
    async with serving(memory, gate, creates=True) as call:
        named = {"Idempotency-Key": "one"}
        first = asyncio.create_task(call("POST", "/x", headers=named))
        await gate.reached()
        assert (await call("POST", "/x", headers=named)).code == "IN_PROGRESS"
        gate.open.set()
        assert (await first).status == (await call("POST", "/x", headers=named)).status == 200


def held_since(memory, moment):
    while [row.started_at for row in rows(memory, IdempotencyKey)] != [moment]:
        pass


async def test_one_that_takes_longer_than_its_lease_is_not_begun_again_either(memory, clock, monkeypatch):
    gate, begun = Gate(), []

    def slow(call):
        begun.append(call)
        return gate(call)

    monkeypatch.setattr("bot.http.v1.holding.EVERY_SECS", 0.001)
    async with serving(memory, slow, creates=True) as call:
        named = {"Idempotency-Key": "one"}
        first = asyncio.create_task(call("POST", "/x", headers=named))
        await gate.reached()
        for _ in "12":
            clock.advance(LEASE - 1)
            await asyncio.to_thread(held_since, memory, clock.now())
        assert (await call("POST", "/x", headers=named)).code == "IN_PROGRESS"
        gate.open.set()
        assert (await first).status == (await call("POST", "/x", headers=named)).status == 200
        assert len(begun) == 1


async def test_a_body_that_does_not_come_is_not_waited_for(memory):
    never = asyncio.Event()

    async def slowly():
        yield b"{"
        await never.wait()

    gateway = MemoryGateway(memory)
    async with listening(memory, Server(gateway, ROUTES, Limits(body_secs=0.05))) as base:
        async with aiohttp.ClientSession() as session:
            heard = await Caller(session, base, key(memory, "member"))("POST", "/query", data=slowly(), headers=JSON)
        never.set()
    gateway.stop()
    assert heard.code == "BODY_TOO_SLOW"


async def test_a_body_that_breaks_off_within_is_not_waited_for(memory):
    """What comes in place of its next piece is no HTTP."""
    gateway = MemoryGateway(memory)
    async with listening(memory, Server(gateway, ROUTES, Limits(body_secs=0.05))) as base:
        host, _, port = base.removeprefix("http://").removesuffix("/v1").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = f"POST /v1/query HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key(memory, 'member')}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n".encode())
        await writer.drain()
        writer.write(b"{\r\nzz\r\n")
        assert (await reader.readline()).startswith((b"HTTP/1.1 408", b"HTTP/1.0 400"))
        writer.close()
    gateway.stop()


async def test_a_body_that_grows_too_large_is_not_read_to_its_end(robot):
    async def endless():
        while True:
            yield b" " * 65_536

    assert (await robot("POST", "/query", data=endless(), headers=JSON)).code == "BODY_TOO_LARGE"
    assert (await robot("POST", "/query", {"find": "SECTION"})).status == 200
