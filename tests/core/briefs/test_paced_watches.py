"""A watch that tells hourly, daily or weekly: by the brief of its period, once, and nothing of it is lost."""

from datetime import UTC, datetime

import pytest

from core.clock import DAY, HOUR, MINUTE, from_datetime
from core.errors import InvalidRequest
from core.jobs.kinds import Audience, JobKind
from core.model.notices import BriefNotice, ChangeNotice
from core.model.watching import Cadence, ScopeType, TargetKind, WatchRequest
from core.model.work import Extent
from core.store.tables import Brief, Job, NotifyDelivery, Source, Watch, WatchFire
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
    waits_for,
    week,
)
from tests.support.deliveries import Worker
from tests.support.memories import (
    CHANGES,
    add_person,
    change_row,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)
from tests.support.threads import at_once

SATURDAY = from_datetime(datetime(2026, 12, 5, 9, tzinfo=UTC))
ONE = from_datetime(datetime(2026, 12, 4, 14, tzinfo=UTC))
"""The full hour after a change on Friday, at one o'clock and a minute."""
NEXT = {Cadence.HOURLY: ONE, Cadence.DAILY: SATURDAY, Cadence.WEEKLY: MONDAY}
PERIODS = [pytest.param(cadence, id=cadence.value) for cadence in NEXT]
NEWS = PERIODS[:2]


def watch(memory, person, cadence, *path, **more):
    path = path or ("Travel", "Meals")
    request = watch_request(
        person, ScopeType.ENTITY, section("travel.md", *path), name=path[-1], cadence=cadence, **more
    )
    return memory.watch(request, person)


@pytest.fixture
def paced(worker, memory, ada, cadence):
    """Ada's watch on one section, at a pace."""
    return watch(memory, ada, cadence)


# ── the brief of its slot ──


@pytest.mark.parametrize("cadence", PERIODS)
def test_a_change_comes_with_the_next_brief_of_its_watchs_period_and_not_before(memory, worker, paced, cadence):
    revise(memory, worker, meals=45)
    assert waits_for(memory) == [("pending", cadence)]
    assert worker.notices == []
    assert arrive(memory, worker, NEXT[cadence] - 1) == []
    [brief] = arrive(memory, worker, NEXT[cadence])
    assert (said(brief), brief.period, brief.watches) == ([meals_line(40, 45)], cadence, ("Meals",))
    assert waits_for(memory) == [("sent", cadence)]
    assert [fire.status for fire in rows(memory, WatchFire)] == ["delivered"]


@pytest.mark.parametrize(
    ("cadence", "subject"),
    [
        (Cadence.HOURLY, "brief-hourly:2026-12-04T14:00Z"),
        (Cadence.DAILY, "brief-daily:2026-12-05"),
        (Cadence.WEEKLY, "brief:2026-W50"),
    ],
)
def test_each_slot_has_a_card_of_its_own_name(memory, worker, paced, cadence, subject):
    revise(memory, worker, meals=45)
    arrive(memory, worker, NEXT[cadence])
    assert [card.subject for card in brief_cards(memory)] == [subject]
    [job] = [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_BRIEF]
    assert job.payload["period"] == cadence


@pytest.mark.parametrize("cadence", NEWS)
def test_an_hour_or_a_day_in_which_nothing_changed_has_no_card_and_not_even_a_job(memory, worker, paced, cadence):
    revise(memory, worker, meals=45)
    arrive(memory, worker, NEXT[cadence])
    jobs = len(rows(memory, Job))
    for later in (1, 2, 3):
        assert arrive(memory, worker, NEXT[cadence] + later * HOUR) == []
    assert len(rows(memory, Job)) == jobs


def test_three_changes_of_an_hour_are_one_card(memory, worker, ada):
    watch(memory, ada, Cadence.HOURLY)
    for meals in (45, 50, 55):
        put(memory, "travel.md", travel(meals=meals), ["member"])
        memory.sweep()
        memory.clock.advance(5 * MINUTE)
        worker.send()
    [brief] = arrive(memory, worker, ONE - HOUR)
    assert said(brief) == [meals_line(50, 55), meals_line(45, 50), meals_line(40, 45)]


