"""A server is asked again where that may help, after as long as it asks for; else after ever longer waits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generate.tries import is_passing, pause

BUSY = 503
TRIED = st.integers(0, 20)
LUCK = st.floats(0, 1, exclude_max=True)
WORDS = st.text() | st.sampled_from(("nan", "-1", "inf", "1e999", "Mon, 99 Jan 2020 00:00:00 GMT", "soon"))


@pytest.mark.parametrize("status", [None, 408, 409, 425, 429, 500, 503])
def test_what_passes_is_tried_again(status):
    assert pause(0, status, {}, 0) == 0.5


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 422])
def test_what_would_end_the_same_is_not_tried_again(status):
    assert pause(0, status, {}, 0) is None
    assert not is_passing(status)


@pytest.mark.parametrize(
    ("status", "said", "again"), [(429, "false", False), (400, "true", True), (429, "maybe", True)]
)
def test_a_server_that_says_whether_is_believed(status, said, again):
    assert (pause(0, status, {"x-should-retry": said}, 0) is not None) is again


@given(TRIED, LUCK)
def test_waits_grow_to_eight_seconds_and_are_not_alike(tried, luck):
    shortest, wait, longest = (pause(tried, None, {}, at) for at in (1, luck, 0))
    assert shortest <= wait <= longest <= 8
    assert longest == min(0.5 * 2**tried, 8)


@given(TRIED, LUCK)
def test_what_a_server_asks_for_is_kept_to(tried, luck):
    date = {"retry-after": "Wed, 01 Jan 2020 00:01:30 GMT", "date": "Wed, 01 Jan 2020 00:00:00 GMT"}
    past = {"retry-after": date["date"], "date": date["retry-after"]}
    for headers, secs in (
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0"}, 0),
        ({"retry-after-ms": "20", "retry-after": "7"}, 0.02),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7),
        (date, 90),
        (past, 0),
    ):
        assert pause(tried, BUSY, headers, luck) == secs


@given(TRIED, LUCK, WORDS, WORDS)
def test_what_cannot_be_read_asks_for_nothing_and_breaks_nothing(tried, luck, after, date):
    assert pause(tried, BUSY, {"retry-after": after, "retry-after-ms": after, "date": date}, luck) >= 0
    assert pause(tried, BUSY, {"retry-after": "nan", "date": date}, luck) == pause(tried, BUSY, {}, luck)
