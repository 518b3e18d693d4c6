"""What was asked to be watched can be read back, by whoever it belongs to, and so can what it told."""

from collections import Counter
from contextlib import contextmanager
from uuid import UUID

import pytest
from sqlalchemy import event

from bot.http.v1.shapes import LAST_TS
from core.ids import random_id
from core.store.tables import WatchFire
from tests.support.deliveries import Worker
from tests.support.http import key
from tests.support.memories import audited, page, put, rows, section

KEY = bytes(range(32))
LABEL = {"name": "all", "scopeType": "label", "scopeRefs": ["SECTION"], "debounceSecs": 600}


@pytest.fixture
def webhook(memory):
    made = memory.webhooks.add("default", "hook", "https://hook.example/", ["member"], KEY)
    return str(made.webhook_id)


@pytest.fixture
def program(nobody, memory):
    """An admin's key that stands for nobody."""
    return nobody.as_(key(memory, "admin", "member"))


def said(memory, times):
    """Something that is watched says something else, so many times."""
    for time in times:
        put(memory, "travel.md", page("Travel", {"Meals": f"A meal may cost at most {time} EUR."}))
        memory.clock.advance(3600 * 1_000_000)
        memory.sweep()


async def test_a_webhooks_watch_is_read_listed_and_ended_where_it_was_made(program, webhook, memory):
    target = {"kind": "webhook", "webhookId": webhook}
    made = await program("POST", "/watches", LABEL | {"target": target})
    at = made.headers["Location"].removeprefix("/v1")
    told = (await program("GET", at)).json
    assert (told["target"], told["owner"], told["enabled"]) == (target, {"webhookId": webhook}, True)
    memory.sweep()
    said(memory, [41])
    [fire] = (await program("GET", f"{at}/fires")).json["fires"]
    assert (fire["deliveryTargetKind"], fire["recipients"]) == ("webhook", [])
    assert (await program("GET", "/watches")).json["watches"] == [told | {"lastFiredTx": fire["fireTx"]}]
    held = await program("PATCH", at, {"mutedUntil": LAST_TS})
    assert (held.code, "a webhook is sent no cards" in held.json["detail"]) == ("INVALID_REQUEST", True)
    assert [(await program("DELETE", at)).status for _ in ("it", "again")] == [204, 204]
    assert (await program("GET", at)).code == (await program("PATCH", at, {"mutedUntil": 0})).code == "NOT_FOUND"
    assert (await program("GET", "/watches")).json["watches"] == []
    assert [row.action for row in audited(memory)][-2:] == ["webhook_watched", "webhook_unwatched"]


async def test_an_admin_sees_webhooks_watches_beside_their_own(admin, webhook):
    mine = (await admin("POST", "/watches", LABEL)).json["watchId"]
    of_hook = (await admin("POST", "/watches", LABEL | {"target": {"kind": "webhook", "webhookId": webhook}})).json
    listed = (await admin("GET", "/watches")).json["watches"]
    assert [one["watchId"] for one in listed] == [mine, of_hook["watchId"]]


async def test_webhooks_watches_are_there_for_admins_alone(admin, call, robot, webhook):
    asked = LABEL | {"target": {"kind": "webhook", "webhookId": webhook}}
    at = f"/watches/{(await admin('POST', '/watches', asked)).json['watchId']}"
    never = f"/watches/{random_id()}"
    for method, below in (("GET", ""), ("DELETE", ""), ("GET", "/fires")):
        here, there = await call(method, at + below), await call(method, never + below)
        assert (here.status, here.raw) == (there.status, there.raw)
        assert (await robot(method, at + below)).code == "PERSON_REQUIRED"
    assert (await call("GET", "/watches")).json["watches"] == []


@pytest.mark.parametrize(
    "target",
    [
        lambda who: {"kind": "chat_person", "personId": who},
        lambda who: {"kind": "chat_shared", "audience": {"roles": ["board"], "persons": [who]}},
    ],
    ids=["a person", "an audience"],
)
async def test_what_was_asked_for_is_read_back(call, memory, ada, target):
    memory.people.put("default", "Ada", roles=["member", "steward"])
    asked = LABEL | {"target": target(str(ada.person_id)), "events": ["fact_tombstoned"], "cadence": "daily"}
    made = (await call("POST", "/watches", asked)).json
    told = (await call("GET", f"/watches/{made['watchId']}")).json
    assert {name: told[name] for name in asked} == asked
    assert (told["owner"], told["enabled"], told["lastFiredTx"]) == ({"personId": str(ada.person_id)}, True, None)


