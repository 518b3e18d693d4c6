"""The factor of an estimator that learns: its bounds, where it settles, and threads that hammer it."""

import os
import sys
from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import Calibrated, Message
from tests.fakes.estimators import EstimateFailed, Figured, in_bytes
from tests.support.threads import at_once

counts = st.integers(-5, 10**9)
alphas = st.one_of(st.floats(), st.sampled_from([0, 1, 0.3, -1, 2]))


def of(tokens: int) -> list[Message]:
    return [Message("user", b"w" * tokens)]


# ── one by one ──


@given(alphas, st.lists(st.tuples(counts, counts)))
def test_the_factor_stays_within_a_half_and_two(alpha, turns):
    calibrated = Calibrated(Figured(in_bytes), alpha)
    for estimated, actual in turns:
        calibrated.observe(estimated, actual)
        assert 0.5 <= calibrated.factor <= 2.0


@given(alphas, counts, counts)
def test_what_is_not_positive_is_not_counted(alpha, estimated, actual):
    calibrated = Calibrated(Figured(in_bytes), alpha)
    calibrated.observe(1000, 1300)
    before = calibrated.factor
    calibrated.observe(min(estimated, 0), actual)
    calibrated.observe(estimated, min(actual, 0))
    assert calibrated.factor == before


@given(st.floats(0.01, 1), st.floats(0.6, 1.9))
def test_it_settles_where_an_estimate_is_what_it_turns_out_to_be(alpha, ratio):
    calibrated, tokens = Calibrated(Figured(in_bytes), alpha), 10_000
    for _ in range(1_000):
        calibrated.observe(calibrated.estimate(of(tokens)), int(tokens * ratio))
    assert calibrated.estimate(of(tokens)) == pytest.approx(tokens * ratio, rel=0.01)


@given(st.one_of(st.floats(max_value=0), st.floats(min_value=1, exclude_min=True), st.just(float("nan"))))
def test_a_weight_out_of_bounds_is_the_default(alpha):
    odd, plain = Calibrated(Figured(in_bytes), alpha), Calibrated(Figured(in_bytes))
    for each in (odd, plain):
        each.observe(100, 137)
    assert odd.factor == plain.factor == 1.0 * ((1 - 0.3) + 0.3 * (137 / 100))


@given(st.integers(0, 5_000), st.integers(30, 300))
def test_an_estimate_is_cut_to_a_whole_number(tokens, actual):
    calibrated = Calibrated(Figured(in_bytes), 1)
    calibrated.observe(100, actual)
    exact = tokens * calibrated.factor
    assert exact - 1 < calibrated.estimate(of(tokens)) <= exact


@pytest.mark.parametrize(("estimated", "actual", "factor"), [(1, 10**400, 2.0), (10**400, 1, 0.7)])
def test_counts_beyond_any_fraction_leave_the_factor_within_its_bounds(estimated, actual, factor):
    calibrated = Calibrated(Figured(in_bytes))
    calibrated.observe(estimated, actual)
    assert calibrated.factor == pytest.approx(factor)


def test_an_estimate_below_nothing_is_cut_towards_zero():
    calibrated = Calibrated(Figured(lambda _: -3), 1)
    calibrated.observe(2, 3)
    assert calibrated.estimate([]) == -4


def test_what_the_wrapped_estimator_fails_with_passes_through_and_changes_nothing():
    calibrated = Calibrated(Figured(in_bytes, fail_at_counts=[1]))
    calibrated.observe(100, 150)
    with pytest.raises(EstimateFailed):
        calibrated.estimate(of(3))
    assert calibrated.factor == 1.15
    assert calibrated.estimate([]) == 0


# ── many at once ──


class Written(int):
    """A count that writes down that it was divided, and lets the others run before it is used.

    `observe` divides between reading the factor and setting it, so what was written down is the order in which the
    factor was moved, if nothing came between.
    """

    log: list[tuple[int, int]]

    def __truediv__(self, estimated: int) -> float:
        self.log.append((estimated, int(self)))
        os.sched_yield()
        return int(self) / estimated


def written(count: int, log: list[tuple[int, int]]) -> Written:
    made = Written(count)
    made.log = log
    return made


def one_by_one(turns: list[tuple[int, int]]) -> Iterator[float]:
    """Every factor on the way."""
    calibrated = Calibrated(Figured(in_bytes))
    yield calibrated.factor
    for estimated, actual in turns:
        calibrated.observe(estimated, actual)
        yield calibrated.factor


def test_threads_that_hammer_one_factor_leave_it_as_if_they_had_come_one_by_one():
    calibrated, log = Calibrated(Figured(in_bytes)), []
    turns = [[(100 + thread, 60 + 7 * (thread + number) % 90) for number in range(100)] for thread in range(6)]
    seen: list[float] = []
    estimates: list[int] = []

    def observe(mine: list[tuple[int, int]]) -> None:
        for estimated, actual in mine:
            calibrated.observe(estimated, written(actual, log))

    def watch() -> None:
        for _ in range(300):
            seen.append(calibrated.factor)
            estimates.append(calibrated.estimate(of(1000)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        ends = at_once(*(partial(observe, mine) for mine in turns), watch, watch)
    finally:
        sys.setswitchinterval(interval)
    assert ends == [None] * 8
    assert sorted(log) == sorted(turn for mine in turns for turn in mine)
    factors = list(one_by_one(log))
    assert calibrated.factor == factors[-1]
    assert set(seen) <= set(factors)
    assert set(estimates) <= {int(1000 * factor) for factor in factors}
    assert all(0.5 <= factor <= 2.0 for factor in factors)
