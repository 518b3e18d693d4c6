"""Saved answers over the life of their evidence: judged again, told once, superseded and never changed in place."""

import pytest

from core.answers.status import AnswerStatus
from core.clock import HOUR, MINUTE, SECOND, ManualClock
from core.errors import InvalidRequest, NotFound, StoreUnavailable
from core.jobs.kinds import Audience, JobKind
from core.model.answers import Refreshed
from core.model.nodes import SAVED_ANSWER, SUPERSEDES
from core.model.watching import Suspension, TargetKind
from core.planner.request import PlanRequest
from core.store.tables import EdgeVersion, Job, LastShown, NodeVersion, SweepCheckpoint, Watch, WatchFire
from tests.support.deliveries import Worker
from tests.support.embedders import MeddlingEmbedder, MeetingEmbedder
from tests.support.meals import MORE, QUESTION, SAID, ask, travel
from tests.support.memories import add_person, open_memory, page, put, rows, without_table
from tests.support.threads import at_once


def save(memory, principal):
    return memory.save_answer(ask(memory, principal).trace_id, principal)


@pytest.fixture
def saved(memory, ada):
    put(memory, "travel.md", travel())
    return save(memory, ada)


def versions(memory):
    return [row for row in rows(memory, NodeVersion) if row.label == SAVED_ANSWER]


def history(memory, answer_id):
    """Every status the answer had, in order."""
    mine = sorted((row for row in versions(memory) if row.node_id == answer_id), key=lambda row: row.tx_start)
    return [row.props["status"] for row in mine if row.valid_start == row.tx_start or row is mine[0]]


def stale_events(memory):
    return [e for fire in rows(memory, WatchFire) for e in fire.events if e["kind"] == "answer_stale"]


def check_jobs(memory):
    return [job for job in rows(memory, Job) if job.kind == JobKind.CHECK_ANSWER]


def move(memory, data):
    """A new version, some time later."""
    memory.clock.advance(HOUR)
    return put(memory, "travel.md", data)


# ── saving ──


def test_saving_makes_the_answer_its_two_watches_and_a_first_check(memory, ada, saved):
    assert [(w.scope_type, w.target["kind"]) for w in sorted(rows(memory, Watch), key=lambda w: w.scope_type)] == [
        ("answer", "chat_person"),
        ("source", "internal"),
    ]
    (job,) = check_jobs(memory)
    assert (job.payload, job.state) == ({"answer_id": str(saved)}, "ready")
    assert memory.answer(saved, ada).status == AnswerStatus.CURRENT
    assert [(view.scope_type, view.name) for view in memory.watches(ada)] == [("answer", QUESTION)]


def test_saving_twice_is_saving_once(memory, ada):
    put(memory, "travel.md", travel())
    answer = ask(memory, ada)
    assert memory.save_answer(answer.trace_id, ada) == memory.save_answer(answer.trace_id, ada)
    assert (len(versions(memory)), len(rows(memory, Watch)), len(check_jobs(memory))) == (1, 2, 1)


def test_a_double_tap_on_save_writes_one_version(memory, ada):
    put(memory, "travel.md", travel())
    answer = ask(memory, ada)
    results = at_once(*[lambda: memory.save_answer(answer.trace_id, ada)] * 2)
    assert results[0] == results[1]
    assert len(versions(memory)) == 1


def test_a_save_that_fails_half_way_leaves_nothing(memory, ada):
    put(memory, "travel.md", travel())
    answer = ask(memory, ada)
    with without_table(memory, "job"), pytest.raises(StoreUnavailable):
        memory.save_answer(answer.trace_id, ada)
    assert (versions(memory), rows(memory, Watch)) == ([], [])


def test_only_ones_own_answer_can_be_saved_or_read(memory, ada, bob, saved):
    with pytest.raises(NotFound):
        memory.save_answer(ask(memory, ada).trace_id, bob)
    with pytest.raises(NotFound):
        memory.answer(saved, bob)
    assert memory.answers(bob) == []


