"""Moments of a person's own clock, on both sides of every change of clocks."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, HOUR, MINUTE, from_datetime
from core.model.local_time import local, moment, next_moment
from tests.strategies.zones import MOMENTS, ZONES


def at(text):
    return from_datetime(datetime.fromisoformat(text))


@pytest.mark.parametrize(
    ("zone", "day", "minute", "expected"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 2 * 60 + 30, "2026-03-29T03:30:00+02:00"),
        ("Europe/Berlin", date(2026, 3, 29), 2 * 60, "2026-03-29T03:00:00+02:00"),
        ("America/Los_Angeles", date(2027, 3, 14), 2 * 60, "2027-03-14T03:00:00-07:00"),
        ("Australia/Lord_Howe", date(2026, 10, 4), 2 * 60, "2026-10-04T02:30:00+11:00"),
        ("America/Santiago", date(2026, 9, 6), 0, "2026-09-06T01:00:00-03:00"),
    ],
)
def test_a_time_that_clocks_skip_is_the_next_valid_one(zone, day, minute, expected):
    assert moment(zone, day, minute) == at(expected)


@pytest.mark.parametrize(
    ("zone", "day", "minute", "expected"),
    [
        ("Europe/Berlin", date(2026, 10, 25), 2 * 60 + 30, "2026-10-25T02:30:00+02:00"),
        ("America/Los_Angeles", date(2026, 11, 1), 60, "2026-11-01T01:00:00-07:00"),
        ("Australia/Lord_Howe", date(2027, 4, 4), 100, "2027-04-04T01:40:00+11:00"),
    ],
)
def test_a_time_that_comes_twice_is_taken_the_first_time(zone, day, minute, expected):
    assert moment(zone, day, minute) == at(expected)


def test_the_next_time_is_the_second_of_a_repeated_one_once_the_first_is_past():
    first = at("2026-10-25T02:30:00+02:00")
    assert next_moment(first - 1, "Europe/Berlin", 150) == first
    assert next_moment(first, "Europe/Berlin", 150) == first + HOUR
    assert next_moment(first + HOUR, "Europe/Berlin", 150) == at("2026-10-26T02:30:00+01:00")


def test_a_zone_that_skips_a_whole_day_has_a_next_time_after_it():
    """Samoa went from Thursday to Saturday."""
    before = at("2011-12-29T22:00:00-10:00")
    assert next_moment(before, "Pacific/Apia", 21 * 60) == at("2011-12-31T21:00:00+14:00")


@given(ZONES, MOMENTS, st.integers(0, 24 * 60 - 1))
def test_the_next_time_is_the_first_at_which_clocks_show_it_or_skip_it(zone, now, minute):
    found = next_moment(now, zone, minute)
    shown = local(found, zone)
    assert now < found <= now + 2 * DAY
    skipped = local(found - 90 * MINUTE, zone).utcoffset() != shown.utcoffset()
    assert (shown.hour * 60 + shown.minute, shown.second) == (minute, 0) or skipped
    sooner = [local(ts, zone) for ts in range(found - 30 * MINUTE, now, -30 * MINUTE)]
    assert all(there.hour * 60 + there.minute != minute for there in sooner)


@given(ZONES, st.dates(date(2020, 1, 1), date(2035, 1, 1)), st.integers(0, 24 * 60 - 1))
def test_a_moment_shows_its_own_time_wherever_clocks_show_it(zone, day, minute):
    """Against the definition: going to UTC and back is the identity just where the local time exists."""
    naive = datetime.combine(day, datetime.min.time()) + timedelta(minutes=minute)
    there = naive.replace(tzinfo=ZoneInfo(zone))
    exists = there.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == naive
    assert (local(moment(zone, day, minute), zone).replace(tzinfo=None) == naive) is exists
