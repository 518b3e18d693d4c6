"""What each endpoint of `/v1` does, over a real server."""

import json
from collections import Counter
from uuid import UUID

import pytest

from core.graph.query import DEEPEST
from core.ids import random_id
from tests.support.http import key
from tests.support.memories import audited, page, put, section, source_id

QUESTION = {"question": "What may a meal cost?"}
MEAL = "A meal may cost at most 40 EUR."


async def saved(call):
    trace_id = (await call("POST", "/generate", QUESTION)).json["traceId"]
    return (await call("POST", "/answers", {"traceId": trace_id})).json["answerId"]


# ── evidence ──


async def test_context_is_the_evidence_in_the_seeds_json(robot):
    told = await robot("POST", "/memory/context", QUESTION | {"maxTokens": 2000, "maxSpans": 3})
    [item] = [one for one in told.json["items"] if one["text"] == MEAL]
    assert (told.status, len(told.json["items"])) == (200, 3)
    assert set(item) == {"text", "source", "score", "validTime", "pendingClarification"}
    assert set(item["source"]) == {"sourceId", "sourceVersionTx", "start", "end", "name"}
    assert item["validTime"]["start"].endswith("Z")
    assert item["pendingClarification"] is None
    assert set(told.json) == {"items", "openQuestions", "stats", "traceId"}
    assert told.json["stats"]["budget"]["requested"] == 2000
    assert told.json["stats"]["spans"] == {"requested": 3, "applied": 3}


async def test_context_leaves_out_what_is_not_included(robot):
    told = await robot("POST", "/memory/context", QUESTION | {"include": []})
    assert set(told.json) == {"items", "traceId"}
    assert "score" not in told.json["items"][0]


@pytest.mark.parametrize(
    "budget",
    [{}, {"maxTokens": 20}, {"maxTokens": 1_000_000}, {"maxSpans": 1}, {"maxTokens": 40, "maxSpans": 2}],
    ids=["none", "few tokens", "all tokens", "one span", "both"],
)
async def test_context_and_generate_plan_alike(call, budget):
    context, answer = [await call("POST", path, QUESTION | budget) for path in ("/memory/context", "/generate")]
    traces = [(await call("GET", f"/trace/{told.json['traceId']}")).json for told in (context, answer)]
    assert [trace["kind"] for trace in traces] == ["context", "generate"]
    assert traces[0]["body"]["planHash"] == traces[1]["body"]["planHash"] == answer.json["planHash"]


async def test_verify_judges_by_the_wording_and_says_why_not(robot):
    claims = [MEAL, "A meal may cost at most 90 EUR."]
    right, wrong = (await robot("POST", "/memory/verify", {"claims": claims})).json["results"]
    assert (right["verdict"], right["signals"]["numericGate"]) == ("supported", "pass")
    assert "unsupportedReason" not in right
    assert wrong["verdict"] != "supported"
    assert wrong["signals"]["numericGate"] == "capped"
    assert right["evidence"][0]["text"] == MEAL


async def test_verify_is_held_against_named_sources_alone(robot, memory):
    other = put(memory, "other.md", page("Other", {"Parks": "Dogs are allowed."}))
    told = await robot("POST", "/memory/verify", {"claims": [MEAL], "against": {"sourceIds": [str(other.source_id)]}})
    assert told.json["results"][0]["verdict"] == "unsupported"


async def test_an_answer_cites_each_sentence(robot):
    told = (await robot("POST", "/generate", QUESTION)).json
    [claim] = told["claims"]
    assert (told["known"], told["grounded"], told["text"]) == (True, True, MEAL)
    assert (claim["quoted"], claim["citations"][0]["text"], claim["citations"][0]["path"]) == (
        True,
        MEAL,
        ["Travel", "Meals"],
    )


async def test_a_query_finds_nodes_at_any_coordinates(robot, memory, clock):
    before = clock.now() - 1
    put(memory, "travel.md", page("Travel", {"Visas": "Ask the embassy."}))
    titled = {"find": "SECTION", "where": [{"any": [{"prop": "title", "op": "eq", "value": "Meals"}]}]}
    assert (await robot("POST", "/query", titled)).json == {"nodes": []}
    [node] = (await robot("POST", "/query", titled | {"validTime": before, "txTime": before})).json["nodes"]
    assert (node["label"], node["props"]["title"]) == ("SECTION", "Meals")
    assert node["nodeId"] == section("travel.md", "Travel", "Meals")
    assert node["spans"]


