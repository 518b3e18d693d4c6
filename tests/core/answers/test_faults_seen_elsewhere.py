"""Faults of other memory systems that saved answers must not have, histories, diffs, and the periodic check."""

from uuid import UUID

import pytest

from core.answers.status import AnswerStatus
from core.clock import DAY, HOUR
from core.errors import NotFound, StoreUnavailable
from core.ids import random_id
from core.jobs.kinds import Audience, JobKind
from core.store.tables import Job, WatchFire
from tests.support.embedders import MeddlingEmbedder
from tests.support.meals import MORE, SAID, ask, travel
from tests.support.memories import add_person, page, put, rows, source_id, without_table


def save(memory, principal):
    return memory.save_answer(ask(memory, principal).trace_id, principal)


@pytest.fixture
def saved(memory, ada):
    put(memory, "travel.md", travel())
    return save(memory, ada)


def stale_events(memory):
    return [e for fire in rows(memory, WatchFire) for e in fire.events if e["kind"] == "answer_stale"]


def check_jobs(memory):
    return [job for job in rows(memory, Job) if job.kind == JobKind.CHECK_ANSWER]


def move(memory, data):
    """A new version, some time later."""
    memory.clock.advance(HOUR)
    return put(memory, "travel.md", data)


def dies():
    raise SystemExit


# ── faults seen elsewhere ──


def test_fault_3_an_answer_refreshed_in_the_tick_of_a_sweep_is_judged_by_tx_and_not_by_a_clock(memory, ada, saved):
    """Everything at one moment of the clock: the change, a sweep, the refresh, and the checks that the sweep caused."""
    memory.sweep()
    memory.ingest("travel.md", travel(meals=MORE), readers=["everyone"])
    memory.sweep()
    new = memory.refresh_answer(saved, ada).answer_id
    memory.sweep()
    for job in check_jobs(memory):
        memory.check_answer(UUID(job.payload["answer_id"]))
    assert (memory.answer(saved, ada).status, memory.answer(new, ada).status) == ("superseded", "current")
    assert stale_events(memory) == []


@pytest.mark.parametrize("meddle", [dies, lambda: 1 / 0], ids=["the process ends", "the model fails"])
def test_fault_4_a_failed_refresh_may_be_followed_by_checks_and_sweeps_as_if_it_had_not_been(
    memory, reopen, ada, saved, meddle
):
    move(memory, travel(meals=MORE))
    embedder = MeddlingEmbedder()
    again = reopen(embedder=embedder)
    embedder.meddle = meddle
    with pytest.raises((SystemExit, ZeroDivisionError)):
        again.refresh_answer(saved, ada)
    memory.sweep()
    assert memory.check_answer(saved).after == AnswerStatus.STALE
    assert (memory.answer(saved, ada).text, len(stale_events(memory))) == (SAID, 1)


def test_fault_5_erasing_the_only_evidence_invalidates_at_once_and_tells(memory, ada, saved):
    """No sweep and no check is needed: an erasure raises no watermark that one could miss."""
    memory.sweep()
    memory.erase(source_id("travel.md"), "asked for")
    answer = memory.answer(saved, ada)
    assert (answer.status, len(stale_events(memory))) == (AnswerStatus.INVALIDATED, 1)
    memory.sweep()
    assert memory.check_answer(saved).changed_claims == ()
    refreshed = memory.refresh_answer(saved, ada)
    assert (refreshed.answer, refreshed.answer_id) == (None, saved)
    assert len(stale_events(memory)) == 1


def test_fault_10_a_refreshed_answer_cites_nothing_that_was_removed(memory, ada, saved):
    put(memory, "old.md", page("Old travel", {"Meals": "Meals cost at most 30 EUR a day."}))
    move(memory, travel(meals=MORE))
    memory.remove("old.md")
    new = memory.refresh_answer(saved, ada).answer
    cited = {passage.span.source_id for claim in new.claims for passage in claim.citations}
    assert cited == {source_id("travel.md")}


def test_fault_13_lost_rights_refuse_a_refresh_without_naming_a_title(memory):
    ada = add_person(memory, "Ada", ["sales"])
    put(memory, "travel.md", travel(), ["sales"])
    answer_id = save(memory, ada)
    put(memory, "travel.md", travel(), ["legal"])
    refreshed = memory.refresh_answer(answer_id, ada)
    assert (refreshed.answer, refreshed.answer_id) == (None, answer_id)
    assert memory.check_answer(answer_id).after == AnswerStatus.INVALIDATED


def test_fault_17_a_sweep_that_fails_keeps_its_place_and_checks_once(memory, ada, saved):
    memory.sweep()
    move(memory, travel(meals=MORE))
    before = len(check_jobs(memory))
    with without_table(memory, "watch_fire"), pytest.raises(StoreUnavailable):
        memory.sweep()
    memory.sweep()
    memory.sweep()
    assert len(check_jobs(memory)) == before + 1