def test_what_changes_after_a_brief_is_in_the_next_alone(memory, worker, ada):
    watch(memory, ada, Cadence.DAILY)
    revise(memory, worker, meals=45)
    assert len(arrive(memory, worker, SATURDAY)) == 1
    revise(memory, worker, meals=50)
    [second] = arrive(memory, worker, SATURDAY + DAY)
    assert said(second) == [meals_line(45, 50)]


@pytest.mark.parametrize("cadence", PERIODS)
def test_what_was_undone_before_its_brief_makes_no_card(memory, worker, paced, cadence):
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    memory.clock.advance(10 * MINUTE)
    worker.send()
    put(memory, "travel.md", travel(meals=40), ["member"])
    memory.sweep()
    memory.clock.advance(10 * MINUTE)
    worker.send()
    assert len(rows(memory, WatchFire)) == 2
    assert arrive(memory, worker, NEXT[cadence]) == []
    assert {(row.state, row.reason) for row in rows(memory, NotifyDelivery)} == {("skipped", "no_net_change")}


# ── whose, and when ──


@pytest.mark.parametrize("cadence", PERIODS)
def test_recipients_are_those_of_the_day_the_fire_is_spread_and_rights_those_of_the_day_it_is_told(
    memory, worker, cadence
):
    bob = add_person(memory, "Bob", ("member", "steward"))
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    ref = section("travel.md", "Travel", "Meals")
    memory.watch(WatchRequest("all", ScopeType.ENTITY, (ref,), CHANGES, target, cadence, 0), bob)
    eve = add_person(memory, "Eve")
    change(memory, worker, meals=45)
    assert {row.person_id for row in rows(memory, NotifyDelivery)} >= {bob.person_id, eve.person_id}
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["admin"])
    assert arrive(memory, worker, NEXT[cadence]) == []
    assert {row.state for row in rows(memory, NotifyDelivery)} == {"skipped"}


def test_a_days_brief_comes_at_its_readers_own_hour_by_their_own_clock(memory, worker, ada):
    memory.people.put("default", "Ada", zone="Asia/Kolkata")
    memory.prefer(ada, "brief_hour", "7")
    watch(memory, ada, Cadence.DAILY)
    revise(memory, worker, meals=45)
    seven = SATURDAY - 2 * HOUR - 5 * HOUR - 30 * MINUTE
    assert arrive(memory, worker, seven - 1) == []
    assert len(arrive(memory, worker, seven)) == 1


def test_an_hours_brief_comes_when_the_minute_hand_of_its_reader_stands_at_twelve(memory, worker, ada):
    memory.people.put("default", "Ada", zone="Asia/Kathmandu")
    watch(memory, ada, Cadence.HOURLY)
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, ONE - 45 * MINUTE - 1) == []
    assert len(arrive(memory, worker, ONE - 45 * MINUTE)) == 1


def test_quiet_hours_hold_the_briefs_of_many_hours_and_end_in_one(memory, worker, ada):
    memory.prefer(ada, "quiet_from", "13")
    memory.prefer(ada, "quiet_until", "18")
    watch(memory, ada, Cadence.HOURLY)
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, ONE) == []
    revise(memory, worker, meals=50)
    assert arrive(memory, worker, ONE + 2 * HOUR) == []
    [brief] = arrive(memory, worker, ONE + 4 * HOUR)
    assert said(brief) == [meals_line(45, 50), meals_line(40, 45)]
    assert len(brief_cards(memory)) == 1


@pytest.mark.parametrize("cadence", NEWS)
def test_whoever_muted_everything_has_it_when_the_mute_ends(memory, worker, ada, paced, cadence):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.mute_all(ada, NEXT[cadence] + HOUR)
    assert arrive(memory, worker, NEXT[cadence]) == []
    memory.clock.ts = NEXT[cadence] + HOUR
    assert len(week(worker)) == 1