async def test_what_is_wrong_with_a_query_is_pointed_at_where_it_stands_in_the_body(call):
    twice = [{"prop": "p", "op": "match", "value": "a"}, {"prop": "p", "op": "match", "value": "b"}]
    deep = [{"prop": "p", "op": "eq", "value": 1}]
    for _ in range(12):
        deep = [{"any": deep}]
    watch = {"name": "x", "scopeType": "query"}
    for path, body, place in (
        ("/query", {}, "/find"),
        ("/query", {"find": "SECTION", "where": twice}, "/where/1/op"),
        ("/memory/verify", {"claims": ["a"], "against": {"find": "SECTION", "where": twice}}, "/against/where/1/op"),
        ("/query", {"find": "SECTION", "where": deep}, "/where/0" + "/any/0" * DEEPEST + "/any"),
        ("/watches", watch | {"scopeRefs": ["[1]"]}, "/scopeRefs/0"),
        ("/watches", watch | {"scopeRefs": [json.dumps({"find": "SECTION", "where": twice})]}, "/scopeRefs/0"),
    ):
        heard = await call("POST", path, body)
        assert (heard.code, [one["pointer"] for one in heard.json["errors"]]) == ("INVALID_QUERY", [place]), body


@pytest.mark.parametrize(
    ("path", "body", "place"),
    [
        ("/watches", {"scopeType": "entity", "scopeRefs": [str(UUID(int=7)), "no id"]}, "/scopeRefs/1"),
        ("/watches", {"scopeType": "label", "scopeRefs": ["SECTION", "section"]}, "/scopeRefs/1"),
        ("/watches", {"scopeType": "query", "scopeRefs": ["{}", "{}"]}, "/scopeRefs"),
        ("/watches", {"scopeType": "label", "scopeRefs": ["PAY"], "events": ["answer_stale"]}, "/events"),
        ("/watches", {"target": {"kind": "webhook", "webhookId": str(UUID(int=7))}}, "/target"),
        ("/watches", {"target": {"kind": "chat_person", "personId": str(UUID(int=7))}}, "/target"),
        ("/watches", {"target": {"kind": "chat_shared", "audience": {}}}, "/target/audience"),
        ("/clarifications", {"options": ["one"]}, "/options"),
        ("/clarifications", {"options": ["one", "two", "one"]}, "/options/2"),
        ("/clarifications", {"quorum": 99}, "/quorum"),
        ("/clarifications", {"audience": ["member", "person:7"]}, "/audience/1"),
    ],
    ids=range(11),
)
async def test_what_core_refuses_of_a_request_is_pointed_at_too(call, path, body, place):
    whole = {
        "/watches": {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"]},
        "/clarifications": {
            "nodeId": section("travel.md", "Travel", "Meals"),
            "question": "Which?",
            "audience": ["member"],
        },
    }
    heard = await call("POST", path, whole[path] | body)
    assert (heard.code, [one["pointer"] for one in heard.json["errors"]]) == ("INVALID_REQUEST", [place])
    assert heard.json["errors"][0]["detail"] == heard.json["detail"]


async def test_a_key_reads_what_its_roles_may(robot, nobody, memory):
    asked = {"question": "What is a seat on the board paid?"}
    board = nobody.as_(memory.api_keys.create("default", "x", ["board"]).secret)
    assert "900" in (await board("POST", "/generate", asked)).json["text"]
    for path, body in (("/generate", asked), ("/memory/context", asked), ("/query", {"find": "SECTION"})):
        assert b"900 EUR" not in (await robot("POST", path, body)).raw


# ── answers ──


async def test_an_answer_is_saved_listed_read_and_refreshed_when_its_words_moved(call, memory):
    answer_id = await saved(call)
    assert [one["answerId"] for one in (await call("GET", "/answers")).json["answers"]] == [answer_id]
    told = (await call("GET", f"/answers/{answer_id}")).json
    assert (told["status"], told["claims"][0]["state"], told["text"]) == ("current", "ok", MEAL)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 45 EUR."}))
    memory.check_answer(memory.answers(memory.people.principal("default", _owner(memory)))[0].answer_id)
    assert (await call("GET", f"/answers/{answer_id}")).json["status"] == "stale"
    fresh = await call("POST", f"/answers/{answer_id}/refresh")
    assert (fresh.status, fresh.json["outcome"]) == (201, "refreshed")
    assert fresh.headers["Location"] == f"/v1/answers/{fresh.json['answerId']}"
    old, new = [(await call("GET", f"/answers/{one}")).json for one in (answer_id, fresh.json["answerId"])]
    assert (old["status"], old["supersededBy"], old["text"]) == ("superseded", new["answerId"], MEAL)
    assert (new["status"], new["text"]) == ("current", "A meal may cost at most 45 EUR.")
    again = await call("POST", f"/answers/{answer_id}/refresh")
    assert (again.status, again.json) == (200, {"answerId": new["answerId"], "outcome": "already"})


def _owner(memory):
    return next(one.person_id for one in memory.people.all("default") if one.display_name == "Ada")


async def test_a_saved_answer_says_what_it_rests_on(call, memory):
    answer = (await call("POST", "/generate", QUESTION)).json
    answer_id = (await call("POST", "/answers", {"traceId": answer["traceId"]})).json["answerId"]
    told = (await call("GET", f"/answers/{answer_id}")).json
    coordinates = {"sourceId", "sourceVersionTx", "start", "end"}
    cited = [{name: one[name] for name in coordinates} for one in answer["claims"][0]["citations"]]
    assert (told["claims"][0]["citations"], told["planHash"]) == (cited, answer["planHash"])
    assert told["dependencies"] == {"sources": [str(source_id("travel.md"))], "clarifications": []}
    assert (told["supersedes"], told["withheld"]) == (None, False)
    assert (await call("GET", "/answers")).json["answers"] == [told]
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 45 EUR."}))
    fresh = (await call("POST", f"/answers/{answer_id}/refresh")).json["answerId"]
    assert (await call("GET", f"/answers/{fresh}")).json["supersedes"] == answer_id


async def test_of_what_a_saved_answer_rests_on_only_what_may_be_read_now_is_told(call, memory):
    asked = {"nodeId": section("travel.md", "Travel", "Meals"), "question": "A day or a meal?", "audience": ["member"]}
    question = (await call("POST", "/clarifications", asked)).json["clarificationId"]
    answer_id = await saved(call)
    told = (await call("GET", f"/answers/{answer_id}")).json
    assert (told["dependencies"]["clarifications"], told["withheld"]) == ([question], False)
    memory.documents.set_readers("default", source_id("travel.md"), ["board"])
    told = (await call("GET", f"/answers/{answer_id}")).json
    assert (told["dependencies"], told["withheld"]) == ({"sources": [], "clarifications": []}, True)
    assert [claim["citations"] for claim in told["claims"]] == [[]]


async def test_a_refresh_that_finds_nothing_keeps_the_answer(call, memory):
    answer_id = await saved(call)
    memory.remove("travel.md")
    kept = await call("POST", f"/answers/{answer_id}/refresh")
    assert (kept.status, kept.json) == (200, {"answerId": answer_id, "outcome": "kept"})


# ── watches ──


async def test_a_watch_is_made_once_read_muted_and_stopped(call, clock):
    asked = {"name": "meals", "scopeType": "entity", "scopeRefs": [section("travel.md", "Travel", "Meals")]}
    made = await call("POST", "/watches", asked)
    assert (made.status, made.json["fresh"]) == (201, True)
    watch_id = made.json["watchId"]
    again = await call("POST", "/watches", asked)
    assert (again.status, again.json) == (200, {"watchId": watch_id, "fresh": False})
    assert [one["watchId"] for one in (await call("GET", "/watches")).json["watches"]] == [watch_id]
    until = clock.now() + 1_000_000
    muted = await call("PATCH", f"/watches/{watch_id}", {"mutedUntil": until})
    assert (muted.json["mutedUntil"], (await call("GET", f"/watches/{watch_id}")).json["mutedUntil"]) == (until, until)
    seconds = await call("PATCH", f"/watches/{watch_id}", {"mutedUntil": until // 1_000_000})
    assert (seconds.code, [one["pointer"] for one in seconds.json["errors"]]) == ("INVALID_REQUEST", ["/mutedUntil"])
    assert all(words in seconds.json["detail"] for words in ("microseconds", "0 unmutes"))
    assert (await call("PATCH", f"/watches/{watch_id}", {"mutedUntil": 0})).json["mutedUntil"] == 0
    assert [(await call("DELETE", f"/watches/{watch_id}")).status for _ in ("it", "again")] == [204, 204]
    assert (await call("GET", f"/watches/{watch_id}")).code == "NOT_FOUND"
    assert (await call("GET", "/watches")).json == {"watches": [], "nextCursor": None}


async def test_fires_say_what_was_heard_and_for_whom(call, memory, ada):
    asked = {"name": "all", "scopeType": "label", "scopeRefs": ["SECTION"], "debounceSecs": 0}
    watch_id = (await call("POST", "/watches", asked)).json["watchId"]
    memory.sweep()
    put(
        memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 45 EUR.", "Hotels": "A night: 120 EUR."})
    )
    memory.sweep()
    told = (await call("GET", f"/watches/{watch_id}/fires")).json
    [fire] = told["fires"]
    assert told["nextCursor"] is None
    assert {event["kind"] for event in fire["events"]} == {"fact_changed"}
    assert section("travel.md", "Travel", "Meals") in {event["changedRefId"] for event in fire["events"]}


async def test_a_watch_may_be_on_a_query(call):
    query = json.dumps({"find": "SECTION", "where": [{"prop": "title", "op": "eq", "value": "Meals"}]})
    made = await call("POST", "/watches", {"name": "q", "scopeType": "query", "scopeRefs": [query]})
    told = (await call("GET", f"/watches/{made.json['watchId']}")).json
    assert (told["scopeType"], json.loads(told["scopeRefs"][0])["find"]) == ("query", "SECTION")
    assert len(told["resultFingerprint"]) == 16


async def test_saved_answers_are_watched_by_saving_and_in_no_other_way(call, robot):
    answer_id = await saved(call)
    for scope in ("answer", "channel"):
        asked = {"name": "x", "scopeType": scope, "scopeRefs": [answer_id]}
        assert (await call("POST", "/watches", asked)).code == "INVALID_REQUEST"
    internal = {"kind": "internal", "job_kind": "check:answer"}
    asked = {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"], "target": internal}
    assert (await call("POST", "/watches", asked)).code == "INVALID_REQUEST"


async def test_others_are_told_by_a_steward_alone(call, nobody, memory, bob):
    asked = {
        "name": "x",
        "scopeType": "label",
        "scopeRefs": ["SECTION"],
        "target": {"kind": "chat_person", "personId": str(bob.person_id)},
    }
    assert (await call("POST", "/watches", asked)).code == "INVALID_REQUEST"
    memory.people.put("default", "Ada", roles=["member", "steward"])
    assert (await call("POST", "/watches", asked)).status == 201


# ── documents ──


async def test_a_document_is_put_changed_and_taken_away(admin, call):
    name = "/sources/handbook%2Fdogs%20%26%20cats.md?readers=member&readers=board"
    sent = {"data": b"# Pets\n\nDogs are allowed.\n", "headers": {"Content-Type": "text/markdown"}}
    made = await admin("PUT", name, **sent)
    assert (made.status, made.json["outcome"]) == (201, "new")
    assert ((await admin("PUT", name, **sent)).status, (await admin("PUT", name, **sent)).json["outcome"]) == (
        200,
        "unchanged",
    )
    sent["data"] = b"# Pets\n\nCats are allowed.\n"
    changed = await admin("PUT", name, **sent)
    assert (changed.json["outcome"], changed.json["sourceId"]) == ("changed", made.json["sourceId"])
    listed = {one["uri"]: one for one in (await admin("GET", "/sources")).json["sources"]}
    assert listed["handbook/dogs & cats.md"]["readers"] == ["board", "member"]
    assert [(await admin("DELETE", name.partition("?")[0])).status for _ in ("it", "again")] == [204, 204]
    assert "handbook/dogs & cats.md" not in str((await call("GET", "/sources")).json)


async def test_several_readers_are_named_one_by_one(admin):
    sent = {"data": b"# Pets\n\nDogs.\n", "headers": {"Content-Type": "text/markdown"}}
    heard = await admin("PUT", "/sources/pets.md?readers=board&readers=member,steward", **sent)
    assert (heard.status, heard.code) == (422, "INVALID_REQUEST")
    assert [one["pointer"] for one in heard.json["errors"]] == ["/readers/1"]
    assert "repeat readers=" in heard.json["detail"]


async def test_a_person_is_a_reader_however_their_id_is_written(admin, call, ada):
    sent = {"data": b"# Pets\n\nDogs.\n", "headers": {"Content-Type": "text/markdown"}}
    for written in (str(ada.person_id).upper(), f"{{{ada.person_id}}}", ada.person_id.hex):
        assert (
            await admin("PUT", f"/sources/{written}.md", params={"readers": f"person:{written}"}, **sent)
        ).status == 201
    listed = {one["uri"]: one for one in (await admin("GET", "/sources")).json["sources"]}
    assert listed[f"{ada.person_id.hex}.md"]["readers"] == [f"person:{ada.person_id}"]
    assert len((await call("GET", "/sources")).json["sources"]) == 1 + 3


async def test_what_an_admins_key_writes_and_takes_away_is_audited_without_words(admin, memory):
    name, sent = "/sources/pets.md?readers=everyone", {"headers": {"Content-Type": "text/markdown"}}
    for text in (b"# Pets\n\nDogs.\n", b"# Pets\n\nDogs.\n", b"# Pets\n\nCats.\n"):
        await admin("PUT", name, data=text, **sent)
    await admin("DELETE", "/sources/pets.md")
    put(memory, "travel.md", page("Travel", {"Meals": "By a sync."}))
    told = [row for row in audited(memory) if row.action.startswith("source_")]
    assert Counter((row.action, row.detail.get("outcome")) for row in told) == {
        ("source_put", "new"): 1,
        ("source_put", "changed"): 1,
        ("source_removed", None): 1,
    }
    assert {row.target for row in told} == {f"source:{source_id('pets.md')}"}
    assert {row.actor.partition(":")[0] for row in told} == {"person"}
    assert "pets.md" not in str([(row.target, row.detail) for row in told])


async def test_an_earlier_version_of_what_stands_is_no_new_document(admin, clock):
    before = clock.now() - 10_000_000
    sent = {"data": b"# Travel\n\nEarlier words.\n", "headers": {"Content-Type": "text/markdown"}}
    told = await admin("PUT", f"/sources/travel.md?readers=everyone&validStart={before}", **sent)
    assert (told.status, told.json["outcome"], told.json["sourceId"]) == (200, "changed", str(source_id("travel.md")))


async def test_its_media_type_decides_how_a_document_is_read(admin, memory):
    table = b"city,allowance\nOslo,90\n"
    for media_type, name in (("text/csv; charset=utf-8", "a"), ("application/octet-stream", "b.csv")):
        await admin("PUT", f"/sources/{name}?readers=everyone", data=table, headers={"Content-Type": media_type})
    items = (await admin("POST", "/memory/context", {"question": "allowance in Oslo"})).json["items"]
    assert [item["text"] for item in items].count("Oslo,90") == 2


async def test_only_an_admins_key_writes_and_for_any_other_there_is_nothing(call, robot, memory):
    for caller in (call, robot):
        for name in ("travel.md", "never.md"):
            sent = await caller(
                "PUT", f"/sources/{name}?readers=everyone", data=b"x", headers={"Content-Type": "text/plain"}
            )
            assert sent.code == (await caller("DELETE", f"/sources/{name}")).code == "NOT_FOUND"
    assert len(memory.documents.standing("default")) == 2


async def test_sources_are_listed_to_whoever_may_read_them_without_who_else_may(robot, admin):
    [mine] = (await robot("GET", "/sources")).json["sources"]
    assert (mine["uri"], "readers" in mine) == ("travel.md", False)
    assert [one["uri"] for one in (await admin("GET", "/sources")).json["sources"]] == ["board.md", "travel.md"]


# ── clarifications ──


async def test_a_question_is_opened_listed_voted_on_and_bound(call, robot):
    asked = {
        "nodeId": section("travel.md", "Travel", "Meals"),
        "question": "Per day or per meal?",
        "audience": ["member"],
        "options": ["Per day", "Per meal"],
    }
    made = await robot("POST", "/clarifications", asked)
    one = made.json["clarificationId"]
    assert (made.status, made.headers["Location"]) == (201, f"/v1/clarifications/{one}")
    assert ((await robot("POST", "/clarifications", asked)).status) == 200
    [listed] = (await call("GET", "/clarifications")).json["clarifications"]
    assert (listed["clarificationId"], [option["value"] for option in listed["options"]]) == (
        one,
        ["Per day", "Per meal"],
    )
    context = (await call("POST", "/memory/context", QUESTION)).json
    assert context["openQuestions"] == [
        {"clarificationId": one, "state": "pending", "question": "Per day or per meal?"}
    ]
    assert one in {item["pendingClarification"] for item in context["items"]}
    voted = await call("POST", f"/clarifications/{one}/votes", {"choice": listed["options"][1]["number"]})
    assert voted.json == {"state": "bound", "counted": True}
    again = await call("POST", f"/clarifications/{one}/votes", {"choice": listed["options"][1]["number"]})
    assert again.json == {"state": "bound", "counted": False}
    assert (await robot("GET", f"/clarifications/{one}")).json["chosen"] == "Per meal"


async def test_a_steward_settles_a_question_and_to_others_there_is_none_to_settle(call, robot, nobody, memory, admin):
    asked = {
        "nodeId": section("travel.md", "Travel", "Meals"),
        "question": "Per day or per meal?",
        "audience": ["member"],
        "options": ["Per day", "Per meal"],
    }
    one = (await robot("POST", "/clarifications", asked)).json["clarificationId"]
    steward = nobody.as_(key(memory, "steward", "member"))
    acts = (("conflict", None), ("override", {"choice": 1}))
    for caller in (call, robot, admin):
        for act, body in acts:
            here, there = [await caller("POST", f"/clarifications/{at}/{act}", body) for at in (one, random_id())]
            assert (here.status, here.raw) == (there.status, there.raw)
            assert here.code == "NOT_FOUND"
    told = [await steward("POST", f"/clarifications/{one}/{act}", body) for act, body in acts for _ in ("it", "again")]
    assert [heard.json for heard in told] == [
        *2 * [{"clarificationId": one, "state": "conflicted"}],
        *2 * [{"clarificationId": one, "state": "bound"}],
    ]
    stands = (await robot("GET", f"/clarifications/{one}")).json
    assert (stands["state"], stands["chosen"]) == ("bound", "Per meal")
    assert stands["settledBy"].startswith("key:")
    assert (await steward("POST", f"/clarifications/{one}/conflict")).code == "INVALID_REQUEST"
    assert (await steward("POST", f"/clarifications/{one}/override", {"choice": 2})).code == "INVALID_REQUEST"
    trail = Counter(row.action for row in audited(memory) if row.action.startswith("clarification_"))
    assert trail == {"clarification_open": 1, "clarification_conflict": 1, "clarification_override": 1}


# ── keys of nobody ──


async def test_a_key_of_nobody_is_told_that_it_owns_nothing_whatever_is_there(robot, call):
    ids = [await saved(call), str(random_id())]
    watch = {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"]}
    heard = [
        await robot("POST", "/answers", {"traceId": ids[0]}),
        await robot("GET", "/answers"),
        await robot("GET", "/watches"),
        await robot("POST", "/watches", watch),
        *[await robot("GET", f"/answers/{one}") for one in ids],
        *[await robot("POST", f"/answers/{one}/refresh") for one in ids],
        *[await robot("DELETE", f"/watches/{one}") for one in ids],
        *[await robot("POST", f"/clarifications/{one}/votes", {"choice": None}) for one in ids],
    ]
    assert {(one.status, one.code) for one in heard} == {(403, "PERSON_REQUIRED")}
