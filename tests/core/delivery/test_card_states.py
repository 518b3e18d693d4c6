from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidRequest
from core.model.card_states import TRANSITIONS, CardEvent, CardState, step


@pytest.mark.parametrize(
    ("events", "end"),
    [
        ("claim accept", "sent"),
        ("claim reject claim accept", "sent"),
        ("claim lose find", "sent"),
        ("claim lose miss claim accept", "sent"),
        ("claim lose carry", "skipped"),
        ("claim reject park carry", "skipped"),
        ("skip", "skipped"),
        ("claim skip", "skipped"),
        ("claim accept redact", "redacted"),
        ("claim lose redact", "redacted"),
        ("claim accept vanish claim accept", "sent"),
        ("claim accept vanish claim lose carry", "skipped"),
    ],
)
def test_the_roads_a_card_may_take(events, end):
    state = CardState.PENDING
    for event in events.split():
        state = step(state, CardEvent(event))
    assert state == end


@pytest.mark.parametrize(("state", "event"), [*product(CardState, CardEvent)])
def test_a_move_is_in_the_table_or_an_error_that_names_both_and_what_would_be_right(state, event):
    if event in TRANSITIONS[state]:
        assert step(state, event) is TRANSITIONS[state][event]
    else:
        with pytest.raises(InvalidRequest, match=f"is {state} cannot {event}; it can") as caught:
            step(state, event)
        assert all(allowed in str(caught.value) for allowed in TRANSITIONS[state])


PROOF = {CardEvent.MISS, CardEvent.VANISH}


def walks():
    return st.lists(st.sampled_from(CardEvent), max_size=30)


def path(events):
    """The states passed through, events the table does not allow left out."""
    state = CardState.PENDING
    steps = []
    for event in events:
        if event in TRANSITIONS[state]:
            state = step(state, event)
            steps.append((event, state))
    return steps


@given(walks())
def test_a_card_that_may_be_out_is_never_sent_again_without_proof_that_it_is_not(events):
    """Between a send and the next claim the platform has always said that the card is not there."""
    may_be_out = False
    for event, state in path(events):
        assert not (may_be_out and state is CardState.SENDING)
        may_be_out = state in {CardState.UNKNOWN, CardState.SENT} or (may_be_out and event not in PROOF)


@given(walks())
def test_a_card_is_accepted_at_most_once_until_its_copy_is_gone(events):
    accepted = [event for event, _ in path(events) if event in {CardEvent.ACCEPT, CardEvent.FIND, CardEvent.VANISH}]
    assert all(event is CardEvent.VANISH for event in accepted[1::2])
    assert CardEvent.VANISH not in accepted[::2]


def test_every_state_is_in_the_table_and_can_be_reached():
    assert set(TRANSITIONS) == set(CardState)
    targets = {state for row in TRANSITIONS.values() for state in row.values()}
    assert targets | {CardState.PENDING} == set(CardState)


def test_every_state_but_the_last_ones_has_a_way_to_an_end():
    ends = {state for state, row in TRANSITIONS.items() if not row}
    assert ends == {CardState.REDACTED}
    settled = ends | {CardState.SENT, CardState.SKIPPED}
    for _ in CardState:
        settled |= {state for state, row in TRANSITIONS.items() if settled & set(row.values())}
    assert settled == set(CardState)


def test_an_empty_end_says_so():
    with pytest.raises(InvalidRequest, match="do nothing more"):
        step(CardState.REDACTED, CardEvent.CLAIM)
