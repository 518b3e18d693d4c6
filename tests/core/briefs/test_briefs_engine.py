"""A person's week: one brief in it, with what changed and what no card could carry, as they may see it then."""

from datetime import UTC, datetime

import pytest

from core.clock import DAY, FOREVER, HOUR, MINUTE, from_datetime
from core.jobs.kinds import Audience, JobKind
from core.model.card_states import CardState
from core.model.nodes import SECTION
from core.model.notices import BriefNotice
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.model.work import Extent
from core.store.tables import (
    Brief,
    CardMessage,
    ChatIdentity,
    Job,
    LastShown,
    NotifyDelivery,
    Person,
    Source,
    Watch,
    WatchFire,
)
from tests.support.deliveries import Worker
from tests.support.memories import (
    CHANGES,
    add_person,
    change_row,
    page,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)
from tests.support.threads import at_once

FRIDAY = from_datetime(datetime(2026, 12, 4, 12, tzinfo=UTC))
MONDAY = from_datetime(datetime(2026, 12, 7, 9, tzinfo=UTC))
WEEK = 7 * DAY
MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)


def travel(meals=40, hotels=150):
    words = {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": f"Hotels cost at most {hotels} EUR."}
    return page("Travel", words)


@pytest.fixture
def clock(clock):
    clock.ts = FRIDAY
    return clock


@pytest.fixture
def worker(memory, ada):
    """Works on a memory with one document, swept once, on a Friday."""
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def meals(worker, memory, ada):
    request = watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="Meals")
    return memory.watch(request, ada)


def revise(memory, worker, data=None, uri="travel.md", readers=("member",), **amounts):
    """A change that its watchers have been told of at once."""
    memory.clock.advance(HOUR)
    put(memory, uri, data or travel(**amounts), readers)
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.send()


def arrive(memory, worker, ts):
    """Look, as a worker does, until a time has come; the briefs that were sent then."""
    worker.brief()
    memory.clock.ts = ts
    return week(worker)


def week(worker):
    worker.brief()
    before = len(worker.notices)
    worker.send()
    return [notice for notice in worker.notices[before:] if isinstance(notice, BriefNotice)]


def said(brief):
    return [[(c.before, c.after) for c in line.change.changes] for line in brief.lines]


def meals_line(before, after):
    return [(f"Meals cost at most {before} EUR.", f"Meals cost at most {after} EUR.")]


def row_of(memory, person):
    return next(row for row in rows(memory, Brief) if row.person_id == person.person_id)


def brief_cards(memory):
    return [card for card in rows(memory, CardMessage) if card.kind == "brief"]


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


def test_every_change_of_a_thing_is_a_line_newest_first(memory, worker, meals):
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(50, 55), meals_line(45, 50), meals_line(40, 45)]


def test_of_two_changes_seen_together_the_brief_tells_the_whole_way(memory, worker, meals):
    put(memory, "travel.md", travel(meals=45), ["member"])
    revise(memory, worker, meals=50)
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 50)]


def test_one_change_that_three_watches_heard_is_one_line(memory, worker, meals, ada):
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    memory.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=MOVED, name="page"), ada)
    revise(memory, worker, meals=45)
    assert len(rows(memory, WatchFire)) == 3
    [brief] = arrive(memory, worker, MONDAY)
    assert (said(brief), brief.more) == ([meals_line(40, 45)], 0)


def test_sixty_changes_are_fifteen_lines_and_forty_five_more(memory, worker, ada):
    headings = [f"Rule {number}" for number in range(60)]
    put(memory, "rules.md", page("Rules", dict.fromkeys(headings, "It costs 1 EUR.")), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    revise(memory, worker, page("Rules", dict.fromkeys(headings, "It costs 2 EUR.")), "rules.md")
    [brief] = arrive(memory, worker, MONDAY)
    assert (len(brief.lines), brief.more) == (15, 45)


def test_a_week_in_which_nothing_changed_has_no_card(memory, worker, meals):
    revise(memory, worker, meals=45)
    arrive(memory, worker, MONDAY)
    sent = len(worker.taken)
    assert arrive(memory, worker, MONDAY + WEEK) == []
    assert len(worker.taken) == sent
    [second] = [card for card in brief_cards(memory) if card.subject == "brief:2026-W51"]
    assert (second.state, second.reason) == (CardState.SKIPPED, "no_net_change")


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
    assert [job.payload["week"] for job in jobs] == ["2026-W50"]
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
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    [card] = worker.take()
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=50), ["member"])
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.spread()
    assert memory.outcomes.sent(card, "ref")
    [second] = arrive(memory, worker, MONDAY + WEEK)
    assert said(second) == [meals_line(45, 50)]


# ── what it tells, to whom ──