def test_what_may_not_be_read_any_more_is_not_saved_and_what_is_saved_stays(memory):
    ada = add_person(memory, "Ada", ["sales"])
    put(memory, "travel.md", travel(), ["sales"])
    before, after = ask(memory, ada), ask(memory, ada)
    answer_id = memory.save_answer(before.trace_id, ada)
    put(memory, "travel.md", travel(), ["legal"])
    with pytest.raises(NotFound):
        memory.save_answer(after.trace_id, ada)
    assert memory.save_answer(before.trace_id, ada) == answer_id
    assert [answer.answer_id for answer in memory.answers(ada)] == [answer_id]


def test_the_watches_that_have_an_answer_checked_are_nobodys_to_see_or_to_end(memory, ada, saved):
    [internal] = [watch.watch_id for watch in rows(memory, Watch) if watch.target["kind"] == TargetKind.INTERNAL]
    for act in (
        lambda: memory.watched.one(internal, ada),
        lambda: memory.watched.fires(internal, ada),
        lambda: memory.mute_watch(internal, ada, None),
        lambda: memory.mute_watch(internal, ada, 0),
    ):
        with pytest.raises(NotFound):
            act()
    assert all(watch.enabled for watch in rows(memory, Watch))


def test_an_answer_that_claims_nothing_cannot_be_saved(reopen):
    memory = reopen(answers={"min_cosine": 0.99})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel())
    answer = memory.generate("What do meals and hotels and trains cost?", ada)
    assert not answer.known
    with pytest.raises(InvalidRequest, match="rests on nothing"):
        memory.save_answer(answer.trace_id, ada)


# ── the rules ──


def test_unmoved_evidence_keeps_an_answer_current(memory, ada, saved):
    checked = memory.check_answer(saved)
    assert (checked.before, checked.after, checked.changed_claims) == ("current", "current", ())
    assert len(versions(memory)) == 1


def test_rule_1_a_removed_source_invalidates(memory, ada, saved):
    memory.clock.advance(HOUR)
    memory.remove("travel.md")
    assert memory.check_answer(saved).after == AnswerStatus.INVALIDATED
    assert len(stale_events(memory)) == 1


def test_rule_1_lost_rights_invalidate_and_regained_ones_restore(memory):
    ada = add_person(memory, "Ada", ["sales"])
    put(memory, "travel.md", travel(), ["sales"])
    answer_id = save(memory, ada)
    put(memory, "travel.md", travel(), ["legal"])
    assert memory.check_answer(answer_id).after == AnswerStatus.INVALIDATED
    put(memory, "travel.md", travel(), ["sales"])
    assert memory.check_answer(answer_id).after == AnswerStatus.CURRENT
    assert len(stale_events(memory)) == 1


def test_rule_2_other_words_elsewhere_move_nothing(memory, ada, saved):
    move(memory, travel(hotels="Hotels are booked by you."))
    assert memory.check_answer(saved).after == AnswerStatus.CURRENT
    assert len(versions(memory)) == 1


def test_rule_2_markup_and_wrapping_move_nothing(memory, ada, saved):
    move(memory, travel(meals="Meals cost at\nmost **40 EUR** a day."))
    assert memory.check_answer(saved).after == AnswerStatus.CURRENT
    assert len(versions(memory)) == 1


def test_rule_2_another_number_is_a_material_change_that_shows_both(memory, ada, saved):
    move(memory, travel(meals=MORE))
    assert memory.check_answer(saved).after == AnswerStatus.STALE
    answer = memory.answer(saved, ada)
    assert (answer.severity, answer.text) == ("material", SAID)
    (claim,) = answer.claims
    assert (claim.text, claim.after, claim.caveat) == (SAID, MORE, None)


def test_rule_4_clears_what_is_reworded_and_says_the_same(memory, ada, saved):
    move(memory, travel(meals="As everywhere, meals cost at most 40 EUR a day."))
    assert memory.check_answer(saved).after == AnswerStatus.CURRENT
    assert stale_events(memory) == []


def test_no_transaction_is_held_while_the_model_reads_what_moved(reopen):
    embedder = MeddlingEmbedder()
    memory = reopen(embedder=embedder)
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel())
    answer_id = save(memory, ada)
    put(memory, "travel.md", travel(MORE))
    held, pool = [], memory._database.engine.pool
    embedder.meddle = lambda: held.append(pool.checkedout())
    memory._engines.answers.check("default", answer_id)
    assert held
    assert set(held) == {0}


