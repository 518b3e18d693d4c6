"""Rates and their intervals are what their definitions say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluate.statistics import auc, bootstrap, wilson

SHARES = st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
NUMBERS = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=30)


def test_wilson_as_published():
    found = wilson(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)


@given(SHARES)
def test_wilson_holds_its_share_and_stays_a_share(counts):
    found = wilson(*counts)
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value <= found.high + 1e-12
    assert found.high <= 1


def test_nothing_is_known_of_no_trials():
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    assert (bootstrap([]).low, bootstrap([]).high) == (0.0, 1.0)


@given(NUMBERS)
def test_bootstrap_is_deterministic_and_holds_within_the_range(values):
    found = bootstrap(values)
    assert found == bootstrap(values)
    assert min(values) - 1e-9 <= found.low <= found.high <= max(values) + 1e-9
    assert found.value == pytest.approx(sum(values) / len(values))


@given(NUMBERS, NUMBERS)
def test_auc_is_the_share_of_pairs_in_order(positive, negative):
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    assert auc(positive, negative) == pytest.approx(sum(pairs) / len(pairs))


def test_auc_of_one_side_is_unknown():
    assert auc([], [1.0]) is None
    assert auc([1.0], []) is None
