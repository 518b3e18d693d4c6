"""The life of a clarification: every state against everything that may happen, as the table has it."""

from pathlib import Path

import pytest

from core.clarifications import lifecycle
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


NAMES = {
    Happening.VOTE: "voted",
    Happening.RESTATE: "restated",
    Happening.BIND: "bound by votes",
    Happening.AGREE: "agreed",
    Happening.CONFLICT: "conflicted",
    Happening.OVERRIDE: "overridden",
}


def table():
    """The transitions as the documents print them."""
    lines = [["from", *NAMES.values()], ["---"] * (len(NAMES) + 1)]
    lines += [[state, *(allowed.get(one, "") for one in NAMES)] for state, allowed in TRANSITIONS.items()]
    cells = ["|".join(f" {cell} " if cell else " " for cell in line) for line in lines]
    return "\n".join(f"|{line}|" for line in cells).replace(" --- ", "---")


def test_what_is_printed_of_it_is_the_table_itself():
    page = Path(__file__).parents[3] / "docs" / "clarifications.md"
    for text in (str(lifecycle.__doc__), page.read_text(encoding="utf-8")):
        assert table() in text
