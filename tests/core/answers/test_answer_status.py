from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.status import AnswerStatus, ClaimState, Severity, fold, fold_severity, worse

COMBINATIONS = [states for size in range(4) for states in product(ClaimState, repeat=size)]


def expected(states):
    """The seed's flow chart, question by question."""
    chart = [
        ("invalidated" in states, "invalidated"),
        ("conflicted" in states, "conflicted"),
        ("pending" in states, "pending"),
        (bool(states) and all(state == "affected" for state in states), "stale"),
        ("affected" in states, "partially_stale"),
        (True, "current"),
    ]
    return next(status for holds, status in chart if holds)


@pytest.mark.parametrize("states", COMBINATIONS, ids=lambda states: "-".join(states) or "none")
def test_every_combination_up_to_three_claims_follows_the_chart(states):
    assert fold(states) == expected(states)


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], "current"),
        (["ok"], "current"),
        (["ok", "ok", "ok"], "current"),
        (["affected"], "stale"),
        (["affected", "affected"], "stale"),
        (["affected", "ok"], "partially_stale"),
        (["ok", "affected", "affected"], "partially_stale"),
        (["pending", "affected", "affected"], "pending"),
        (["conflicted", "pending"], "conflicted"),
        (["ok", "conflicted", "invalidated"], "invalidated"),
    ],
)
def test_the_table_by_hand(states, status):
    assert fold([ClaimState(state) for state in states]) == status


@pytest.mark.parametrize("states", COMBINATIONS[:31])
def test_superseded_goes_before_everything(states):
    assert fold(states, superseded=True) is AnswerStatus.SUPERSEDED


@given(st.lists(st.sampled_from(ClaimState)), st.randoms())
def test_the_order_of_claims_does_not_matter(states, random):
    shuffled = list(states)
    random.shuffle(shuffled)
    assert fold(shuffled) is fold(states)


@given(st.lists(st.sampled_from(ClaimState)))
def test_only_a_refresh_supersedes(states):
    assert fold(states) is not AnswerStatus.SUPERSEDED


@given(st.lists(st.sampled_from(ClaimState), min_size=1), st.data())
def test_a_claim_that_gets_worse_never_makes_the_answer_better(states, data):
    place = data.draw(st.integers(0, len(states) - 1))
    ranks = list(ClaimState)
    state = data.draw(st.sampled_from(ranks[ranks.index(states[place]) :]))
    assert not worse(fold(states), fold([*states[:place], state, *states[place + 1 :]]))


def test_statuses_are_ordered_as_the_seed_orders_them():
    order = ["superseded", "invalidated", "conflicted", "pending", "stale", "partially_stale", "current"]
    for i, j in product(range(len(order)), repeat=2):
        assert worse(AnswerStatus(order[i]), AnswerStatus(order[j])) is (i < j)


@pytest.mark.parametrize(
    ("severities", "highest"),
    [
        ([], None),
        ([None, None], None),
        ([None, Severity.MATERIAL], Severity.MATERIAL),
        ([Severity.MATERIAL, None], Severity.MATERIAL),
    ],
)
def test_an_answer_is_as_severe_as_its_most_severe_claim(severities, highest):
    assert fold_severity(severities) is highest
