import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verify.score import lexical, score

SHARE = st.floats(0, 1)
TERMS = st.lists(st.sampled_from("abcdefgh"), max_size=8)


@pytest.mark.parametrize(
    ("cos", "lex", "beta", "expected"),
    [
        (0.81, 0.25, 0.5, 0.45),
        (0.5, 1.0, 0.5, math.sqrt(0.5)),
        (0.8, 0.3, 1.0, 0.8),
        (0.8, 0.3, 0.0, 0.3),
        (-0.4, 1.0, 0.5, 0.0),
        (1.7, 1.0, 0.5, 1.0),
        (math.nan, 1.0, 0.5, 0.0),
        (1.0, 0.0, 0.5, 0.0),
    ],
)
def test_the_fusion_by_hand(cos, lex, beta, expected):
    assert score(cos, lex, beta) == pytest.approx(expected)


@given(st.floats(allow_nan=True), SHARE, SHARE)
def test_a_score_is_always_a_share(cos, lex, beta):
    assert 0.0 <= score(cos, lex, beta) <= 1.0


@given(SHARE, SHARE, SHARE, SHARE)
def test_closer_meaning_or_more_words_never_score_less(cos, lex, beta, more):
    base = score(cos, lex, beta)
    assert score(max(cos, more), lex, beta) >= base
    assert score(cos, max(lex, more), beta) >= base


def test_recall_counts_each_term_of_the_claim_once():
    assert lexical(["a", "a", "b", "c"], ["a", "x"]) == pytest.approx(1 / 3)


def test_a_rare_term_weighs_more_than_a_common_one():
    weight = {"common": 1.0, "rare": 3.0}.__getitem__
    assert lexical(["common", "rare"], ["rare"], weight) == 0.75
    assert lexical(["common", "rare"], ["common"], weight) == 0.25


@pytest.mark.parametrize("idf", [None, lambda _: 0.0])
def test_where_nothing_has_weight_nothing_is_recalled(idf):
    assert lexical([], ["a"], idf) == 0.0
    assert lexical(["a"], ["a"], idf) == (0.0 if idf else 1.0)


@given(TERMS, TERMS, st.permutations("abcdefgh"))
def test_recall_is_a_share_that_more_words_never_lower(claim, span, more):
    assert 0.0 <= lexical(claim, span) <= lexical(claim, [*span, *more]) <= 1.0
    assert lexical(claim, span) == lexical(claim[::-1], span[::-1])
