"""What fails again and again is told at once, and then once a minute with how often."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.vitals import TELL_AGAIN, Vital
from core.clock import HOUR, SECOND, ManualClock
from tests.support.memories import NOW


@pytest.fixture
def vital(clock):
    return Vital("sweep", clock, 60)


def test_the_first_failure_is_told_at_once_and_the_next_after_a_minute_with_those_between(vital, clock):
    told = []
    for _ in range(61):
        told.append(vital.fails("sweep: down"))
        clock.advance(SECOND)
    assert told == [1, *[0] * 59, 60]


def test_another_failure_is_told_at_once_too(vital):
    assert [vital.fails(how) for how in ("down", "down", "full", "down", "full")] == [1, 0, 1, 0, 0]


def test_what_failed_once_and_again_much_later_failed_once(vital, clock):
    assert vital.fails("down") == 1
    clock.advance(HOUR)
    assert vital.fails("down") == 1


def test_a_clock_that_is_set_back_silences_nothing(vital, clock):
    vital.fails("down")
    clock.advance(-HOUR)
    assert vital.fails("down") == 1


@given(st.lists(st.integers(0, 2 * TELL_AGAIN), max_size=50))
def test_every_failure_is_in_what_was_told_or_is_told_next(waits):
    clock = ManualClock(NOW)
    vital, told = Vital("sweep", clock, 60), []
    for wait in waits:
        told.append(vital.fails("down"))
        clock.advance(wait)
    clock.advance(TELL_AGAIN)
    assert sum(told) + vital.fails("down") == len(waits) + 1