def test_what_is_of_a_muted_watch_waits_for_the_first_brief_after_the_mute(memory, worker, ada):
    meals = watch(memory, ada, Cadence.DAILY)
    change_row(memory, Watch, ("default", meals.watch_id), muted_until=SATURDAY + HOUR)
    change(memory, worker, meals=45)
    assert arrive(memory, worker, SATURDAY) == []
    [brief] = arrive(memory, worker, SATURDAY + DAY)
    assert said(brief) == [meals_line(40, 45)]


def test_what_is_of_a_stopped_watch_is_not_told(memory, worker, ada):
    meals = watch(memory, ada, Cadence.DAILY)
    change(memory, worker, meals=45)
    with memory._database.write("default") as tx:
        memory._engines.watch.mute(tx, meals.watch_id, ada, None)
    assert arrive(memory, worker, SATURDAY) == []
    assert [(row.state, row.reason) for row in rows(memory, NotifyDelivery)] == [("skipped", "suppressed")]


# ── beside other cards ──


def test_no_card_of_changes_takes_along_what_waits_for_a_brief(memory, worker, ada):
    watch(memory, ada, Cadence.DAILY)
    watch(memory, ada, Cadence.IMMEDIATE, "Travel", "Hotels")
    revise(memory, worker, meals=45, hotels=160)
    [notice] = worker.notices
    assert [reason.name for reason in notice.reasons] == ["Hotels"]
    [brief] = arrive(memory, worker, SATURDAY)
    assert said(brief) == [meals_line(40, 45)]


def test_what_a_card_has_told_is_no_news_for_the_brief_of_a_day(memory, worker, ada):
    watch(memory, ada, Cadence.DAILY)
    memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION", name="sections"), ada)
    revise(memory, worker, meals=45)
    assert [type(notice) for notice in worker.notices] == [ChangeNotice]
    assert arrive(memory, worker, SATURDAY) == []


@pytest.mark.parametrize("cadence", NEWS)
def test_a_card_tells_of_a_thing_from_where_what_waits_for_a_brief_begins(memory, worker, ada, cadence):
    """The brief takes the thing for shown then, and would never say what it was at first."""
    memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION", name="sections", cadence=cadence), ada)
    change(memory, worker, meals=45)
    watch(memory, ada, Cadence.IMMEDIATE)
    revise(memory, worker, meals=50)
    [notice] = worker.notices
    assert [(c.before, c.after) for line in notice.lines for c in line.changes] == meals_line(40, 50)
    assert [reason.name for reason in notice.reasons] == ["Meals"]
    assert arrive(memory, worker, NEXT[cadence] + HOUR) == []


@pytest.mark.parametrize("cadence", PERIODS)
def test_what_a_brief_in_hand_tells_is_no_news_for_a_card(memory, worker, ada, cadence):
    watch(memory, ada, cadence)
    memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION", name="sections"), ada)
    revise(memory, worker, hotels=160)
    worker.brief()
    memory.clock.ts = MONDAY - HOUR
    worker.brief()
    change(memory, worker, meals=45)
    worker.brief()
    [due] = memory.delivery.due()
    brief = memory.delivery.take(due.tenant_id, due.message_id, worker.present)
    assert worker.take() == [], "the brief may have told it by the time the card arrives"
    memory.outcomes.sent(brief, "ref")
    memory.clock.advance(MINUTE)
    assert worker.send() == []
    assert [type(notice) for notice in worker.notices] == [ChangeNotice, BriefNotice]


def test_the_week_lists_what_an_hour_and_a_day_have_told_once_each(memory, worker, ada):
    watch(memory, ada, Cadence.HOURLY)
    watch(memory, ada, Cadence.DAILY, "Travel", "Hotels")
    revise(memory, worker, meals=45, hotels=160)
    assert len(arrive(memory, worker, ONE)) == 1
    assert len(arrive(memory, worker, SATURDAY)) == 1
    [brief] = arrive(memory, worker, MONDAY)
    assert (brief.period, len(brief.lines)) == (Cadence.WEEKLY, 2)
    assert arrive(memory, worker, MONDAY + WEEK) == []


