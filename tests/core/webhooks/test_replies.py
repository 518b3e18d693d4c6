"""What an answer means: taken, gone for good, or to be sent again, and when."""

from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import DAY, HOUR, MINUTE, SECOND, to_datetime
from core.webhooks.replies import LONGEST_WAIT, PATIENCE, REST, Ending, Reply, answered, ending, is_hopeless, rest

NOW = 1_790_000_000 * SECOND


@given(st.integers(100, 599))
def test_only_a_2xx_is_taken_and_only_410_is_for_good(status):
    expected = Ending.DELIVERED if status // 100 == 2 else Ending.GONE if status == 410 else Ending.FAILED
    assert ending(answered(status, None, NOW)) is expected
    assert answered(status, None, NOW).reason == f"http_{status}"


def test_no_answer_is_a_failure_after_which_nothing_is_sent_for_a_while():
    assert ending(Reply("timed_out")) is Ending.FAILED
    assert rest(Reply("timed_out")) == REST == MINUTE


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", 2 * MINUTE),
        (" 5 ", 5 * SECOND),
        ("0", 0),
        ("999999999999999999999999", LONGEST_WAIT),
        (format_datetime(to_datetime(NOW + HOUR), usegmt=True), HOUR),
        (format_datetime(to_datetime(NOW - HOUR), usegmt=True), 0),
        (format_datetime(to_datetime(NOW + 9 * DAY), usegmt=True), LONGEST_WAIT),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("Mon, 99 Foo 2026 99:99:99 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date_within_a_day_and_nothing_else(header, wait):
    assert answered(429, header, NOW).retry_after == wait
    assert rest(answered(429, header, NOW)) == (wait or 0)


@given(st.text())
def test_no_header_does_more_than_ask_for_up_to_a_day(header):
    wait = answered(503, header, NOW).retry_after
    assert wait is None or 0 <= wait <= LONGEST_WAIT


def test_a_webhook_is_hopeless_after_five_days_of_taking_nothing():
    assert not is_hopeless(NOW - PATIENCE + 1, NOW)
    assert is_hopeless(NOW - PATIENCE, NOW)
