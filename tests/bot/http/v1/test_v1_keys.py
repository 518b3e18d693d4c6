"""Who calls: one path says the same whatever is wrong with a key, and before anything else is looked at."""

import asyncio
import threading
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import strategies as st

from bot.http.v1.answering import Incoming, answer
from bot.http.v1.arriving import secret_of
from bot.http.v1.limits import Limits
from bot.http.v1.route import Reply, Route
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.http.v1.shapes import Told
from bot.memory_gateway import MemoryGateway
from core.clock import DAY
from core.errors import UnknownKey
from core.ids import api_key
from core.store.tables import SourceVersion
from tests.support.http import Caller, key, listening
from tests.support.memories import rows

BODY = {"data": b"\xff", "headers": {"Content-Type": "application/json"}}


@pytest.fixture
def wrong(memory, clock, bob):
    """Keys that are nobody's any more, and what is no key."""
    revoked = memory.api_keys.create("default", "x", ["member"])
    memory.api_keys.revoke("default", revoked.key_id)
    over = memory.api_keys.create("default", "x", ["member"], keep_for=DAY).secret
    clock.advance(DAY)
    gone = key(memory, person=bob)
    memory.people.set_active("default", bob.person_id, active=False)
    good = key(memory, "member")
    secrets = (revoked.secret, over, gone, "clarify_" + "A" * 43, good[:-1], good + "A", "é", "x" * 5000)
    return [
        *({"Authorization": f"Bearer {secret}"} for secret in secrets),
        *(
            {"Authorization": said}
            for said in ("", "Bearer", "Bearer ", f"Basic {good}", good, f"Bearer {good} {good}")
        ),
        {"X-Api-Key": good},
        {},
    ]


async def test_whatever_is_wrong_with_a_key_the_same_is_said(nobody, wrong):
    heard = [await nobody("POST", "/query", {}, headers=headers) for headers in wrong]
    told = {(one.status, one.code, one.raw, one.headers["WWW-Authenticate"]) for one in heard}
    assert len(told) == 1
    [(status, code, _, challenge)] = told
    assert (status, code, challenge) == (401, "UNAUTHENTICATED", 'Bearer realm="clarify-bot"')


async def test_every_endpoint_asks_for_a_key_before_it_reads_a_body(nobody, wrong):
    for route in ROUTES:
        path = route.path.replace("{id}", "7").replace("{uri}", "x")
        assert (await nobody(route.method, path, **BODY)).code == "UNAUTHENTICATED"


async def test_two_keys_at_once_are_none(nobody, memory):
    good = f"Bearer {key(memory, 'member')}"
    both = [("Authorization", good), ("Authorization", good)]
    assert (await nobody("POST", "/query", {"find": "SECTION"}, headers=dict(both[:1]))).status == 200
    async with nobody.session.post(f"{nobody.base}/query", json={"find": "SECTION"}, headers=both) as answer:
        assert answer.status == 401


async def test_the_word_bearer_is_written_as_one_likes(nobody, memory):
    for word in ("bearer", "BEARER"):
        told = await nobody(
            "POST", "/query", {"find": "SECTION"}, headers={"Authorization": f"{word} {key(memory, 'x')}"}
        )
        assert told.status == 200


async def test_a_revoked_key_is_refused_from_the_next_request_on(nobody, memory):
    made = memory.api_keys.create("default", "x", ["member"])
    call = nobody.as_(made.secret)
    assert (await call("GET", "/sources")).status == 200
    memory.api_keys.revoke("default", made.key_id)
    assert (await call("GET", "/sources")).code == "UNAUTHENTICATED"


# ── while a request is on its way ──


