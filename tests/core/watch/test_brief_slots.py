"""When the briefs of an hour and of a day are due; and what holds of every period, whatever clocks and zones do."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import DAY, HOUR, MINUTE, from_datetime
from core.model.local_time import local
from core.model.watching import Cadence
from core.watch.cadence import APART, Last, Schedule, Slot, due, latest, look_again
from tests.strategies.zones import END, MOMENTS, ODD, START, ZONES, switches

PERIODS = st.sampled_from([Cadence.HOURLY, Cadence.DAILY, Cadence.WEEKLY])
SCHEDULES = st.builds(Schedule, ZONES, st.integers(0, 6), st.integers(0, 24 * 60 - 1), PERIODS)
LONGEST = {Cadence.HOURLY: 2 * HOUR, Cadence.DAILY: DAY + 2 * HOUR, Cadence.WEEKLY: 7 * DAY + 2 * HOUR}
"""How far two slots of one zone can be apart: a change of clocks lengthens any of them."""
STEPS = st.lists(st.tuples(st.integers(1, 40 * 60), st.none() | ZONES), min_size=1, max_size=25)
"""Minutes until the next look, and where the person has moved by then."""
NAMED = ODD[:5]
EDGES = [(zone, edge) for zone in NAMED for edge in switches(zone)]


def at(text):
    return from_datetime(datetime.fromisoformat(text))


def walk(schedule, begin, looks):
    """The briefs that are sent, as (slot, Ts, zone, since when), where somebody looks at these moments."""
    last, sent = Last(latest(begin, schedule).name, 0), []
    for now, zone in looks:
        schedule = replace(schedule, zone=zone or schedule.zone)
        slot = due(now, schedule, last)
        if slot is not None:
            last = Last(slot.name, now)
            sent.append((slot.name, now, schedule.zone, slot.at))
    return sent


def every(begin, end, step):
    return [(now, None) for now in range(begin, end, step)]


def moments(begin, steps):
    looks = []
    for minutes, zone in steps:
        begin += minutes * MINUTE
        looks.append((begin, zone))
    return looks


# ── a day's ──


@pytest.mark.parametrize("zone", NAMED)
@pytest.mark.parametrize("minute", [0, 150, 23 * 60 + 30])
def test_two_years_hold_one_brief_each_local_day(zone, minute):
    schedule = Schedule(zone, 0, minute, Cadence.DAILY)
    sent = walk(schedule, START, every(START, END, 3 * HOUR))
    days = [local(slot, zone).date().isoformat() for _, _, _, slot in sent]
    assert [name for name, *_ in sent] == days
    assert 728 <= len(set(days)) == len(days) <= 730


@pytest.mark.parametrize(("zone", "edge"), EDGES)
@pytest.mark.parametrize("minute", [60, 120, 150])
def test_on_the_day_of_a_change_of_clocks_it_comes_once_at_its_time_or_the_next_valid_one(zone, edge, minute):
    schedule = Schedule(zone, 0, minute, Cadence.DAILY)
    begin = edge - 6 * HOUR
    [(_, sent, _, _)] = walk(schedule, begin, every(begin, edge + 6 * HOUR, MINUTE))
    shown = local(sent, zone)
    assert minute <= shown.hour * 60 + shown.minute <= minute + 60


@pytest.mark.parametrize(
    ("day", "sent"),
    [("2026-03-29", "2026-03-29T03:30:00+02:00"), ("2026-10-25", "2026-10-25T02:30:00+02:00")],
)
def test_half_past_two_in_berlin_when_it_is_skipped_and_when_it_comes_twice(day, sent):
    begin = at(f"{day}T00:00:00+01:00") - HOUR
    found = walk(Schedule("Europe/Berlin", 0, 150, Cadence.DAILY), begin, every(begin, begin + DAY, MINUTE))
    assert [(name, ts) for name, ts, *_ in found] == [(day, at(sent))]


def test_one_that_comes_late_at_night_keeps_a_nights_distance_from_the_next():
    schedule, sent = Schedule("UTC", 0, 9 * 60, Cadence.DAILY), at("2026-12-07T23:30:00+00:00")
    last = Last("2026-12-07", sent)
    assert due(at("2026-12-08T09:00:00+00:00"), schedule, last) is None
    assert look_again(at("2026-12-08T09:00:00+00:00"), schedule, last) == sent + 10 * HOUR
    assert due(sent + 10 * HOUR, schedule, last).name == "2026-12-08"


# ── an hour's ──


@pytest.mark.parametrize("zone", [*NAMED, "Asia/Kathmandu", "Antarctica/Troll", "America/St_Johns"])
def test_around_every_change_of_clocks_no_full_hour_has_two_and_none_has_none(zone):
    for edge in switches(zone) or [START + 90 * DAY]:
        begin = edge - 4 * HOUR
        sent = walk(Schedule(zone, 0, 0, Cadence.HOURLY), begin, every(begin, edge + 4 * HOUR, 5 * MINUTE))
        full = [ts for ts in range(begin + MINUTE, edge + 4 * HOUR, MINUTE) if local(ts, zone).minute == 0]
        assert [ts for _, ts, _, _ in sent] == full
        assert [slot for *_, slot in sent] == full


def test_the_hour_that_comes_twice_in_berlin_has_two_names():
    begin = at("2026-10-25T01:30:00+02:00")
    sent = walk(Schedule("Europe/Berlin", 0, 0, Cadence.HOURLY), begin, every(begin, begin + 3 * HOUR, MINUTE))
    assert [name for name, *_ in sent] == ["2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T02:00Z"]


def test_the_half_hour_that_lord_howe_skips_leaves_out_the_full_hour_that_it_holds():
    """At two in the morning their clocks go on to half past two."""
    begin = at("2026-10-04T00:30:00+10:30")
    sent = walk(Schedule("Australia/Lord_Howe", 0, 0, Cadence.HOURLY), begin, every(begin, begin + 3 * HOUR, MINUTE))
    shown = [f"{local(ts, 'Australia/Lord_Howe'):%H:%M}" for _, ts, _, _ in sent]
    assert shown == ["01:00", "03:00"]


def test_who_flies_to_another_full_hour_has_no_two_within_less_than_the_distance():
    """From :00 to :15, ten minutes after the last."""
    begin = at("2026-12-07T08:59:00+00:00")
    looks = [(begin + MINUTE, None), *every(begin + 11 * MINUTE, begin + 2 * HOUR, MINUTE)]
    looks[1] = (looks[1][0], "Asia/Kathmandu")
    sent = walk(Schedule("UTC", 0, 0, Cadence.HOURLY), begin, looks)
    assert [f"{local(ts, 'UTC'):%H:%M}" for _, ts, _, _ in sent] == ["09:00", "09:25", "10:15"]


# ── all of them ──


@given(SCHEDULES, MOMENTS, STEPS)
@settings(max_examples=150)
def test_no_slot_is_sent_twice_nor_two_of_one_local_period_however_looks_and_zones_fall(schedule, begin, steps):
    sent = walk(schedule, begin, moments(begin, steps))
    assert all(a < b for (a, *_), (b, *_) in pairwise(sent))
    assert all(b - a >= APART[schedule.period] for (_, a, *_), (_, b, *_) in pairwise(sent))
    assert all(slot <= now for _, now, _, slot in sent)


@given(SCHEDULES, MOMENTS, STEPS)
@settings(max_examples=150)
def test_after_any_look_nothing_is_overdue_but_for_the_distance(schedule, begin, steps):
    """None in a period in which somebody looked is explained by the distance, or by a slot of a later name, alone."""
    last = Last(latest(begin, schedule).name, 0)
    for now, zone in moments(begin, steps):
        schedule = replace(schedule, zone=zone or schedule.zone)
        slot = due(now, schedule, last)
        last = last if slot is None else Last(slot.name, now)
        waits = last.sent_at + APART[schedule.period] > now
        assert latest(now, schedule).name <= last.slot or waits


@given(SCHEDULES, MOMENTS, st.lists(st.integers(0, 10**4), min_size=1, max_size=8))
@settings(max_examples=100)
def test_whoever_looks_first_at_a_moment_the_others_find_nothing(schedule, begin, minutes):
    ordered = [(begin + minute * MINUTE, None) for minute in sorted(minutes)]
    doubled = [look for look in ordered for _ in range(3)]
    assert walk(schedule, begin, doubled) == walk(schedule, begin, ordered)


@given(SCHEDULES, MOMENTS, st.integers(0, 3 * DAY))
def test_nothing_is_due_before_the_time_to_look_again_and_then_it_is(schedule, now, ago):
    last = Last(latest(now, schedule).name, now - ago)
    ahead = look_again(now, schedule, last)
    assert now < ahead <= now + LONGEST[schedule.period] + APART[schedule.period]
    assert due(ahead - 1, schedule, last) is None
    assert due(ahead, schedule, last) is not None


@given(SCHEDULES, MOMENTS)
def test_the_slot_that_has_passed_is_the_newest_and_its_name_the_same_at_its_own_moment(schedule, now):
    slot = latest(now, schedule)
    assert slot.at <= now < slot.at + LONGEST[schedule.period]
    assert latest(slot.at, schedule) == slot
    assert latest(slot.at - 1, schedule).name < slot.name


@given(ZONES, MOMENTS)
def test_an_hours_slot_is_a_moment_at_which_the_minute_hand_stands_at_twelve(zone, now):
    slot = latest(now, Schedule(zone, 0, 0, Cadence.HOURLY))
    shown = local(slot.at, zone)
    assert (shown.minute, shown.second, shown.microsecond) == (0, 0, 0)
    assert slot == Slot(f"{local(slot.at, 'UTC'):%Y-%m-%dT%H:%MZ}", slot.at)
