"""When briefs are due: one each local week, whatever clocks, zones and schedulers do."""

from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.clock import DAY, HOUR, MINUTE, SECOND, from_datetime
from core.model.local_time import local
from core.model.watching import Cadence
from core.watch.cadence import APART, Last, Schedule, due, latest, look_again
from tests.strategies.zones import END, MOMENTS, ODD, START, ZONES, switches

SUNDAY = 6
WEEK = 7 * DAY
WEEKDAYS = st.integers(0, 6)
MINUTES = st.integers(0, 24 * 60 - 1)
SCHEDULES = st.builds(Schedule, ZONES, WEEKDAYS, MINUTES)


def at(text):
    return from_datetime(datetime.fromisoformat(text))


class Person:
    """Somebody with a brief, as their row keeps it; looked at by any number of schedulers."""

    def __init__(self, now, schedule):
        self.schedule = schedule
        self.last = Last(latest(now, schedule).name, 0)
        self.sent = []

    def look(self, now):
        slot = due(now, self.schedule, self.last)
        if slot is not None:
            self.last = Last(slot.name, now)
            self.sent.append((slot.name, now))

    def walk(self, start, end, step=HOUR):
        for now in range(start, end, step):
            self.look(now)
        return self

    @property
    def weeks(self):
        return [week for week, _ in self.sent]


def week_number(week):
    return datetime.fromisoformat(f"{week}-1").toordinal() // 7


def follow_each_other(weeks):
    return all(week_number(b) - week_number(a) == 1 for a, b in pairwise(weeks))


EDGES = [(zone, edge) for zone in ODD[:5] for edge in switches(zone)]


def test_the_zones_tried_change_their_clocks_as_expected():
    """Two switches a year in three of them, none in Kolkata and Kiritimati."""
    assert [len(switches(zone)) for zone in ODD[:5]] == [4, 4, 0, 0, 4]


@pytest.mark.parametrize("zone", ODD[:5])
@pytest.mark.parametrize("minute", [0, 150, 9 * 60])
def test_two_years_of_sundays_hold_one_brief_each(zone, minute):
    schedule = Schedule(zone, SUNDAY, minute)
    person = Person(START, schedule).walk(START, END)
    assert len(person.sent) == 104
    assert follow_each_other(person.weeks)
    assert {local(ts, zone).weekday() for _, ts in person.sent} == {SUNDAY}


@pytest.mark.parametrize(("zone", "edge"), EDGES)
@pytest.mark.parametrize("minute", [60, 105, 120, 150])
def test_around_a_change_of_clocks_a_scheduler_of_five_seconds_sends_once(zone, edge, minute):
    """On the day itself, around the hours that are skipped or repeated."""
    schedule = Schedule(zone, local(edge, zone).weekday(), minute)
    person = Person(edge - 3 * HOUR, schedule).walk(edge - 3 * HOUR, edge + 3 * HOUR, 5 * SECOND)
    assert len(person.sent) == 1
    [(_, sent)] = person.sent
    shown = local(sent, zone)
    assert minute <= shown.hour * 60 + shown.minute <= minute + 60


@pytest.mark.parametrize(
    ("day", "sent"),
    [("2026-03-29", "2026-03-29T03:30:00+02:00"), ("2026-10-25", "2026-10-25T02:30:00+02:00")],
)
def test_row_29_half_past_two_in_berlin_on_both_switch_days(day, sent):
    start = at(f"{day}T00:00:00+02:00") - HOUR
    person = Person(start, Schedule("Europe/Berlin", SUNDAY, 150)).walk(start, start + 2 * DAY, MINUTE)
    assert [ts for _, ts in person.sent] == [at(sent)]


def test_the_last_week_of_a_year_of_53_and_the_first_of_the_next_have_one_each():
    start = at("2026-12-20T00:00:00+00:00")
    person = Person(start, Schedule("UTC", 0, 540)).walk(start, start + 4 * WEEK)
    assert person.weeks == ["2026-W52", "2026-W53", "2027-W01", "2027-W02"]


def test_whoever_begins_after_the_slot_of_a_week_waits_for_the_next():
    monday = at("2026-11-30T10:00:00+00:00")
    person = Person(monday, Schedule("UTC", 0, 540)).walk(monday, monday + WEEK)
    assert person.sent == [("2026-W50", at("2026-12-07T09:00:00+00:00"))]


@pytest.mark.parametrize("new", [zone for zone in ODD if zone != "Europe/Berlin"])
@pytest.mark.parametrize("weekday", range(7))
def test_row_29_a_zone_changed_an_hour_before_the_brief_makes_neither_two_nor_none(new, weekday):
    schedule = Schedule("Europe/Berlin", weekday, 9 * 60)
    begun = latest(START, schedule).name
    slot = look_again(START, schedule, Last(begun, 0)) + WEEK
    person = Person(START, schedule).walk(START, slot - HOUR)
    person.schedule = replace(schedule, zone=new)
    person.walk(slot - HOUR, slot + 2 * WEEK + 2 * DAY)
    assert follow_each_other([begun, *person.weeks])
    assert len(person.sent) == 4
    assert all(b - a >= APART[Cadence.WEEKLY] for (_, a), (_, b) in pairwise(person.sent))