async def test_whom_somebody_elses_watch_tells_may_look_at_it_but_not_at_what_it_is_on(call, nobody, memory, bob, ada):
    memory.people.put("default", "Ada", roles=["member", "steward"])
    meals = section("travel.md", "Travel", "Meals")
    target = {"kind": "chat_shared", "audience": {"roles": [], "persons": [str(bob.person_id)]}}
    asked = {"name": "x", "scopeType": "entity", "scopeRefs": [meals], "target": target, "debounceSecs": 0}
    at = f"/watches/{(await call('POST', '/watches', asked)).json['watchId']}"
    bobs = nobody.as_(key(memory, person=bob))
    assert (await bobs("GET", at)).code == "NOT_FOUND", "it has told him nothing yet"
    memory.sweep()
    said(memory, [41])
    Worker(memory).spread()
    told = (await bobs("PATCH", at, {"mutedUntil": LAST_TS})).json
    assert (told["scopeRefs"], told["target"], told["mutedUntil"]) == ([], {"kind": "chat_shared"}, LAST_TS)
    assert (await call("GET", at)).json["mutedUntil"] == 0


async def test_a_fire_says_all_that_is_kept_of_it(call, memory):
    made = (await call("POST", "/watches", LABEL)).json["watchId"]
    memory.sweep()
    said(memory, [41])
    [fire] = (await call("GET", f"/watches/{made}/fires")).json["fires"]
    [row] = [one for one in rows(memory, WatchFire) if str(one.watch_id) == made]
    assert (fire["watchId"], fire["fireTx"], fire["createdAt"]) == (made, row.fire_tx, row.created_at)
    assert (fire["deliveryTargetKind"], fire["deliveryJobId"]) == ("chat_person", str(row.job_id))
    assert (fire["truncated"], fire["leftOut"]) == (False, 0)


async def test_a_fire_that_was_too_much_says_so(call, memory):
    made = (await call("POST", "/watches", LABEL)).json["watchId"]
    memory.sweep()
    put(memory, "many.md", page("Many", {f"Part {number}": f"Words {number}." for number in range(60)}))
    memory.clock.advance(3600 * 1_000_000)
    memory.sweep()
    [fire] = (await call("GET", f"/watches/{made}/fires")).json["fires"]
    assert (fire["truncated"], len(fire["events"])) == (True, 50)
    assert fire["leftOut"] >= 10


async def test_fires_that_are_pruned_while_they_are_read_leave_the_others(call, memory):
    made = (await call("POST", "/watches", LABEL)).json["watchId"]
    memory.sweep()
    said(memory, range(5))
    first = (await call("GET", f"/watches/{made}/fires?limit=2")).json
    with memory._database.write("default") as tx:
        tx.session.delete(tx.session.get_one(WatchFire, ("default", UUID(first["fires"][-1]["fireId"]))))
    rest = (await call("GET", f"/watches/{made}/fires", params={"cursor": first["nextCursor"]})).json
    assert len(rest["fires"]) == 3
    assert rest["nextCursor"] is None


@contextmanager
def statements(memory):
    executed = Counter()

    def note(_, __, statement, *___):
        executed[statement.partition(" ")[0]] += 1

    event.listen(memory._database.engine, "before_cursor_execute", note)
    yield executed
    event.remove(memory._database.engine, "before_cursor_execute", note)


async def test_a_page_of_fires_is_read_in_one_go_however_many_they_are(call, memory):
    made = (await call("POST", "/watches", LABEL)).json["watchId"]
    memory.sweep()
    said(memory, range(6))
    taken = []
    for limit in (1, 5):
        with statements(memory) as executed:
            assert len((await call("GET", f"/watches/{made}/fires?limit={limit}")).json["fires"]) == limit
        taken.append(executed["SELECT"])
    assert taken[0] == taken[1]
