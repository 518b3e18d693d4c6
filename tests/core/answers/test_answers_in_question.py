"""Saved answers whose words were in question when they were made: rule 3 over the life of a clarification."""

import pytest

from core.answers.recheck import DECIDED
from core.clock import HOUR, SECOND
from core.graph.records import Record
from core.ids import derived
from core.jobs.kinds import Audience, JobKind
from core.model.spans import SpanRef
from core.store import clarifications
from core.store.tables import Trace, Watch, WatchFire
from tests.support.memories import change_row, page, put, rows

SAID = "Meals cost at most 40 EUR a day."
MORE = "Meals cost at most 45 EUR a day."
PRICE, OTHER = derived("clarification", "price"), derived("clarification", "other")


def decide(memory, state, one=PRICE):
    """Let a clarification stand so, as its own engine writes it."""
    body = {
        "question": "Which is right?",
        "options": [{"value": 40}, {"value": 45}],
        "audience": ["steward"],
        "votes": {},
        "state": state,
    }
    change = {"pending": "clarification_opened"}.get(state, f"clarification_{state}")
    with memory._database.write("default") as tx:
        tx.lock()
        clarifications.write(tx, one, derived("node", one), body, change)
    memory.clock.advance(SECOND)


def save(memory, ada, *asked):
    """An answer whose claim was made while these questions were open."""
    answer = memory.generate("How much do meals cost a day?", ada)
    (trace,) = [row for row in rows(memory, Trace) if row.trace_id == answer.trace_id]
    claims = [{**claim, "clarifications": [str(one) for one in asked]} for claim in trace.body["claims"]]
    change_row(memory, Trace, ("default", answer.trace_id), body={**trace.body, "claims": claims})
    return memory.save_answer(answer.trace_id, ada)


@pytest.fixture
def travel(memory):
    put(memory, "travel.md", page("Travel", {"Meals": SAID}))
    decide(memory, "pending")


@pytest.fixture
def saved(memory, ada, travel):
    return save(memory, ada, PRICE)


def told(memory):
    return len([e for fire in rows(memory, WatchFire) for e in fire.events if e["kind"] == "answer_stale"])


def test_an_answer_saved_while_its_question_is_open_waits_for_it_from_the_first(memory, ada, saved):
    assert memory.answer(saved, ada).status == "pending"
    assert memory.check_answer(saved).changed_claims == ()
    assert (memory.answer(saved, ada).status, told(memory)) == ("pending", 0)


def test_a_conflicted_question_makes_the_answer_conflicted_and_tells(memory, ada, saved):
    decide(memory, "conflicted")
    assert memory.check_answer(saved).after == "conflicted"
    assert told(memory) == 1


def test_a_decided_question_affects_the_claim_though_its_words_stand_and_tells(memory, ada, saved):
    decide(memory, "bound")
    assert memory.check_answer(saved).after == "stale"
    (claim,) = memory.answer(saved, ada).claims
    assert (claim.state, claim.caveat, claim.severity) == ("affected", DECIDED, None)
    assert told(memory) == 1
    memory.check_answer(saved)
    assert told(memory) == 1


def test_of_two_questions_the_one_that_is_open_still_counts(memory, ada, travel):
    decide(memory, "pending", OTHER)
    answer_id = save(memory, ada, PRICE, OTHER)
    decide(memory, "bound")
    assert memory.check_answer(answer_id).after == "pending"
    decide(memory, "bound", OTHER)
    assert memory.check_answer(answer_id).after == "stale"


def test_a_question_opened_again_is_waited_for_again(memory, ada, saved):
    for state, status in (("bound", "stale"), ("pending", "pending"), ("conflicted", "conflicted")):
        decide(memory, state)
        assert memory.check_answer(saved).after == status


def test_other_words_are_affected_whatever_becomes_of_the_question(memory, ada, saved):
    put(memory, "travel.md", page("Travel", {"Meals": MORE}))
    assert memory.check_answer(saved).after == "stale"
    assert memory.answer(saved, ada).claims[0].after == MORE
    decide(memory, "conflicted")
    assert memory.check_answer(saved).after == "stale"


def test_words_that_say_the_same_are_as_much_in_question_as_before(memory, ada, saved):
    put(memory, "travel.md", page("Travel", {"Meals": "As everywhere, meals cost at most 40 EUR a day."}))
    assert memory.check_answer(saved).after == "pending"


def test_a_removed_source_goes_before_its_question(memory, ada, saved):
    memory.clock.advance(HOUR)
    memory.remove("travel.md")
    assert memory.check_answer(saved).after == "invalidated"


def test_an_answer_saved_after_the_decision_is_told_of_it(memory, ada, travel):
    decide(memory, "bound")
    answer_id = save(memory, ada, PRICE)
    assert memory.answer(answer_id, ada).status == "pending"
    assert (memory.check_answer(answer_id).after, told(memory)) == ("stale", 1)


def test_a_question_that_is_gone_leaves_the_claim_affected(memory, ada, travel):
    answer_id = save(memory, ada, OTHER)
    assert memory.check_answer(answer_id).after == "stale"


def test_an_answer_depends_on_its_sources_and_its_questions_and_is_checked_when_either_moves(memory, ada, saved):
    put(memory, "parking.md", page("Parking", {"Garage": "Parking in the garage is free."}))
    save(memory, ada, OTHER)
    scopes = {(watch.scope_type, *watch.scope_refs) for watch in rows(memory, Watch)}
    assert ("clarification", str(PRICE)) in scopes
    memory.sweep()
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10):
        memory.jobs.complete(job)
    decide(memory, "bound")
    memory.sweep()
    due = memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10)
    assert [job.payload["answer_id"] for job in due] == [str(saved)]


def test_a_refreshed_answer_waits_no_more_and_its_watches_end(memory, ada, saved):
    decide(memory, "bound")
    memory.check_answer(saved)
    new = memory.refresh_answer(saved, ada).answer_id
    assert (memory.answer(saved, ada).status, memory.answer(new, ada).status) == ("superseded", "current")
    assert [w.scope_type for w in rows(memory, Watch) if w.enabled and w.target["kind"] == "internal"] == ["source"]


def test_an_answer_to_what_sources_disagree_on_waits_and_hears_of_the_decision(memory, ada):
    """All of it as people meet it: two pages name two prices, somebody saves an answer, and the pages come to agree."""
    for uri, words, price in (("a.md", SAID, 40), ("b.md", MORE, 45)):
        put(memory, uri, page("Travel", {"Meals": words}))
        memory.put_node(Record(PRICE, "LIMIT", {"price": price}, provenance=[place(memory, uri, words)]))
    memory.sweep()
    answer = memory.generate("How much do meals cost a day?", ada)
    answer_id = memory.save_answer(answer.trace_id, ada)
    assert memory.check_answer(answer_id).after == "pending"
    put(memory, "b.md", page("Travel", {"Meals": SAID}))
    memory.put_node(Record(PRICE, "LIMIT", {"price": 40}, provenance=[place(memory, "b.md", SAID)]))
    memory.sweep()
    due = memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10)
    assert {job.payload["answer_id"] for job in due} == {str(answer_id)}
    after = memory.check_answer(answer_id).after
    assert (after in {"stale", "partially_stale"}, told(memory)) == (True, 1)


def place(memory, uri, words):
    view = next(view for view in memory.documents.standing("default") if view.uri == uri)
    start = page("Travel", {"Meals": words}).index(words.encode())
    return SpanRef(view.source_id, view.version_tx, start, start + len(words.encode()))
