"""The planner's evidence without an answer: one planner, two surfaces."""

import json

import pytest

from core.clock import DAY, SECOND
from core.context.views import INCLUDE
from core.errors import InsufficientEvidence, InvalidRequest, NotFound
from core.graph.records import Record
from core.ids import derived
from core.model.spans import SpanRef
from core.planner.request import PlanRequest
from core.store.tables import Person, Trace
from tests.support.memories import NOW, add_person, change_row, last_tx, page, put, rows

QUESTION = "What may a meal cost at most?"
MEALS = page("Travel", {"Meals": "A meal may cost at most 40 EUR.", "Trains": "Trains are booked by the office."})


def ask(memory, who, **request):
    return memory.context(PlanRequest(question=QUESTION, **request), who)


def traces(memory, kind):
    return [trace for trace in rows(memory, Trace) if trace.kind == kind]


def test_context_and_generate_plan_the_same_for_the_same_question(memory, ada):
    for n in range(30):
        put(memory, f"page-{n}.md", page(f"Page {n}", {"Meals": f"A meal of kind {n} may cost at most {n} EUR."}))
    context, answer = ask(memory, ada), memory.generate(QUESTION, ada)
    assert context.plan.plan_hash == answer.plan_hash == memory.plan(PlanRequest(question=QUESTION), ada).plan_hash
    assert [item.span for item in context.items] == [span.span for span in context.plan.spans]


def test_the_json_is_the_seeds(memory, ada):
    put(memory, "travel.md", MEALS, valid_start=NOW - 7 * DAY)
    found = ask(memory, ada, budget_tokens=2000).to_json()
    [item] = [item for item in found["items"] if "40 EUR" in item["text"]]
    assert item == {
        "text": "A meal may cost at most 40 EUR.",
        "source": item["source"] | {"name": "Travel"},
        "score": item["score"],
        "validTime": {"start": "2026-09-14T14:13:20Z"},
        "pendingClarification": None,
    }
    assert list(item["source"]) == ["sourceId", "sourceVersionTx", "start", "end", "name"]
    assert found["openQuestions"] == []
    assert list(found["stats"]) == ["legs", "candidates", "dedupDropped", "capSkipped", "budget", "spans"]
    assert found["stats"]["budget"]["requested"] == 2000
    assert json.loads(json.dumps(found)) == found
    assert "summary" not in found


def test_an_item_says_how_long_its_words_held(memory, ada, clock):
    put(memory, "travel.md", MEALS, valid_start=NOW - 7 * DAY)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR."}), valid_start=NOW - DAY)
    before = ask(memory, ada, valid_time=NOW - 2 * DAY).to_json()
    [item] = [item for item in before["items"] if "40 EUR" in item["text"]]
    assert item["validTime"] == {"start": "2026-09-14T14:13:20Z", "end": "2026-09-20T14:13:20Z"}


@pytest.mark.parametrize("name", INCLUDE)
def test_what_is_not_included_is_left_out(memory, ada, name):
    put(memory, "travel.md", MEALS)
    found = ask(memory, ada).to_json(include=set(INCLUDE) - {name})
    assert ("score" in found["items"][0]) == (name != "scores")
    assert ("openQuestions" in found, "stats" in found) == (name != "openQuestions", name != "stats")


def test_an_include_that_there_is_not_is_named(memory, ada):
    put(memory, "travel.md", MEALS)
    with pytest.raises(InvalidRequest, match="'summary'"):
        ask(memory, ada).to_json(include=["summary"])


class TestCeilings:
    @pytest.fixture
    def small(self, reopen):
        memory = reopen(context={"max_tokens_ceiling": 50, "max_spans_ceiling": 2})
        for n in range(9):
            put(memory, f"{n}.md", page(f"Page {n}", {"Meals": f"A meal of kind {n} may cost at most {n} EUR."}))
        return memory

    @pytest.mark.parametrize("asked", [{}, {"budget_tokens": 9000, "max_spans": 900}])
    def test_hold_and_are_told(self, small, asked):
        found = ask(small, add_person(small, "Ada"), **asked)
        assert len(found.items) == 2
        assert sum(span.tokens for span in found.plan.spans) <= 50
        stats = found.stats()
        assert stats["spans"] == {"requested": asked.get("max_spans", 2), "applied": 2}
        assert stats["budget"]["applied"] <= 50
        assert stats["budget"]["requested"] == asked.get("budget_tokens", stats["budget"]["applied"])

    def test_what_is_below_them_stays(self, small):
        found = ask(small, add_person(small, "Ada"), max_spans=1)
        assert (len(found.items), found.stats()["spans"]) == (1, {"requested": 1, "applied": 1})