@given(SCHEDULES, st.lists(st.tuples(st.integers(1, 500), ZONES), max_size=6))
@settings(max_examples=150)
def test_one_brief_each_local_week_however_zones_change(schedule, moves):
    """`moves`: hours until the next move, and where to."""
    person, now = Person(START, schedule), START
    for hours, zone in [*moves, (500, schedule.zone)]:
        person.walk(now, now + hours * HOUR)
        now += hours * HOUR
        person.schedule = replace(person.schedule, zone=zone)
    assert follow_each_other([latest(START, schedule).name, *person.weeks])
    assert all(b - a >= APART[Cadence.WEEKLY] for (_, a), (_, b) in pairwise(person.sent))
    assert now - (person.sent[-1][1] if person.sent else START) < WEEK + 2 * DAY


@given(SCHEDULES, st.lists(st.tuples(st.integers(1, 300), WEEKDAYS, MINUTES), max_size=6))
@settings(max_examples=100)
def test_never_two_in_one_local_week_however_day_and_hour_are_chosen_anew(schedule, choices):
    person, now = Person(START, schedule), START
    for hours, weekday, minute in choices:
        person.walk(now, now + hours * HOUR)
        now += hours * HOUR
        person.schedule = replace(person.schedule, weekday=weekday, at_minute=minute)
    assert follow_each_other(person.weeks)
    assert all(b - a >= APART[Cadence.WEEKLY] for (_, a), (_, b) in pairwise(person.sent))


@given(SCHEDULES, MOMENTS, st.integers(1, 6 * 24))
@settings(max_examples=100)
def test_what_a_scheduler_that_was_down_for_days_has_missed_is_made_up_for(schedule, down, hours):
    start = down - 2 * WEEK
    person = Person(start, schedule).walk(start, down)
    person.walk(down + hours * HOUR, down + (hours + 2) * HOUR + 3 * WEEK)  # a week may have an hour more
    assert follow_each_other([latest(start, schedule).name, *person.weeks])
    assert len(person.sent) >= 5
    assert all(b - a >= APART[Cadence.WEEKLY] for (_, a), (_, b) in pairwise(person.sent))


@given(SCHEDULES, st.lists(st.sampled_from("ab"), min_size=1, max_size=30))
@settings(max_examples=50)
def test_two_schedulers_that_take_turns_send_what_one_would(schedule, turns):
    """Whoever looks, looks at the same row: how many there are does not matter."""
    one, two = Person(START, schedule), Person(START, schedule)
    for number, turn in enumerate(turns):
        now = START + number * 11 * HOUR
        one.look(now)
        two.look(now)
        if turn == "b":
            two.look(now)
            two.look(now + SECOND)
    assert two.weeks == one.weeks


@given(SCHEDULES, MOMENTS)
def test_nothing_is_due_before_the_time_to_look_again_and_then_it_is(schedule, now):
    last = Last(latest(now, schedule).name, now - DAY)
    ahead = look_again(now, schedule, last)
    assert now < ahead <= now + WEEK + 2 * DAY
    assert all(due(ts, schedule, last) is None for ts in range(now, ahead, 7 * HOUR))
    assert due(ahead - 1, schedule, last) is None
    assert due(ahead, schedule, last) is not None


@given(SCHEDULES, MOMENTS)
def test_the_slot_that_has_passed_is_the_newest_one(schedule, now):
    slot = latest(now, schedule)
    assert slot.at <= now < slot.at + WEEK + HOUR * 3
    assert (
        local(slot.at, schedule.zone).date().isoformat() >= datetime.fromisoformat(f"{slot.name}-1").date().isoformat()
    )


def test_a_brief_sent_late_keeps_its_distance_from_the_next():
    schedule, last = Schedule("UTC", 0, 540), Last("2026-W49", at("2026-12-06T12:00:00+00:00"))
    assert due(at("2026-12-07T09:00:00+00:00"), schedule, last) is None
    assert look_again(at("2026-12-07T09:00:00+00:00"), schedule, last) == at("2026-12-09T12:00:00+00:00")
    assert due(at("2026-12-09T12:00:00+00:00"), schedule, last).name == "2026-W50"


def test_a_week_behind_the_last_is_not_due_again_after_a_flight_west():
    """The brief of a Monday in Kiritimati; in Los Angeles that Monday is still to come."""
    schedule = Schedule("Pacific/Kiritimati", 0, 540)
    sent = at("2026-12-07T09:00:00+14:00")
    person = Person(sent - DAY, schedule).walk(sent - DAY, sent + HOUR)
    person.schedule = replace(schedule, zone="America/Los_Angeles")
    person.walk(sent + HOUR, sent + 3 * DAY)
    assert person.weeks == ["2026-W50"]
    for later in (HOUR, DAY):
        assert look_again(sent + later, person.schedule, person.last) == at("2026-12-14T09:00:00-08:00")
