"""The life of a clarification, as one table.

| from | voted | restated | bound by votes | agreed | conflicted | overridden |
|---|---|---|---|---|---|---|
| pending | pending | pending | bound | bound | conflicted | bound |
| conflicted | | pending | | bound | | bound |
| bound | | | | | | bound |

Votes count only while a question is pending. Where people could not agree, documents that agree by now, or that say
something new to choose, take it from there; otherwise it is a steward's. A steward may also correct what was bound: a
decision that turns out wrong must not need a new question, and every version of it stays to be read.
"""

from enum import StrEnum

from core.errors import InvalidRequest
from core.model.clarifying import ClarificationState


class Happening(StrEnum):
    """What happens to a clarification."""

    VOTE = "vote"
    RESTATE = "restate"
    BIND = "bind"
    AGREE = "agree"
    CONFLICT = "conflict"
    OVERRIDE = "override"


_PENDING, _CONFLICTED, _BOUND = ClarificationState.PENDING, ClarificationState.CONFLICTED, ClarificationState.BOUND

TRANSITIONS: dict[ClarificationState, dict[Happening, ClarificationState]] = {
    _PENDING: {
        Happening.VOTE: _PENDING,
        Happening.RESTATE: _PENDING,
        Happening.BIND: _BOUND,
        Happening.AGREE: _BOUND,
        Happening.CONFLICT: _CONFLICTED,
        Happening.OVERRIDE: _BOUND,
    },
    _CONFLICTED: {Happening.RESTATE: _PENDING, Happening.AGREE: _BOUND, Happening.OVERRIDE: _BOUND},
    _BOUND: {Happening.OVERRIDE: _BOUND},
}

CHANGES = {
    _PENDING: "clarification_opened",
    _BOUND: "clarification_bound",
    _CONFLICTED: "clarification_conflicted",
}
"""What the feed says when a state is entered. A vote that settles nothing enters none."""


def step(state: ClarificationState, happening: Happening) -> ClarificationState:
    """The state after `happening`. Raises InvalidRequest for a move the table does not hold."""
    allowed = TRANSITIONS[state]
    if happening not in allowed:
        raise InvalidRequest(f"a clarification that is {state} cannot {happening}; it can {', '.join(allowed)}")
    return allowed[happening]