def test_the_trace_holds_coordinates_and_numbers_and_no_words(memory, ada):
    put(memory, "travel.md", MEALS)
    found = ask(memory, ada)
    [trace] = traces(memory, "context")
    assert (trace.trace_id, trace.person_id) == (found.trace_id, ada.person_id)
    assert trace.body["planHash"] == found.plan.plan_hash
    assert len(trace.body["items"]) == len(found.items)
    assert trace.body["requestHash"].startswith("b3:")
    assert not {"meal", "Meals", "EUR", "cost"} & set(json.dumps(trace.body).replace('"', " ").split())


def test_equal_requests_have_equal_hashes_and_others_have_not(memory, ada):
    put(memory, "travel.md", MEALS)
    ask(memory, ada)
    ask(memory, ada)
    ask(memory, ada, max_spans=3)
    hashes = [trace.body["requestHash"] for trace in traces(memory, "context")]
    assert len(set(hashes)) == 2


def test_without_evidence_it_says_so_and_leaves_no_trace(memory, ada):
    with pytest.raises(InsufficientEvidence):
        ask(memory, ada)
    assert traces(memory, "context") == []


def test_one_who_is_erased_while_evidence_is_sought_leaves_no_hash_of_their_words(memory, ada, monkeypatch):
    put(memory, "travel.md", MEALS)
    plan = memory._engines.planner.plan

    def erased_meanwhile(tx, request, principal, now):
        planned = plan(tx, request, principal, now)
        change_row(memory, Person, ("default", ada.person_id), active=False)
        return planned

    monkeypatch.setattr(memory._engines.planner, "plan", erased_meanwhile)
    with pytest.raises(NotFound):
        ask(memory, ada)
    assert traces(memory, "context") == []


def test_two_people_with_different_rights_see_each_their_own(memory):
    board, other = add_person(memory, "Ada", roles=("board",)), add_person(memory, "Bob")
    put(memory, "open.md", page("Open", {"Meals": "A meal may cost at most 40 EUR."}))
    put(memory, "board.md", page("Board", {"Meals": "A meal of the board may cost at most 90 EUR."}), readers=["board"])
    texts = {who: {item.text for item in ask(memory, who).items} for who in (board, other)}
    assert any("90 EUR" in text for text in texts[board])
    assert not any("board" in text.lower() for text in texts[other])


def test_what_is_in_question_is_told_beside_its_words(memory, ada):
    disputed = derived("record", "limit")
    for uri, amount in (("a.md", 40), ("b.md", 55)):
        result = put(memory, uri, f"A meal may cost at most {amount} EUR.\n".encode())
        span = SpanRef(result.source_id, result.version_tx, 0, 31)
        recorded = memory.put_node(Record(disputed, "LIMIT", {"amount": amount}, provenance=[span]))
    [clarification_id] = recorded.in_question
    found = ask(memory, ada).to_json()
    assert found["openQuestions"] == [
        {
            "clarificationId": str(clarification_id),
            "state": "pending",
            "question": "Sources disagree on “amount” of this limit. Which is right?",
        }
    ]
    pending = [item["pendingClarification"] for item in found["items"] if "EUR" in item["text"]]
    assert pending == [str(clarification_id)] * 2


def test_calls_are_counted(memory, ada):
    put(memory, "travel.md", MEALS)
    found = ask(memory, ada)

    def counted(name):
        return memory.metrics.registry.get_sample_value(name)

    assert counted("context_calls_total") == counted("context_trace_writes_total") == 1
    assert counted("context_planner_ms_count") == 1
    assert counted("context_tokens_packed_total") == found.plan.used > 0


def test_coordinates_of_another_time_plan_what_was_so_then(memory, ada, clock):
    put(memory, "travel.md", MEALS)
    then, tx = clock.now() - SECOND, last_tx(memory)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 55 EUR."}))
    texts = {item.text for item in ask(memory, ada, valid_time=then, tx_time=tx).items}
    assert "A meal may cost at most 40 EUR." in texts
    assert not any("55" in text for text in texts)