def test_fault_21_a_check_finds_the_same_in_whatever_order_documents_came(memory, reopen, ada):
    found = []
    for number, order in enumerate((("a", "b", "c"), ("c", "a", "b"))):
        for name in order:
            put(memory, f"{number}{name}.md", page(name, {"Meals": f"Meals of {name}{number} cost 40 EUR."}))
        answer = memory.generate(f"How much do meals of b{number} cost?", ada)
        answer_id = memory.save_answer(answer.trace_id, ada)
        put(memory, f"{number}b.md", page("b", {"Meals": f"Meals of b{number} cost 45 EUR."}))
        memory.check_answer(answer_id)
        saved = memory.answer(answer_id, ada)
        states = [
            (c.state, c.severity, c.after.replace(f"b{number}", "b")) for c in saved.claims if f"b{number}" in c.text
        ]
        found.append((saved.status == "current", states))
    assert found[0] == found[1]
    assert found[0][1] == [("affected", "material", "Meals of b cost 45 EUR.")]


# ── history, diffs, and the periodic check ──


def test_there_and_back_is_read_from_the_history_with_what_each_version_changed(memory, ada, saved):
    for data in (travel(meals=MORE), travel()):
        move(memory, data)
        memory.check_answer(saved)
    moves = memory.answer_history(saved, ada)
    assert [(m.status, m.severity, m.changed_claims) for m in moves] == [
        ("current", None, ()),
        ("stale", "material", (0,)),
        ("current", None, (0,)),
    ]
    assert [move.version_tx for move in moves] == sorted({move.version_tx for move in moves})
    new = memory.refresh_answer(saved, ada).answer_id
    assert [move.status for move in memory.answer_history(saved, ada)] == ["current", "stale", "current", "superseded"]
    assert [move.status for move in memory.answer_history(new, ada)] == ["current"]


def test_nobody_reads_the_history_of_anothers_answer_or_of_none(memory, bob, ada, saved):
    for person, answer_id in ((bob, saved), (ada, random_id())):
        with pytest.raises(NotFound):
            memory.answer_history(answer_id, person)


def test_however_often_an_answer_is_checked_one_periodic_check_lies_ahead(memory, ada, saved):
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10):
        memory.check_answer(saved)
        memory.jobs.complete(job)
    for _ in range(40):
        memory.clock.advance(HOUR * 11)
        for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10):
            memory.check_answer(saved)
            memory.jobs.complete(job)
        memory.check_answer(saved)
        (ahead,) = [job for job in check_jobs(memory) if job.state == "ready"]
        assert memory.clock.now() < ahead.not_before <= memory.clock.now() + 7 * DAY


def test_two_claims_move_apart_and_each_shows_its_own_words(memory, ada):
    on_trains = "On trains meals cost at most 12 EUR a day."
    put(memory, "travel.md", travel())
    put(memory, "trains.md", page("Trains", {"Meals": on_trains}))
    answer = ask(memory, ada)
    assert {claim.text for claim in answer.claims} == {SAID, on_trains}
    saved = memory.save_answer(answer.trace_id, ada)
    put(memory, "trains.md", page("Trains", {"Meals": on_trains.replace("12", "14")}))
    assert memory.check_answer(saved).after == AnswerStatus.PARTIALLY_STALE
    shown = {claim.text: (claim.state, claim.after) for claim in memory.answer(saved, ada).claims}
    assert shown == {SAID: ("ok", ""), on_trains: ("affected", on_trains.replace("12", "14"))}


def test_without_a_model_the_words_that_took_the_place_are_shown_all_the_same(memory, reopen, ada, saved):
    move(memory, travel(meals=MORE))
    reopen(embedder=None).check_answer(saved)
    (claim,) = memory.answer(saved, ada).claims
    assert (claim.after, claim.caveat) == (MORE, "verification:unavailable")


def test_another_page_that_says_the_same_of_something_else_clears_nothing(memory, ada):
    put(memory, "berlin.md", page("Berlin office", {"Hours": "The office opens at nine."}))
    put(memory, "munich.md", page("Munich office", {"Hours": "The office opens at nine."}))
    span = memory.generate("When does the office in Berlin open?", ada).claims[0].citations[0].span
    answer = memory.quote("When does it open?", span, ada)
    saved = memory.save_answer(answer.trace_id, ada)
    uri = next(view.uri for view in memory.documents.standing("default") if view.source_id == span.source_id)
    memory.clock.advance(HOUR)
    put(memory, uri, page("Berlin", {"Parking": "There is a garage."}))
    assert memory.check_answer(saved).after == AnswerStatus.STALE


def test_the_same_words_on_a_page_of_the_same_matter_clear(memory, ada, saved):
    put(memory, "meals.md", page("Meals", {"Travel": SAID}))
    move(memory, page("Travel", {"Hotels": "Hotels are booked by the office."}))
    assert memory.check_answer(saved).after == AnswerStatus.CURRENT
