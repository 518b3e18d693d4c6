"""Of many none stops another, and none that failed goes unheard."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFound, StoreUnavailable
from core.model.apart import apart


@given(st.lists(st.booleans()))
def test_all_have_their_turn_and_every_failure_is_raised_at_the_end(fails):
    seen, raised = [], []
    try:
        with apart("numbers") as turn:
            for number, bad in enumerate(fails):
                with turn():
                    seen.append(number)
                    if bad:
                        raise NotFound(str(number))
    except ExceptionGroup as group:
        raised = [str(error) for error in group.exceptions]
    assert seen == list(range(len(fails)))
    assert raised == [str(number) for number, bad in enumerate(fails) if bad]


def test_without_a_store_the_others_are_not_even_tried():
    seen = []

    def look():
        with apart("numbers") as turn:
            for number in range(3):
                with turn():
                    seen.append(number)
                    raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        look()
    assert seen == [0]


def test_whoever_is_to_stop_is_stopped_at_once():
    with pytest.raises(KeyboardInterrupt), apart("numbers") as turn, turn():
        raise KeyboardInterrupt
