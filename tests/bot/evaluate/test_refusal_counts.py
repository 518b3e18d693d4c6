"""Refusals at a threshold, from the nearness of questions alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.evaluate.refusals import judge

NEAR = st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.9]), min_size=1, max_size=40)


def test_a_question_at_the_threshold_is_answered_and_one_below_it_is_refused():
    found = judge([0.4, 0.5, 0.6], [0.3, 0.4, 0.5], 0.4).configured
    assert (found.unanswerable_refused, found.unanswerable) == (1, 3)
    assert (found.answerable_refused, found.answerable) == (0, 3)
    assert found.share.value == pytest.approx(1 / 3)
    assert found.share.low < 1 / 3 < found.share.high


@pytest.mark.parametrize(("questions", "refused"), [(1, 0), (9, 0), (10, 1), (81, 8)])
def test_the_fitted_threshold_gives_up_one_in_ten_and_not_one_more(questions, refused):
    fitted = judge([place / questions for place in range(questions)], [], 0.4).fitted
    assert fitted.answerable_refused == refused


@given(NEAR, NEAR)
def test_nine_in_ten_are_kept_however_many_are_as_near_as_each_other(answerable, unanswerable):
    fitted = judge(answerable, unanswerable, 0.4).fitted
    assert fitted.answerable_refused <= len(answerable) / 10
    assert fitted.threshold in answerable


@given(NEAR, NEAR)
def test_a_higher_threshold_never_refuses_fewer(answerable, unanswerable):
    low, high = (judge(answerable, unanswerable, threshold).configured for threshold in (0.3, 0.45))
    assert low.unanswerable_refused <= high.unanswerable_refused
    assert low.answerable_refused <= high.answerable_refused


def test_the_area_is_that_of_answerable_above_unanswerable():
    assert judge([0.5, 0.6], [0.1, 0.5], 0.4).auc == pytest.approx(3.5 / 4)
    assert judge([0.5], [], 0.4).auc is None
