"""The life of a clarification: every state against everything that may happen, as the table has it."""

import pytest

from core.clarifications.lifecycle import CHANGES, TRANSITIONS, Happening, step
from core.errors import InvalidRequest
from core.model.clarifying import ClarificationState as State

ALLOWED = {
    (State.PENDING, Happening.VOTE): State.PENDING,
    (State.PENDING, Happening.RESTATE): State.PENDING,
    (State.PENDING, Happening.BIND): State.BOUND,
    (State.PENDING, Happening.AGREE): State.BOUND,
    (State.PENDING, Happening.CONFLICT): State.CONFLICTED,
    (State.PENDING, Happening.OVERRIDE): State.BOUND,
    (State.CONFLICTED, Happening.RESTATE): State.PENDING,
    (State.CONFLICTED, Happening.AGREE): State.BOUND,
    (State.CONFLICTED, Happening.OVERRIDE): State.BOUND,
    (State.BOUND, Happening.OVERRIDE): State.BOUND,
}


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("happening", Happening)
def test_every_state_against_every_happening(state, happening):
    if (state, happening) in ALLOWED:
        assert step(state, happening) is ALLOWED[state, happening]
        return
    with pytest.raises(InvalidRequest, match=rf"{state} cannot {happening}; it can override|it can"):
        step(state, happening)


def test_every_state_has_its_moves_and_its_word_for_the_feed():
    assert TRANSITIONS.keys() == CHANGES.keys() == set(State)
    assert len(set(CHANGES.values())) == len(State)