async def test_a_key_that_is_revoked_while_its_body_arrives_writes_nothing(nobody, memory):
    made = memory.api_keys.create("default", "x", ["admin"])
    before = rows(memory, SourceVersion)

    async def slowly():
        yield b"# Travel\n\n"
        memory.api_keys.revoke("default", made.key_id)
        yield b"A meal may cost at most 90 EUR.\n"

    sent = {"data": slowly(), "headers": {"Content-Type": "text/markdown"}}
    heard = await nobody.as_(made.secret)("PUT", "/sources/travel.md?readers=everyone", **sent)
    never = await nobody.as_("clarify_" + "A" * 43)("GET", "/sources")
    assert (heard.status, heard.raw) == (never.status, never.raw)
    assert rows(memory, SourceVersion) == before


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_whatever_is_asked_it_is_answered_by_the_rights_of_the_moment_it_is_begun(memory, route):
    made = memory.api_keys.create("default", "x", ["admin"])
    incoming = Incoming(memory.api_keys.principal_of(made.secret), made.secret, at=str(made.key_id))
    memory.api_keys.revoke("default", made.key_id)
    with pytest.raises(UnknownKey):
        answer(memory, route, incoming)


def test_a_role_that_was_taken_meanwhile_is_not_had(memory, ada):
    secret = key(memory, person=ada)
    before = Incoming(replace(memory.api_keys.principal_of(secret), roles=frozenset({"admin"})), secret)
    seen = []
    route = Route("GET", "/x", lambda call: seen.append(call.principal) or Reply(Told()), Told)
    answer(memory, route, before)
    assert seen == [memory.api_keys.principal_of(secret)]


# ── many who have no key ──


async def test_what_can_be_no_key_is_refused_without_a_look(nobody, memory, wrong, monkeypatch):
    looked = []
    monkeypatch.setattr(memory.api_keys, "principal_of", looked.append)
    for headers in wrong[4:]:
        assert (await nobody("GET", "/sources", headers=headers)).code == "UNAUTHENTICATED"
    assert looked == []


@given(st.data())
def test_every_key_that_is_made_can_be_one(data):
    secret = api_key()
    said = f"{data.draw(st.sampled_from(('Bearer', 'bearer', 'BEARER')))} {' ' * data.draw(st.integers(0, 3))}{secret}"
    assert secret_of(make_mocked_request("GET", "/", {"Authorization": said})) == secret


class Database:
    """Says whose keys are when it is let."""

    def __init__(self, memory):
        self._looked_up, self.asked, self.answers = memory.api_keys.principal_of, threading.Event(), threading.Event()

    def __call__(self, secret):
        self.asked.set()
        assert self.answers.wait(10), "somebody waits for what waits for them"
        return self._looked_up(secret)


@pytest.fixture
def hanging(memory, monkeypatch):
    database = Database(memory)
    monkeypatch.setattr(memory.api_keys, "principal_of", database)
    yield database
    database.answers.set()


@asynccontextmanager
async def called(memory, limits, secret):
    gateway = MemoryGateway(memory)
    async with listening(memory, Server(gateway, ROUTES, limits)) as base, aiohttp.ClientSession() as session:
        yield gateway, Caller(session, base, secret)
    gateway.stop()


async def test_a_look_up_that_hangs_is_given_up(memory, hanging):
    async with called(memory, Limits(caller_secs=0.05), key(memory, "member")) as (_, call):
        heard = await call("GET", "/sources")
        hanging.answers.set()
    assert (heard.code, heard.headers["Retry-After"]) == ("STORE_UNAVAILABLE", "1")


async def test_many_look_ups_keep_no_platform_and_no_probe_waiting(memory, hanging):
    async with called(memory, Limits(callers_at_once=2), key(memory, "member")) as (gateway, call):
        waiting = [asyncio.create_task(call("GET", "/sources")) for _ in "12"]
        await asyncio.to_thread(hanging.asked.wait, 30)
        refused = [await call("GET", "/sources"), await call.as_(None)("GET", "/sources")]
        assert await gateway.at_the_door(lambda: "an event of a platform") == "an event of a platform"
        hanging.answers.set()
        assert [(await one).status for one in waiting] == [200, 200]
    assert [heard.code for heard in refused] == ["TOO_MANY_REQUESTS", "UNAUTHENTICATED"]
    assert refused[0].headers["Retry-After"] == "1"