def test_rule_4_without_a_model_an_affected_claim_stays_affected_and_says_why(memory, reopen, ada, saved):
    move(memory, travel(meals="As everywhere, meals cost at most 40 EUR a day."))
    blind = reopen(embedder=None)
    assert blind.check_answer(saved).after == AnswerStatus.STALE
    assert [claim.caveat for claim in blind.answer(saved, ada).claims] == ["verification:unavailable"]
    assert memory.check_answer(saved).after == AnswerStatus.CURRENT


def test_there_and_back_again_the_answer_is_current_and_its_history_shows_both_moves(memory, ada, saved):
    for data in (travel(meals=MORE), travel()):
        move(memory, data)
        memory.check_answer(saved)
    assert history(memory, saved) == ["current", "stale", "current"]
    assert memory.answer(saved, ada).claims[0].after == ""
    assert len(stale_events(memory)) == 1


def test_a_second_check_finds_the_same_and_writes_and_tells_nothing(memory, ada, saved):
    move(memory, travel(meals=MORE))
    first = memory.check_answer(saved)
    before = len(versions(memory))
    again = memory.check_answer(saved)
    assert (again.before, again.after, again.changed_claims) == (first.after, first.after, ())
    assert (len(versions(memory)), len(stale_events(memory))) == (before, 1)


def test_two_checks_at_once_write_one_version_and_tell_once(reopen):
    memory = reopen(embedder=MeddlingEmbedder())
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel())
    saved = save(memory, ada)
    move(memory, travel(meals=MORE))
    at_once(*[lambda: memory.check_answer(saved)] * 2)
    assert len([row for row in versions(memory) if row.tx_end == 2**62 and row.valid_end == 2**62]) == 1
    assert len(stale_events(memory)) == 1


def test_the_status_and_its_event_commit_together(memory, ada, saved):
    move(memory, travel(meals=MORE))
    with without_table(memory, "watch_fire"), pytest.raises(StoreUnavailable):
        memory.check_answer(saved)
    assert memory.answer(saved, ada).status == AnswerStatus.CURRENT
    memory.check_answer(saved)
    (fire,) = rows(memory, WatchFire)
    assert fire.fire_tx == memory.answer(saved, ada).version_tx


def test_a_change_enqueues_a_check_for_exactly_the_answers_that_depend_on_it(memory, ada, saved):
    put(memory, "parking.md", page("Parking", {"Garage": "Parking in the garage is free."}))
    answer = memory.generate("What does parking in the garage cost?", ada)
    other = memory.save_answer(answer.trace_id, ada)
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10):
        memory.jobs.complete(job)
    memory.sweep()
    put(memory, "parking.md", page("Parking", {"Garage": "Parking in the garage costs 5 EUR."}))
    memory.sweep()
    due = memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 10)
    assert [job.payload["answer_id"] for job in due] == [str(other)]


def test_an_answer_whose_evidence_moved_between_asking_and_saving_is_stale_at_its_first_check(memory, ada):
    put(memory, "travel.md", travel())
    answer = ask(memory, ada)
    move(memory, travel(meals=MORE))
    answer_id = memory.save_answer(answer.trace_id, ada)
    assert memory.check_answer(answer_id).after == AnswerStatus.STALE


# ── refreshing ──


def test_a_refresh_makes_a_new_answer_and_leaves_the_old_as_it_was_quoted(memory, ada, saved):
    move(memory, travel(meals=MORE))
    memory.check_answer(saved)
    refreshed = memory.refresh_answer(saved, ada)
    old, new = memory.answer(saved, ada), memory.answer(refreshed.answer_id, ada)
    assert (old.status, old.text, old.superseded_by) == ("superseded", SAID, new.answer_id)
    assert (new.status, new.text, refreshed.already) == ("current", MORE, False)
    (edge,) = [row for row in rows(memory, EdgeVersion) if row.label == SUPERSEDES]
    assert (edge.from_id, edge.to_id) == (new.answer_id, saved)
    assert [answer.answer_id for answer in memory.answers(ada)] == [new.answer_id]


