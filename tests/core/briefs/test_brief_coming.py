"""When a brief comes: once a local week, when its person wants it, and not while it may not."""

import pytest

from core.clock import DAY, FOREVER, HOUR, MINUTE
from core.jobs.kinds import Audience, JobKind
from core.model.card_states import CardState
from core.model.nodes import SECTION
from core.model.watching import ScopeType
from core.store.tables import Brief, ChatIdentity, Job, Person
from tests.support.briefs import (
    MONDAY,
    WEEK,
    arrive,
    brief_cards,
    change,
    in_hand,
    meals_line,
    revise,
    said,
    travel,
    week,
)
from tests.support.deliveries import Worker
from tests.support.memories import add_person, change_row, last_tx, place_of, put, rows, watch_request
from tests.support.threads import at_once

# ── once a week ──


def test_a_weeks_changes_come_as_one_list_on_monday_morning(memory, worker, meals):
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY - 1) == []
    memory.clock.ts = MONDAY
    [brief] = week(worker)
    assert said(brief) == [meals_line(40, 45)]
    assert (brief.more, brief.watches, brief.lines[0].material) == (0, ("Meals",), True)
    assert [card.subject for card in brief_cards(memory)] == ["brief:2026-W50"]
    assert week(worker) == []


def test_each_change_is_told_in_one_brief_and_never_again(memory, worker, meals):
    revise(memory, worker, meals=45)
    assert len(arrive(memory, worker, MONDAY)) == 1
    revise(memory, worker, meals=50)
    [second] = arrive(memory, worker, MONDAY + WEEK)
    assert said(second) == [meals_line(45, 50)]


def test_a_week_in_which_nothing_changed_has_no_card(memory, worker, meals):
    revise(memory, worker, meals=45)
    arrive(memory, worker, MONDAY)
    sent = len(worker.taken)
    assert arrive(memory, worker, MONDAY + WEEK) == []
    assert len(worker.taken) == sent
    [second] = [card for card in brief_cards(memory) if card.subject == "brief:2026-W51"]
    assert (second.state, second.reason) == (CardState.SKIPPED, "no_net_change")
    assert rows(memory, Brief)[0].cursor_tx == last_tx(memory)


def test_nobody_who_was_never_told_anything_has_a_brief(memory, worker, meals, ada, bob):
    assert rows(memory, Brief) == []
    revise(memory, worker, meals=45)
    assert [row.person_id for row in rows(memory, Brief)] == [ada.person_id]


def test_whoever_hears_of_something_after_mondays_slot_has_a_brief_on_the_next(memory, worker, meals):
    memory.clock.ts = MONDAY + HOUR
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY + DAY) == []
    assert len(arrive(memory, worker, MONDAY + WEEK)) == 1


def test_two_schedulers_and_two_workers_make_one_brief(memory, worker, meals):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY
    at_once(*[lambda: memory.briefs.schedule("default")] * 4)
    jobs = [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_BRIEF]
    assert [job.payload["slot"] for job in jobs] == ["2026-W50"]
    [job] = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_BRIEF], "a", 5)
    at_once(*[lambda: memory.briefs.make(job)] * 2)
    assert len(brief_cards(memory)) == 1


def test_a_scheduler_that_looks_every_tick_looks_at_nobody_until_somebody_is_due(memory, worker, meals):
    revise(memory, worker, meals=45)
    assert memory.briefs.schedule("default") == 1
    assert [memory.briefs.schedule("default") for _ in range(3)] == [0, 0, 0]
    memory.clock.ts = MONDAY - 1
    assert memory.briefs.schedule("default") == 0
    memory.clock.ts = MONDAY
    assert memory.briefs.schedule("default") == 1
    assert memory.briefs.schedule("default") == 0


def test_a_brief_missed_while_nothing_ran_comes_late_and_keeps_its_distance(memory, worker, meals):
    revise(memory, worker, meals=45)
    saturday = MONDAY + 5 * DAY
    assert len(arrive(memory, worker, saturday)) == 1
    revise(memory, worker, meals=50)
    assert arrive(memory, worker, MONDAY + WEEK) == []
    assert len(arrive(memory, worker, saturday + 3 * DAY)) == 1


def test_a_change_spread_while_the_brief_is_on_its_way_is_in_the_next(memory, worker, meals):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    change(memory, worker, meals=50)
    assert memory.outcomes.sent(card, "ref")
    [second] = arrive(memory, worker, MONDAY + WEEK)
    assert said(second) == [meals_line(45, 50)]


# ── when it may come ──


def test_it_comes_by_the_clock_of_the_person_who_reads_it(memory, worker, meals, ada):
    memory.people.put("default", "Ada", zone="Asia/Kolkata")
    revise(memory, worker, meals=45)
    local = MONDAY - 5 * HOUR - 30 * MINUTE
    assert arrive(memory, worker, local - 1) == []
    assert len(arrive(memory, worker, local)) == 1


