from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.answers.status import AnswerStatus, ClaimState, Severity, fold, fold_severity, news, worse

COMBINATIONS = [states for size in range(4) for states in product(ClaimState, repeat=size)]

BY_HAND = """
                                      current
ok                                    current
ok ok                                 current
ok ok ok                              current
affected                              stale
affected affected                     stale
affected affected affected            stale
affected ok                           partially_stale
affected ok ok                        partially_stale
affected affected ok                  partially_stale
pending                               pending
pending ok                            pending
pending affected                      pending
pending pending                       pending
pending ok ok                         pending
pending affected ok                   pending
pending affected affected             pending
pending pending ok                    pending
pending pending affected              pending
pending pending pending               pending
conflicted                            conflicted
conflicted ok                         conflicted
conflicted affected                   conflicted
conflicted pending                    conflicted
conflicted conflicted                 conflicted
conflicted ok ok                      conflicted
conflicted affected ok                conflicted
conflicted affected affected          conflicted
conflicted pending ok                 conflicted
conflicted pending affected           conflicted
conflicted pending pending            conflicted
conflicted conflicted ok              conflicted
conflicted conflicted affected        conflicted
conflicted conflicted pending         conflicted
conflicted conflicted conflicted      conflicted
invalidated                           invalidated
invalidated ok                        invalidated
invalidated affected                  invalidated
invalidated pending                   invalidated
invalidated conflicted                invalidated
invalidated invalidated               invalidated
invalidated ok ok                     invalidated
invalidated affected ok               invalidated
invalidated affected affected         invalidated
invalidated pending ok                invalidated
invalidated pending affected          invalidated
invalidated pending pending           invalidated
invalidated conflicted ok             invalidated
invalidated conflicted affected       invalidated
invalidated conflicted pending        invalidated
invalidated conflicted conflicted     invalidated
invalidated invalidated ok            invalidated
invalidated invalidated affected      invalidated
invalidated invalidated pending       invalidated
invalidated invalidated conflicted    invalidated
invalidated invalidated invalidated   invalidated
"""
TABLE = {tuple(sorted(states)): status for *states, status in map(str.split, BY_HAND.strip("\n").splitlines())}


@pytest.mark.parametrize("states", COMBINATIONS, ids=lambda states: "-".join(states) or "none")
def test_every_combination_up_to_three_claims_is_as_the_table_has_it(states):
    assert fold(states) == TABLE[tuple(sorted(states))]


def test_the_table_holds_every_combination_once():
    assert len(TABLE) == len({tuple(sorted(states)) for states in COMBINATIONS}) == 56


@pytest.mark.parametrize("states", COMBINATIONS, ids=lambda states: "-".join(states) or "none")
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


def test_an_owner_is_told_of_whatever_is_worse_and_of_a_decision_against_the_answer():
    order = ["current", "partially_stale", "stale", "pending", "conflicted", "invalidated", "superseded"]
    worse_ones = {(a, b) for i, a in enumerate(order) for b in order[i + 1 :]}
    decided = {(a, b) for a in ("pending", "conflicted") for b in ("partially_stale", "stale")}
    told = {(a, b) for a, b in product(order, repeat=2) if news(AnswerStatus(a), AnswerStatus(b))}
    assert told == worse_ones | decided


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