def test_a_fresh_answer_is_not_shown_stale_in_the_same_tick(memory, ada, saved):
    memory.sweep()
    put(memory, "travel.md", travel(meals=MORE))
    refreshed = memory.refresh_answer(saved, ada)
    memory.sweep()
    assert memory.check_answer(refreshed.answer_id).after == AnswerStatus.CURRENT
    assert stale_events(memory) == []


def test_refreshing_a_superseded_answer_points_at_the_newest(memory, ada, saved):
    first = memory.refresh_answer(saved, ada).answer_id
    memory.clock.advance(MINUTE)
    second = memory.refresh_answer(first, ada).answer_id
    again = memory.refresh_answer(saved, ada)
    assert (again.already, again.answer_id, again.answer) == (True, second, None)


def test_a_superseded_answer_is_checked_no_more(memory, ada, saved):
    memory.refresh_answer(saved, ada)
    assert memory.check_answer(saved) is None


def test_of_two_refreshes_at_once_one_wins_and_the_other_points_at_it(memory, reopen, ada, saved):
    memory = reopen(embedder=MeetingEmbedder())
    results = at_once(*[lambda: memory.refresh_answer(saved, ada)] * 2)
    [standing] = memory.answers(ada)
    found = sorted((one.already, one.answer is None, one.answer_id) for one in results)
    assert found == [(False, False, standing.answer_id), (True, True, standing.answer_id)]


def test_a_refresh_on_a_machine_whose_clock_is_behind_is_told_that_it_lost(memory, database_url, ada, saved):
    behind = open_memory(database_url, ManualClock(memory.clock.now() - SECOND))
    answer = ask(behind, ada)
    won = memory.refresh_answer(saved, ada)
    with behind._database.write("default") as tx:
        lost = behind._engines.answers.supersede(tx, saved, answer, ada)
    behind.close()
    assert lost == Refreshed(won.answer_id, None, already=True)
    assert len(memory.answers(ada)) == 1


def test_a_refresh_that_finds_nothing_leaves_the_answer_and_its_status(memory, ada, saved):
    memory.clock.advance(HOUR)
    memory.remove("travel.md")
    memory.check_answer(saved)
    before, count = memory.answer(saved, ada), len(versions(memory))
    refreshed = memory.refresh_answer(saved, ada)
    assert (refreshed.answer_id, refreshed.answer, refreshed.already) == (saved, None, False)
    assert (memory.answer(saved, ada), len(versions(memory))) == (before, count)


def kept(memory):
    """All that is remembered of answers, their words and hashes in it, and how far each sweep and reader has come."""
    tables = (rows(memory, table) for table in (SweepCheckpoint, LastShown, EdgeVersion))
    return [sorted(str(row.model_dump()) for row in table) for table in (versions(memory), *tables)]


def dies():
    raise SystemExit


@pytest.mark.parametrize("meddle", [dies, lambda: 1 / 0], ids=["the process ends", "the model fails"])
def test_a_refresh_that_ends_in_the_model_changes_no_byte_and_no_cursor(memory, reopen, ada, saved, meddle):
    move(memory, travel(meals=MORE))
    memory.sweep()
    before = kept(memory)
    embedder = MeddlingEmbedder()
    again = reopen(embedder=embedder)
    embedder.meddle = meddle
    with pytest.raises((SystemExit, ZeroDivisionError)):
        again.refresh_answer(saved, ada)
    assert kept(memory) == before
    assert memory.refresh_answer(saved, ada).answer.text == MORE, "and may be asked for again"


def test_a_refresh_that_finds_nothing_near_changes_no_byte_and_no_cursor(memory, reopen, ada, saved):
    move(memory, travel(meals=MORE))
    memory.sweep()
    before = kept(memory)
    assert reopen(answers={"min_cosine": 0.99}).refresh_answer(saved, ada).answer is None
    assert kept(memory) == before


def test_a_refresh_that_breaks_half_way_leaves_the_answer_and_its_status(memory, ada, saved):
    move(memory, travel(meals=MORE))
    before, count = memory.answer(saved, ada), len(versions(memory))
    with without_table(memory, "edge_version"), pytest.raises(StoreUnavailable):
        memory.refresh_answer(saved, ada)
    assert (memory.answer(saved, ada), len(versions(memory))) == (before, count)


