"""What a person may choose, and what is kept of it."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, HOUR, SECOND
from core.errors import InvalidRequest
from core.model.grants import MUTES, CardAction
from core.model.local_time import local
from core.model.preferences import (
    CHOICES,
    MUTE,
    MUTE_CHOICES,
    MUTE_TIMES,
    OFF,
    Preferences,
    check,
    muted_until,
    settable,
)

DEFAULTS = Preferences(0, 9 * 60)
ROWS = st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in CHOICES.items()})


def test_nothing_chosen_is_the_defaults():
    assert DEFAULTS.chosen({}) == DEFAULTS


@given(ROWS)
def test_rows_say_what_they_are_read_as(rows):
    chosen = DEFAULTS.chosen(rows)
    assert chosen.to_rows() == DEFAULTS.to_rows() | rows
    assert Preferences(3, 0, 1, 2, "slack").chosen(chosen.to_rows()) == chosen


def test_days_and_hours_are_said_in_words_and_read_as_numbers():
    rows = {"brief_day": "sunday", "brief_hour": "17", "quiet_from": "0", "quiet_until": "off", "platform": "slack"}
    assert DEFAULTS.chosen(rows) == Preferences(6, 17 * 60, 0, None, "slack")
    assert DEFAULTS.chosen({"brief_day": "off"}).brief_day is None


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in CHOICES.items() for v in values])
def test_every_choice_may_be_made_and_offered(name, value):
    check(name, value)
    assert settable(name).allows(CardAction("preference_set", name, value))


@pytest.mark.parametrize(
    ("name", "value"), [*product(CHOICES, ["", "24", "-1", "Monday", "on", "09"]), (MUTE, "1h"), ("theme", "dark")]
)
def test_no_other_may(name, value):
    with pytest.raises(InvalidRequest, match=name):
        check(name, value)


def test_how_long_to_mute_is_offered_like_a_preference():
    assert settable(MUTE).args == MUTE_CHOICES
    assert not settable(MUTE).allows(CardAction("preference_set", MUTE, "1y"))


def test_every_time_that_any_button_offers_has_a_length():
    assert {*MUTES, *MUTE_CHOICES} == {*MUTE_TIMES, OFF, "stop"}


@given(st.integers(0, 4_000_000_000 * SECOND), st.sampled_from(["UTC", "Asia/Kolkata", "Pacific/Kiritimati"]))
def test_the_times_come_in_the_order_in_which_they_are_offered(now, zone):
    ends = {choice: muted_until(now, zone, choice) for choice in MUTE_CHOICES}
    assert ends.pop(OFF) == 0
    assert now < ends["1h"] == now + HOUR < ends["1d"] == now + DAY < ends["1w"] == now + 7 * DAY
    morning = local(ends["tomorrow"], zone)
    assert (morning.hour, morning.minute) == (6, 0)
    assert now < ends["tomorrow"] <= now + 30 * HOUR


@pytest.mark.parametrize("choice", ["", "2h", "stop", "Tomorrow"])
def test_no_other_time_is_known(choice):
    with pytest.raises(InvalidRequest, match="no time to mute for"):
        muted_until(0, "UTC", choice)