def test_where_an_hour_a_day_and_a_week_end_together_their_reader_gets_the_week_alone(memory, worker, ada):
    for cadence, path in zip(NEXT, ("Meals", "Hotels", "Meals"), strict=True):
        watch(memory, ada, cadence, "Travel", path, events=CHANGES[: 1 + (cadence is Cadence.WEEKLY)])
    memory.clock.ts = MONDAY - 2 * HOUR
    revise(memory, worker, meals=45, hotels=160)
    worker.brief()
    memory.clock.ts = MONDAY
    worker.brief()
    assert len(brief_cards(memory)) == 3
    for _ in range(3):
        worker.send()
        memory.clock.advance(MINUTE)
    assert [notice.period for notice in worker.notices if isinstance(notice, BriefNotice)] == [Cadence.WEEKLY]
    assert sorted(card.state for card in brief_cards(memory)) == ["sent", "skipped", "skipped"]


# ── nothing is lost ──


def test_with_the_weekly_brief_off_what_waits_for_it_comes_when_the_person_next_writes(memory, worker, ada):
    memory.prefer(ada, "brief_day", "off")
    watch(memory, ada, Cadence.WEEKLY)
    revise(memory, worker, meals=45)
    assert arrive(memory, worker, MONDAY + WEEK) == []
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "Hello"})
    worker.send()
    [notice] = worker.notices
    assert [(c.before, c.after) for c in notice.lines[0].changes] == meals_line(40, 45)


@pytest.mark.parametrize("cadence", PERIODS)
def test_a_word_of_a_person_brings_nothing_sooner_that_a_brief_will_tell(memory, worker, ada, paced, cadence):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "Hello"})
    assert worker.send() == []
    assert len(arrive(memory, worker, NEXT[cadence])) == 1


def test_a_weekly_brief_that_is_on_again_tells_what_waited_for_it(memory, worker, ada):
    memory.prefer(ada, "brief_day", "off")
    watch(memory, ada, Cadence.WEEKLY)
    revise(memory, worker, meals=45)
    worker.brief()
    memory.prefer(ada, "brief_day", "monday")
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]


@pytest.mark.parametrize("cadence", NEWS)
def test_what_a_brief_could_not_carry_is_told_by_the_next_card_of_any_kind(memory, worker, ada, paced, cadence):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker, NEXT[cadence])
    memory.outcomes.not_sent(card, "invalid", lasting=Extent.CARD)
    assert waits_for(memory) == [("carried", cadence)]
    worker.notices.clear()
    watch(memory, ada, Cadence.IMMEDIATE, "Travel", "Hotels")
    revise(memory, worker, meals=45, hotels=160)
    [notice] = worker.notices
    assert {reason.name for reason in notice.reasons} == {"Meals", "Hotels"}


@pytest.mark.parametrize("cadence", NEWS)
def test_a_brief_refused_at_one_place_comes_at_the_other_as_a_brief(memory, worker, ada, paced, cadence):
    other = place_of(ada.person_id)
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker, NEXT[cadence])
    memory.people.departed("default", card.place, "gone")
    memory.outcomes.not_sent(card, "gone", lasting=Extent.PERSON)
    assert waits_for(memory) == [("pending", cadence)]
    memory.people.returned("default", other)
    [brief] = arrive(memory, worker, NEXT[cadence] + (DAY if cadence is Cadence.DAILY else HOUR))
    assert (said(brief), brief.period) == ([meals_line(40, 45)], cadence)


