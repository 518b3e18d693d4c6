import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.verify.comparatives import Bound, bound_of


@pytest.mark.parametrize(
    ("ahead", "behind", "bound"),
    [
        ("more than ", "", Bound.MORE),
        ("it is over a total of ", "", Bound.MORE),
        ("no more than ", "", Bound.MOST),
        ("must not exceed ", "", Bound.MOST),
        ("equal to and under ", "", Bound.MOST),
        ("up to ", "", Bound.MOST),
        ("at least ", "", Bound.LEAST),
        ("no fewer than ", "", Bound.LEAST),
        ("fewer than ", "", Bound.LESS),
        ("below ", "", Bound.LESS),
        ("roughly ", "", Bound.ABOUT),
        ("prior to ", "", Bound.BEFORE),
        ("no later than ", "", Bound.MOST),
        ("after ", "", Bound.AFTER),
        ("between ", "", Bound.BETWEEN),
        ("", " or more", Bound.LEAST),
        ("", " people or fewer", Bound.MOST),
        ("", "+", Bound.LEAST),
        ("", " or so", Bound.ABOUT),
        ("", "", Bound.EXACT),
        ("moreover ", "", Bound.EXACT),
        ("more than once it was ", "", Bound.EXACT),
        ("the discover ", "", Bound.EXACT),
        ("", " more people", Bound.EXACT),
    ],
)
def test_the_words_that_touch_a_number_bound_it(ahead, behind, bound):
    assert bound_of(ahead, behind)[0] is bound


@pytest.mark.parametrize(
    ("ahead", "picks"),
    [
        ("meetings with over ", True),
        ("trainings that cost less than ", True),
        ("if it takes more than ", True),
        ("it sold more than ", False),
        ("with help from us it sold a lot more than ", False),
    ],
)
def test_a_bound_may_pick_out_what_is_spoken_of(ahead, picks):
    assert bound_of(ahead, "")[1] is picks


@given(st.text(), st.text())
def test_any_words_make_something_of_a_number(ahead, behind):
    assert isinstance(bound_of(ahead, behind)[0], Bound)
