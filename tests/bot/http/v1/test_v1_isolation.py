"""What is another's is told like what never was: across tenants, persons and rights, at every endpoint."""

import json
from collections import Counter
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from bot.http.v1.routes import ROUTES
from core.ids import random_id
from tests.support.http import key
from tests.support.memories import add_person, page, put, section, source_id

MEALS = {"Meals": "A meal may cost at most 40 EUR.", "Hotels": "A night: 120 EUR."}
NEVER = str(random_id())


@pytest.fixture
def neighbour(memory, nobody):
    """Somebody of another tenant, with the same document and all rights there."""
    memory.people.ensure_tenant("other", "Other")
    put(memory, "travel.md", page("Travel", MEALS), tenant="other")
    who = add_person(memory, "Ada", ("member", "admin", "steward"), tenant="other")
    return nobody.as_(key(memory, tenant="other", person=who))


async def owned(call, tenant="default"):
    """One of everything, by the name of what its id is of."""
    meals = section("travel.md", "Travel", "Meals", tenant=tenant)
    trace = (await call("POST", "/generate", {"question": "What may a meal cost?"})).json["traceId"]
    answer = (await call("POST", "/answers", {"traceId": trace})).json["answerId"]
    watch = {"name": "x", "scopeType": "entity", "scopeRefs": [meals]}
    asked = {"nodeId": meals, "question": "Per day?", "audience": ["member"]}
    source = (await call("GET", "/sources")).json["sources"][0]["sourceId"]
    return {
        "trace": trace,
        "answers": answer,
        "watches": (await call("POST", "/watches", watch)).json["watchId"],
        "clarifications": (await call("POST", "/clarifications", asked)).json["clarificationId"],
        "node": meals,
        "source": source,
    }


def by_path(ids):
    """A request to every endpoint whose path takes an id."""
    bodies = {"PATCH": {"mutedUntil": 0}, "votes": {"choice": None}, "override": {"choice": 0}}
    for route in ROUTES:
        if "{id}" in route.path:
            name, last = route.path.split("/")[1], route.path.split("/")[-1]
            yield route.method, route.path.replace("{id}", ids[name]), bodies.get(route.method, bodies.get(last))


def by_body(ids):
    """A request to every endpoint whose body takes an id."""
    yield "POST", "/answers", {"traceId": ids["trace"]}
    yield "POST", "/clarifications", {"nodeId": ids["node"], "question": "q?", "audience": ["member"]}
    yield "POST", "/memory/verify", {"claims": ["A meal."], "against": {"sourceIds": [ids["source"]]}}
    for scope, name in (("entity", "node"), ("source", "source"), ("clarification", "clarifications")):
        yield "POST", "/watches", {"name": "x", "scopeType": scope, "scopeRefs": [ids[name]]}


async def heard(call, requests):
    return [await call(method, path, body) for method, path, body in requests]


async def test_the_ids_of_another_tenant_are_told_like_ids_that_never_were(call, neighbour):
    theirs, never = await owned(neighbour, "other"), Counter()
    names = dict.fromkeys(theirs, NEVER)
    for requests in (by_path, by_body):
        foreign, unknown = await heard(call, requests(theirs)), await heard(call, requests(names))
        assert [(one.status, one.raw) for one in foreign] == [(one.status, one.raw) for one in unknown]
        never.update(one.code for one in foreign)
    assert never == {"NOT_FOUND": 17}
    assert [one.status for one in await heard(neighbour, by_path(theirs))].count(404) == 0, "there they are"