def test_what_the_person_may_no_longer_read_is_not_on_it(memory, worker, ada, meals):
    put(memory, "prices.md", page("Prices", {"Fees": "The fee is 10 EUR."}), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    revise(memory, worker, page("Prices", {"Fees": "The fee is 12 EUR."}), "prices.md")
    revise(memory, worker, meals=45)
    change_row(memory, Source, ("default", source_id("prices.md")), readers=["admin"])
    [brief] = arrive(memory, worker, MONDAY)
    assert (said(brief), brief.more) == ([meals_line(40, 45)], 0)


def test_a_week_of_which_the_person_may_read_nothing_has_no_card(memory, worker, meals):
    revise(memory, worker, meals=45)
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["admin"])
    assert arrive(memory, worker, MONDAY) == []


def test_what_was_undone_before_anybody_was_told_is_no_line(memory, worker, meals):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    put(memory, "travel.md", travel(meals=40), ["member"])
    memory.clock.advance(MINUTE)
    worker.send()
    assert [row.reason for row in rows(memory, NotifyDelivery)] == ["no_net_change"]
    assert arrive(memory, worker, MONDAY) == []


def test_a_stopped_watch_is_not_heard_of_again(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    with memory._database.write("default") as tx:
        memory._watch.mute(tx, meals.watch_id, ada, None)
    assert arrive(memory, worker, MONDAY) == []


def test_a_thing_of_a_shared_watch_can_be_watched_from_it_and_ones_own_cannot(memory, worker, meals, bob, ada):
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0), bob)
    revise(memory, worker, meals=45, hotels=160)
    adas, bobs = sorted(arrive(memory, worker, MONDAY), key=lambda brief: len(targets(brief)), reverse=True)
    assert targets(adas) == [section("travel.md", "Travel", "Hotels")]
    assert targets(bobs) == []


def targets(brief):
    return [str(line.watch_target) for line in brief.lines if line.watch_target]


def test_what_is_gone_cannot_be_watched(memory, worker, ada, bob):
    target = {"kind": TargetKind.SHARED, "audience": {"persons": [str(ada.person_id)]}}
    memory.watch(WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0), bob)
    revise(memory, worker, page("Travel", {"Meals": "Meals cost at most 45 EUR."}))
    [brief] = arrive(memory, worker, MONDAY)
    assert targets(brief) == [section("travel.md", "Travel", "Meals")]
    assert len(brief.lines) == 2


def test_a_saved_answer_that_needs_a_look_is_on_it(memory, worker, ada):
    answer = memory.generate("What do meals cost at most?", ada)
    answer_id = memory.save_answer(answer.trace_id, ada)
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 100):
        memory.check_answer(answer_id)
        memory.jobs.complete(job)
    memory.clock.advance(MINUTE)
    worker.send()
    [brief] = arrive(memory, worker, MONDAY)
    assert [moved.answer_id for moved in brief.answers] == [answer_id]
    assert brief.lines == ()
    assert arrive(memory, worker, MONDAY + WEEK) == []


# ── what no card could carry ──


@pytest.fixture
def carried(memory, worker, meals):
    """A change that a platform refused to carry for good."""
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.spread()
    [card] = worker.take()
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    worker.notices.clear()


def states(memory):
    return [row.state for row in rows(memory, NotifyDelivery)]


def test_the_brief_delivers_what_no_card_could(memory, worker, carried):
    assert states(memory) == ["carried"]
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]
    assert states(memory) == ["sent"]
    assert [fire.status for fire in rows(memory, WatchFire)] == ["delivered"]


def test_what_a_brief_could_not_carry_either_is_in_the_next(memory, worker, carried):
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    [card] = worker.take()
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    assert states(memory) == ["carried"]
    [second] = arrive(memory, worker, MONDAY + WEEK)
    assert said(second) == [meals_line(40, 45)]
    assert states(memory) == ["sent"]


def test_a_brief_that_was_refused_for_now_is_composed_again(memory, worker, meals):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    [card] = worker.take()
    memory.outcomes.not_sent(card, "busy", retry_after=HOUR)
    revise(memory, worker, meals=50)
    briefs = [notice for notice in worker.notices if isinstance(notice, BriefNotice)]
    assert [said(brief) for brief in briefs] == [[meals_line(40, 45)], [meals_line(45, 50), meals_line(40, 45)]]
    assert len(brief_cards(memory)) == 1


def test_with_the_brief_off_it_is_told_when_the_person_next_writes(memory, worker, carried, ada):
    memory.prefer(ada, "brief_day", "off")
    assert arrive(memory, worker, MONDAY + WEEK) == []
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "Hello"})
    worker.send()
    [notice] = worker.notices
    assert [(c.before, c.after) for c in notice.lines[0].changes] == meals_line(40, 45)
    assert states(memory) == ["sent"]


