"""Quiet hours hold cards until the person's own morning."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, HOUR, MINUTE, from_datetime
from core.delivery.quiet import held_until
from core.model.local_time import local
from tests.strategies.zones import MOMENTS, ZONES

HOURS = st.integers(0, 23)


def at(text):
    return from_datetime(datetime.fromisoformat(text))


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-12-01T19:59:59+01:00", None),
        ("2026-12-01T20:00:00+01:00", "2026-12-02T08:00:00+01:00"),
        ("2026-12-02T00:30:00+01:00", "2026-12-02T08:00:00+01:00"),
        ("2026-12-02T07:59:59+01:00", "2026-12-02T08:00:00+01:00"),
        ("2026-12-02T08:00:00+01:00", None),
    ],
)
def test_hours_that_pass_midnight_hold_until_the_morning(now, until):
    assert held_until(at(now), "Europe/Berlin", 20, 8) == (at(until) if until else 0)


def test_hours_within_a_day_hold_until_their_end():
    assert held_until(at("2026-12-01T13:00:00+00:00"), "UTC", 12, 14) == at("2026-12-01T14:00:00+00:00")
    assert held_until(at("2026-12-01T11:00:00+00:00"), "UTC", 12, 14) == 0


@pytest.mark.parametrize("hours", [(None, 8), (20, None), (None, None), (9, 9)])
def test_who_has_set_no_quiet_hours_has_none(hours):
    assert all(held_until(at("2026-12-01T00:00:00+00:00") + n * HOUR, "UTC", *hours) == 0 for n in range(24))


@pytest.mark.parametrize(
    ("now", "hours", "until"),
    [
        ("2026-03-29T01:30:00+01:00", (22, 2), "2026-03-29T03:00:00+02:00"),
        ("2026-10-25T01:30:00+02:00", (22, 2), "2026-10-25T02:00:00+02:00"),
        ("2026-10-25T02:30:00+02:00", (2, 3), "2026-10-25T03:00:00+01:00"),
        ("2026-10-25T02:30:00+01:00", (2, 3), "2026-10-25T03:00:00+01:00"),
    ],
    ids=["an end that is skipped", "an end that is repeated", "a repeated hour", "its second time"],
)
def test_on_the_days_when_clocks_change(now, hours, until):
    assert held_until(at(now), "Europe/Berlin", *hours) == at(until)


@given(MOMENTS, ZONES, HOURS, HOURS)
def test_what_is_held_is_held_to_the_end_of_the_quiet_hours_and_no_longer(now, zone, start, end):
    until = held_until(now, zone, start, end)
    shown = local(now, zone).hour
    assert (until != 0) == ((shown - start) % 24 < (end - start) % 24)
    if until:
        assert now < until <= now + DAY + 3 * HOUR
        assert held_until(until - MINUTE, zone, start, end) in {until, 0}


@given(MOMENTS, ZONES, HOURS, HOURS)
def test_whoever_has_waited_waits_for_another_night_at_the_earliest(now, zone, start, end):
    """But where clocks go back into the quiet hours: these are quiet too."""
    until = held_until(now, zone, start, end)
    again = held_until(until, zone, start, end) if until else 0
    assert again == 0 or local(until, zone).hour != end
