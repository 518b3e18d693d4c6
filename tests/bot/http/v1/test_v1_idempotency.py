"""A request under a name is done once: told again what was told, also by another process and after a restart."""

import asyncio

import aiohttp
import pytest

from core.clock import DAY
from core.ids import random_id
from core.store.tables import IdempotencyKey
from tests.support.http import Caller, key, listening
from tests.support.memories import page, put, rows, section

NAMED = {"Idempotency-Key": "order-7"}
WATCH = {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"]}


def asked(question="Per day?"):
    return {"nodeId": section("travel.md", "Travel", "Meals"), "question": question, "audience": ["everyone"]}


async def test_the_second_is_told_what_the_first_was(call, memory):
    first = await call("POST", "/clarifications", asked(), headers=NAMED)
    memory.clarify.override("default", memory.clarifications(_ada(memory))[0].clarification_id, 0)
    second = await call("POST", "/clarifications", asked(), headers=NAMED)
    assert (second.status, second.raw, second.headers["Location"]) == (201, first.raw, first.headers["Location"])
    assert memory.clarifications(_ada(memory)) == [], "it was not asked anew, as it would be now"
    assert (await call("POST", "/clarifications", asked())).raw != first.raw


def _ada(memory):
    who = next(one for one in memory.people.all("default") if one.display_name == "Ada")
    return memory.people.principal("default", who.person_id)


async def test_also_a_refresh_is_done_once(call, memory):
    trace_id = (await call("POST", "/generate", {"question": "What may a meal cost?"})).json["traceId"]
    answer_id = (await call("POST", "/answers", {"traceId": trace_id})).json["answerId"]
    first, second = [await call("POST", f"/answers/{answer_id}/refresh", headers=NAMED) for _ in "12"]
    assert (first.status, first.raw) == (second.status, second.raw) == (201, first.raw)
    capitals = await call("POST", f"/answers/{answer_id.upper()}/refresh", headers=NAMED)
    assert (capitals.status, capitals.raw) == (201, first.raw), "it is the same id"
    other = f"/answers/{first.json['answerId']}/refresh"
    assert (await call("POST", other, headers=NAMED)).code == "KEY_REUSED"


async def test_a_restart_and_another_process_know_it(call, reopen, ada, memory):
    first = await call("POST", "/watches", WATCH, headers=NAMED)
    async with listening(reopen()) as base, aiohttp.ClientSession() as session:
        again = await Caller(session, base, call.secret)("POST", "/watches", WATCH, headers=NAMED)
    assert (again.status, again.raw) == (first.status, first.raw) == (201, first.raw)


async def test_of_many_at_once_in_two_processes_one_is_done(call, reopen):
    async with listening(reopen()) as base, aiohttp.ClientSession() as session:
        other = Caller(session, base, call.secret)
        sent = [who("POST", "/watches", WATCH, headers=NAMED) for who in (call, other) * 4]
        heard = await asyncio.gather(*sent)
    made = {one.raw for one in heard if one.status == 201}
    assert len(made) == 1
    assert {one.code for one in heard if one.status != 201} <= {"IN_PROGRESS"}


async def test_the_same_said_in_another_way_is_the_same(call):
    first = await call("POST", "/watches", WATCH, headers=NAMED)
    spaced = b' {"scopeRefs":["SECTION"],  "scopeType":"label","name":"x","target":null}'
    sent = NAMED | {"Content-Type": "application/json"}
    assert (await call("POST", "/watches", data=spaced, headers=sent)).raw == first.raw


async def test_what_was_refused_may_be_put_right_under_its_name(call, memory):
    wrong = await call("POST", "/answers", {"traceId": str(random_id())}, headers=NAMED)
    assert wrong.code == "NOT_FOUND"
    assert (await call("POST", "/watches", WATCH, headers=NAMED)).status == 201


async def test_a_day_later_the_name_is_free(call, clock):
    await call("POST", "/watches", WATCH, headers=NAMED)
    clock.advance(DAY)
    assert (await call("POST", "/watches", WATCH, headers=NAMED)).json["fresh"] is False


@pytest.mark.parametrize("name", ["", "two words", "x" * 256, "é"])
async def test_what_is_no_name_is_refused(call, name):
    heard = await call("POST", "/watches", WATCH, headers={"Idempotency-Key": name})
    assert (heard.code, "visible ASCII" in heard.json["detail"]) == ("INVALID_REQUEST", True)


async def test_nothing_that_is_kept_lets_what_was_asked_be_read_or_guessed(call, memory):
    await call("POST", "/clarifications", asked("Whose canary is it?"), headers=NAMED)
    put(memory, "travel.md", page("Travel", {"Meals": "Other words."}))
    [row] = rows(memory, IdempotencyKey)
    assert not [word for word in ("canary", "order-7") if word in str(row.model_dump())]
    twin = call.as_(key(memory, "member"))
    await twin("POST", "/clarifications", asked("Whose canary is it?"), headers=NAMED)
    assert len({(one.name, one.content) for one in rows(memory, IdempotencyKey)}) == 2, (
        "hashed under each key's own secret"
    )