def test_the_watches_of_a_superseded_answer_end_with_it(memory, ada, saved):
    new = memory.refresh_answer(saved, ada).answer_id
    (view,) = memory.watches(ada)
    assert view.refs == (str(new),)
    memory.sweep()
    move(memory, travel(meals=MORE))
    memory.sweep()
    fired = [fire.job_id for fire in rows(memory, WatchFire)]
    assert [job.payload["answer_id"] for job in check_jobs(memory) if job.job_id in fired] == [str(new)]


def refresh_jobs(memory):
    return memory.jobs.lease(Audience.INTERNAL, [JobKind.REFRESH_ANSWER], "me", 10)


def ask_refresh(memory, person, answer_id, card="one card"):
    with memory._database.write("default") as tx:
        memory._engines.answers.ask_refresh(tx, answer_id, person, card)


def test_a_second_tap_refreshes_again_only_after_the_first_has_ended(memory, ada, saved):
    for _ in range(2):
        ask_refresh(memory, ada, saved)
    (job,) = refresh_jobs(memory)
    ask_refresh(memory, ada, saved)
    assert refresh_jobs(memory) == []
    memory.jobs.complete(job)
    ask_refresh(memory, ada, saved)
    assert len(refresh_jobs(memory)) == 1


def test_a_tap_that_is_done_again_after_its_refresh_shows_that_one_and_makes_no_other(memory, ada, saved):
    ask_refresh(memory, ada, saved)
    (job,) = refresh_jobs(memory)
    newer = memory.refresh_answer(saved, ada).answer_id
    memory.jobs.complete(job)
    ask_refresh(memory, ada, saved)
    ask_refresh(memory, ada, saved, "another card")
    asked = {job.payload["delivery_key"]: job.payload["answer_id"] for job in refresh_jobs(memory)}
    assert asked == {"one card": str(saved), "another card": str(newer)}
    assert memory.refresh_answer(saved, ada).already


def test_each_card_a_refresh_is_asked_from_gets_its_own_answer(memory, ada, saved):
    for card in ("one card", "another card", "one card"):
        ask_refresh(memory, ada, saved, card)
    assert sorted(job.payload["delivery_key"] for job in refresh_jobs(memory)) == ["another card", "one card"]


def test_words_of_a_source_that_may_no_longer_be_read_are_shown_on_no_surface(memory, ada, saved):
    move(memory, travel(meals=MORE))
    memory.check_answer(saved)
    memory.clock.advance(MINUTE)
    put(memory, "travel.md", travel(meals=MORE), ["legal"])
    shown = [memory.answer(saved, ada), *memory.answers(ada)]
    assert [claim.after for answer in shown for claim in answer.claims] == ["", ""]
    worker = Worker(memory)
    worker.send()
    assert worker.notices == []
    assert [view.suspended for view in memory.watches(ada)] == [Suspension.NOT_READABLE]


def test_nobody_refreshes_another_persons_answer(memory, bob, saved):
    with pytest.raises(NotFound):
        memory.refresh_answer(saved, bob)


def holds(outer, inner):
    version = (inner.source_id, inner.source_version_tx)
    return (outer.source_id, outer.source_version_tx) == version and outer.start <= inner.start < inner.end <= outer.end


def test_every_citation_is_words_of_the_plan_that_slice_to_the_same_text(memory, ada):
    put(memory, "travel.md", travel())
    put(memory, "deep.md", page("Travel", {"Meals größer": "漢字 meals cost 20 😀 a day."}))
    answer = ask(memory, ada)
    planned = memory.plan(PlanRequest(question=QUESTION), ada)
    assert planned.plan_hash == answer.plan_hash
    cited = [passage for claim in answer.claims for passage in claim.citations]
    assert len({passage.span.source_id for passage in cited}) == 2
    for passage in cited:
        [block] = [span for span in planned.spans if holds(span.span, passage.span)]
        assert passage.text in block.text
        with memory._database.read("default") as tx:
            assert memory._engines.library.slices(tx, [passage.span])[passage.span] == passage.text
    memory.clock.advance(SECOND)