@pytest.mark.parametrize("how", ["put", "moved"])
@pytest.mark.parametrize(("zone", "later"), [("America/Los_Angeles", 8 * HOUR), ("Pacific/Kiritimati", -14 * HOUR)])
def test_a_person_who_has_moved_has_it_by_the_new_clock(memory, worker, meals, ada, how, zone, later):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY - 15 * HOUR
    if how == "put":
        memory.people.put("default", "Ada", zone=zone)
    else:
        memory.people.moved("default", place_of(ada.person_id), zone, None)
    assert arrive(memory, worker, MONDAY + later - 1) == []
    assert len(arrive(memory, worker, MONDAY + later)) == 1


def test_a_day_and_an_hour_of_ones_own(memory, worker, meals, ada):
    memory.prefer(ada, "brief_day", "tuesday")
    memory.prefer(ada, "brief_hour", "17")
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY + DAY + 8 * HOUR - 1) == []
    assert len(arrive(memory, worker, MONDAY + DAY + 8 * HOUR)) == 1


def test_the_settings_say_when_for_who_has_not_chosen(reopen, clock):
    memory = reopen(watch={"brief_weekday": "sunday", "brief_hour": 18})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    worker = Worker(memory)
    revise(memory, worker, meals=45)
    sunday = MONDAY - 15 * HOUR
    assert arrive(memory, worker, sunday - 1) == []
    assert len(arrive(memory, worker, sunday)) == 1


def test_off_is_off_and_on_begins_from_there(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.prefer(ada, "brief_day", "off")
    assert arrive(memory, worker, MONDAY) == []
    assert rows(memory, Brief)[0].next_due_at == FOREVER
    memory.prefer(ada, "brief_day", "monday")
    revise(memory, worker, meals=50)
    assert arrive(memory, worker, MONDAY + 2 * DAY) == []
    [brief] = arrive(memory, worker, MONDAY + WEEK)
    assert said(brief) == [meals_line(45, 50)]


def test_off_and_on_again_makes_no_second_brief_in_a_week(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    assert len(arrive(memory, worker, MONDAY)) == 1
    memory.prefer(ada, "brief_day", "off")
    worker.brief()
    revise(memory, worker, meals=50)
    memory.prefer(ada, "brief_day", "tuesday")
    assert arrive(memory, worker, MONDAY + DAY) == []


def test_a_muted_person_has_it_when_the_mute_ends(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.mute_all(ada, MONDAY + DAY)
    assert arrive(memory, worker, MONDAY) == []
    memory.clock.ts = MONDAY + DAY
    assert len(week(worker)) == 1


def test_quiet_hours_hold_it_until_morning(memory, worker, meals, ada):
    memory.prefer(ada, "quiet_from", "8")
    memory.prefer(ada, "quiet_until", "11")
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY) == []
    memory.clock.ts = MONDAY + 2 * HOUR
    assert len(week(worker)) == 1


def test_a_mute_that_is_ended_early_lets_it_come(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.mute_all(ada, MONDAY + DAY)
    assert arrive(memory, worker, MONDAY) == []
    memory.mute_all(ada, 0)
    assert len(week(worker)) == 1


def test_two_weeks_of_a_long_mute_end_in_one_brief(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.mute_all(ada, MONDAY + WEEK + DAY)
    assert arrive(memory, worker, MONDAY) == []
    assert arrive(memory, worker, MONDAY + WEEK) == []
    memory.clock.ts = MONDAY + WEEK + DAY
    assert len(week(worker)) == 1
    assert len(brief_cards(memory)) == 1


def test_a_person_who_is_not_active_any_more_has_none(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    change_row(memory, Person, ("default", ada.person_id), active=False)
    assert worker.take() == []
    assert [card.reason for card in brief_cards(memory)] == ["not_authorised"]


def test_nothing_is_kept_for_whoever_has_left(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    change_row(memory, Person, ("default", ada.person_id), active=False)
    assert arrive(memory, worker, MONDAY) == []
    [row] = rows(memory, Brief)
    assert row.cursor_tx == last_tx(memory)
    assert brief_cards(memory) == []


def test_whoever_was_out_of_reach_is_told_of_it_in_the_first_brief_after(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    key = ("default", "local", "local", str(ada.person_id))
    change_row(memory, ChatIdentity, key, state="unreachable")
    assert arrive(memory, worker, MONDAY) == []
    assert brief_cards(memory) == []
    change_row(memory, ChatIdentity, key, state="bound")
    [brief] = arrive(memory, worker, MONDAY + WEEK)
    assert said(brief) == [meals_line(40, 45)]