def test_a_brief_switched_off_before_it_was_sent_leaves_what_it_carried_to_the_next_card(memory, worker, carried, ada):
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    [card] = worker.take()
    memory.outcomes.not_sent(card, "busy", retry_after=HOUR)
    memory.prefer(ada, "brief_day", "off")
    memory.clock.advance(HOUR)
    assert week(worker) == []
    assert states(memory) == ["carried"]
    assert [card.reason for card in brief_cards(memory)] == ["suppressed"]


# ── when it may come ──


def test_it_comes_by_the_clock_of_the_person_who_reads_it(memory, worker, meals, ada):
    memory.people.put("default", "Ada", zone="Asia/Kolkata")
    revise(memory, worker, meals=45)
    local = MONDAY - 5 * HOUR - 30 * MINUTE
    assert arrive(memory, worker, local - 1) == []
    assert len(arrive(memory, worker, local)) == 1


@pytest.mark.parametrize("how", ["put", "moved"])
def test_a_person_who_has_moved_has_it_by_the_new_clock(memory, worker, meals, ada, how):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY - HOUR
    if how == "put":
        memory.people.put("default", "Ada", zone="America/Los_Angeles")
    else:
        memory.people.moved("default", place_of(ada.person_id), "America/Los_Angeles", None)
    assert arrive(memory, worker, MONDAY + 8 * HOUR - 1) == []
    assert len(arrive(memory, worker, MONDAY + 8 * HOUR)) == 1


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
    memory.prefer(ada, "brief_day", "off")
    assert arrive(memory, worker, MONDAY) == []
    assert row_of(memory, ada).next_due_at == FOREVER
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


# ── beside the cards of changes ──


def test_what_a_brief_has_told_is_not_told_again_by_a_card_that_comes_later(memory, worker, meals):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.spread()
    [waiting] = rows(memory, NotifyDelivery)
    key = ("default", waiting.fire_id, waiting.person_id, waiting.kind)
    change_row(memory, NotifyDelivery, key, not_before=MONDAY + HOUR)
    assert len(arrive(memory, worker, MONDAY)) == 1
    memory.clock.advance(HOUR)
    assert worker.send() == []
    assert [(row.state, row.reason) for row in rows(memory, NotifyDelivery)] == [("skipped", "no_net_change")]


def test_what_is_of_a_muted_watch_is_left_to_the_card_that_ends_the_mute(memory, worker, meals):
    worker.brief()
    change_row(memory, Watch, ("default", meals.watch_id), muted_until=MONDAY + DAY)
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY) == []
    memory.clock.ts = MONDAY + DAY
    [card] = worker.send()
    assert card.kind == "memory_change"


def test_a_brief_remembers_what_it_has_shown_and_takes_nothing_back(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    [brief] = worker.take()
    revise(memory, worker, meals=50)
    shown = {row.ref_id: row.tx for row in rows(memory, LastShown)}
    memory.outcomes.sent(brief, "ref")
    assert {row.ref_id: row.tx for row in rows(memory, LastShown)}.items() >= shown.items()


# ── fires are kept until they are told ──


def test_no_fire_is_forgotten_before_every_brief_has_told_it(reopen, clock):
    memory = reopen(watch={"fire_keep_per_watch": 1, "debounce_floor_secs": 0})
    ada, bob = add_person(memory, "Ada"), add_person(memory, "Bob")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0), bob)
    memory.prefer(ada, "brief_day", "wednesday")
    worker = Worker(memory)
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
    assert len(rows(memory, WatchFire)) == 3
    [bobs] = arrive(memory, worker, MONDAY)
    assert len(bobs.lines) == 3
    revise(memory, worker, meals=60)
    assert len(rows(memory, WatchFire)) == 4
    [adas] = arrive(memory, worker, MONDAY + 2 * DAY)
    assert len(adas.lines) == 4
    memory.prefer(bob, "brief_day", "off")
    memory.briefs.schedule("default")
    revise(memory, worker, meals=65)
    assert len(rows(memory, WatchFire)) == 1


def test_fires_of_people_without_a_brief_are_kept_as_ever(reopen, clock):
    memory = reopen(watch={"fire_keep_per_watch": 1, "debounce_floor_secs": 0})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    memory.prefer(ada, "brief_day", "off")
    worker = Worker(memory)
    for amount in (45, 50, 55):
        revise(memory, worker, meals=amount)
        memory.briefs.schedule("default")
    assert len(rows(memory, WatchFire)) <= 2


# ── asked for ──


def test_asked_for_it_tells_what_it_would_and_its_own_time_stays(memory, worker, meals, ada):
    assert memory.briefs.preview(ada) is None
    revise(memory, worker, meals=45)
    assert said(memory.briefs.preview(ada).notice) == [meals_line(40, 45)]
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]
    assert memory.briefs.preview(ada) is None