@pytest.mark.parametrize("cadence", PERIODS)
def test_no_fire_is_pruned_before_its_brief_has_told_it(reopen, clock, cadence):
    memory = reopen(watch={"fire_keep_per_watch": 1, "debounce_floor_secs": 0})
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel(meals=40), ["member"])
    memory.sweep()
    watch(memory, ada, cadence)
    worker = Worker(memory)
    for number, meals in enumerate((45, 50, 55)):
        put(memory, "travel.md", travel(meals=meals), ["member"])
        memory.clock.advance(2 * MINUTE)
        memory.sweep()
        memory.clock.advance(MINUTE)
        worker.spread()
        assert len(rows(memory, WatchFire)) == number + 1
    [brief] = arrive(memory, worker, NEXT[cadence] - (HOUR if cadence is Cadence.HOURLY else 0))
    assert len(brief.lines) == 3


# ── another pace ──


@pytest.mark.parametrize("cadence", PERIODS)
def test_another_pace_is_the_same_watch_and_holds_from_then_on(memory, worker, ada, paced, cadence):
    change(memory, worker, meals=45)
    again = watch(memory, ada, Cadence.IMMEDIATE)
    assert (again.watch_id, again.fresh, again.cadence) == (paced.watch_id, False, Cadence.IMMEDIATE)
    assert worker.send() == [], "what waits for its brief is told by it"
    [brief] = arrive(memory, worker, NEXT[cadence])
    assert said(brief) == [meals_line(40, 45)]
    revise(memory, worker, meals=50)
    assert isinstance(worker.notices[-1], ChangeNotice)


def test_what_waited_at_once_is_told_at_once_though_the_pace_is_another_by_then(memory, worker, meals, ada):
    change(memory, worker, meals=45)
    watch(memory, ada, Cadence.DAILY)
    worker.send()
    assert [type(notice) for notice in worker.notices] == [ChangeNotice]
    assert arrive(memory, worker, SATURDAY) == []


def test_who_watches_it_again_without_a_word_on_pace_keeps_theirs(memory, worker, ada):
    watch(memory, ada, Cadence.DAILY)
    assert watch(memory, ada, None).cadence is Cadence.DAILY


def test_a_stopped_watch_that_is_made_again_tells_at_once(memory, worker, ada):
    stopped = watch(memory, ada, Cadence.DAILY)
    with memory._database.write("default") as tx:
        memory._engines.watch.mute(tx, stopped.watch_id, ada, None)
    again = watch(memory, ada, None)
    assert (again.fresh, again.cadence) == (True, Cadence.IMMEDIATE)


def test_an_unknown_pace_is_refused_by_naming_those_there_are(memory, worker, ada):
    with pytest.raises(InvalidRequest, match="'fortnightly': one of immediate, hourly, daily, weekly"):
        watch(memory, ada, "fortnightly")


def test_what_tells_no_person_has_no_pace(memory, worker, ada):
    target = {"kind": TargetKind.INTERNAL, "job_kind": "check:answer", "answer_id": "x"}
    request = WatchRequest("check", ScopeType.LABEL, ("SECTION",), CHANGES, target, Cadence.DAILY)
    with pytest.raises(InvalidRequest, match="only people have briefs"):
        memory.watch(request, ada)


# ── at once ──


@pytest.mark.parametrize("cadence", PERIODS)
def test_two_schedulers_and_two_workers_make_one_brief_of_a_slot(memory, worker, paced, cadence):
    revise(memory, worker, meals=45)
    worker.brief()
    memory.clock.ts = NEXT[cadence]
    at_once(*[lambda: memory.briefs.schedule("default")] * 4)
    found = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_BRIEF], "a", 9)
    assert len(found) == 1
    at_once(*[lambda: memory.briefs.make(found[0])] * 2)
    assert len(brief_cards(memory)) == 1
    assert len(week(worker)) == 1


def test_who_watches_at_every_pace_has_a_brief_of_each(memory, worker, ada):
    for cadence, events in zip(NEXT, (CHANGES, CHANGES[:1], CHANGES[1:]), strict=True):
        watch(memory, ada, cadence, events=events)
    revise(memory, worker, meals=45)
    assert {row.period for row in rows(memory, Brief)} == {"hourly", "daily", "weekly"}