async def test_by_what_is_done_nobody_could_tell_them_apart_either(call, neighbour, nobody, memory, bob):
    """Nor by the time that it takes: the same statements, but for one within the tenant of some requests."""
    theirs, bobs = await owned(neighbour, "other"), await owned(nobody.as_(key(memory, person=bob)))
    private = {name: bobs[name] for name in ("trace", "answers", "watches")}
    board = {"node": section("board.md", "Board", "Fees"), "source": str(source_id("board.md"))}
    never = dict.fromkeys(theirs, NEVER)

    async def done(request):
        executed.clear()
        await call(*request)
        return Counter(executed)

    with statements(memory) as executed:
        for ids, one_apart in ((theirs, ()), (never | private, _LOOKED_UP), (never | board, _LOOKED_UP)):
            for requests in (by_path, by_body):
                for here, there in zip(requests(ids), requests(never), strict=True):
                    one, other = await done(here), await done(there)
                    differing = (one - other) + (other - one)
                    assert differing.total() <= here[1].startswith(one_apart), (here, differing)


_LOOKED_UP = ("/answers", "/watches", "/clarifications")
"""What is there is looked up before its rights are."""


@contextmanager
def statements(memory):
    """What the database is told, as it is told, without the values."""
    executed = []

    def note(_, __, statement, *___):
        executed.append(statement)

    event.listen(memory._database.engine, "before_cursor_execute", note)
    yield executed
    event.remove(memory._database.engine, "before_cursor_execute", note)


async def test_the_ids_of_another_person_are_told_alike(call, nobody, memory, bob):
    theirs = await owned(nobody.as_(key(memory, person=bob)))
    private = {name: theirs[name] for name in ("trace", "answers", "watches")}
    foreign = await heard(call, by_path(private | {"clarifications": NEVER}))
    unknown = await heard(call, by_path(dict.fromkeys(theirs, NEVER)))
    assert [(one.status, one.raw) for one in foreign] == [(one.status, one.raw) for one in unknown]
    assert {one.code for one in foreign} == {"NOT_FOUND"}


async def test_what_may_not_be_read_is_told_like_what_is_not_there(call, memory):
    hidden = section("board.md", "Board", "Fees")
    board = str(next(one.source_id for one in memory.documents.standing("default") if one.uri == "board.md"))
    ids = {"trace": NEVER, "node": hidden, "source": board, "clarifications": NEVER}
    unread, unknown = await heard(call, by_body(ids)), await heard(call, by_body(dict.fromkeys(ids, NEVER)))
    assert [(one.status, one.raw) for one in unread] == [(one.status, one.raw) for one in unknown]
    assert {one.code for one in unread} == {"NOT_FOUND"}


async def test_lists_and_finds_hold_nothing_of_another_tenant(call, neighbour):
    mine, theirs = await owned(call), await owned(neighbour, "other")
    seen = [
        *[await call("GET", route.path) for route in ROUTES if route.method == "GET" and "{" not in route.path],
        await call("POST", "/query", {"find": "SECTION"}),
        await call("POST", "/query", {"find": "SAVED_ANSWER"}),
        await call("POST", "/memory/context", {"question": "What may a meal cost?"}),
        await call("POST", "/memory/verify", {"claims": ["A meal may cost at most 40 EUR."]}),
    ]
    assert {one.status for one in seen} == {200}
    words = b"".join(one.raw for one in seen).decode()
    assert not [one for one in theirs.values() if one in words]
    assert [name for name, one in mine.items() if one not in words] == []


async def test_a_uri_of_another_tenant_is_another_document(neighbour, admin, memory):
    text = {"data": b"# Other\n\nWords.\n", "headers": {"Content-Type": "text/markdown"}}
    assert (await neighbour("PUT", "/sources/board.md?readers=everyone", **text)).json["outcome"] == "new"
    assert (await neighbour("DELETE", "/sources/board.md")).status == 204
    assert "board.md" in json.dumps((await admin("GET", "/sources")).json)


async def test_names_of_requests_are_a_keys_own(call, neighbour):
    named = {"Idempotency-Key": "the-same"}
    made = [
        (await caller("POST", "/watches", {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"]}, headers=named))
        for caller in (call, neighbour)
    ]
    assert [one.status for one in made] == [201, 201]
    assert made[0].json != made[1].json
