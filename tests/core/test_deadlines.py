"""A deadline gives what is left of it, and nothing after it."""

import pytest

from core.clock import Deadline


def test_there_is_something_left_until_it_is_over():
    assert 0 < Deadline(60).left() <= 60
    for over in (0, -1):
        with pytest.raises(TimeoutError):
            Deadline(over).left()


def test_no_rest_is_taken_that_is_longer_than_what_is_left():
    deadline = Deadline(60)
    before = deadline.left()
    assert deadline.rest(0.001)
    assert deadline.left() <= before - 0.001
    assert not deadline.rest(61)
    assert not deadline.rest(float("inf"))
