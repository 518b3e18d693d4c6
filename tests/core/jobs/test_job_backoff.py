from hypothesis import given
from hypothesis import strategies as st

from core.clock import HOUR, SECOND
from core.jobs.backoff import BASE, CEILING, wait

ATTEMPTS = st.integers(1, 10**6)
JITTER = st.floats(0, 1, exclude_max=True)
MAX_ATTEMPTS = 8


def test_the_waits_without_and_with_full_jitter():
    assert [wait(n, 0.0) / SECOND for n in range(1, 8)] == [2.5, 10, 40, 160, 640, 1800, 1800]
    assert wait(1, 0.5) == 3_750_000


@given(ATTEMPTS, JITTER)
def test_a_wait_is_whole_microseconds_between_half_and_the_full_step(attempt, jitter):
    least = wait(attempt, 0.0)
    assert type(least) is int
    assert BASE // 2 <= least <= wait(attempt, jitter) < 2 * least <= CEILING


@given(ATTEMPTS, JITTER)
def test_a_later_attempt_never_waits_less_under_the_same_jitter(attempt, jitter):
    assert wait(attempt, jitter) <= wait(attempt + 1, jitter)


@given(ATTEMPTS, JITTER, JITTER)
def test_more_jitter_is_never_a_shorter_wait(attempt, one, other):
    low, high = sorted((one, other))
    assert wait(attempt, low) <= wait(attempt, high)


@given(JITTER)
def test_eight_attempts_outlive_an_outage_of_an_hour_and_end_within_three(jitter):
    total = sum(wait(attempt, jitter) for attempt in range(1, MAX_ATTEMPTS))
    assert HOUR < total < 3 * HOUR
