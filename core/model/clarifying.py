"""A question about what documents say, as it is shown beside what it puts in question."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


class ClarificationState(StrEnum):
    PENDING = "pending"
    BOUND = "bound"
    CONFLICTED = "conflicted"


VOTES, SOURCES, WORD = "votes", "sources", "word"
"""What settles a question, beside an actor who overrides: people, documents that agree, somebody's own word."""
DONT_KNOW = "dont_know"
"""What a vote for no option carries on a card."""
OPEN = (ClarificationState.PENDING, ClarificationState.CONFLICTED)
"""States in which a question puts in doubt what it is about."""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A clarification that is pending or conflicted, on words that a reader relies on."""

    clarification_id: UUID
    state: ClarificationState
    question: str


@dataclass(frozen=True, slots=True)
class Voted:
    """What a vote came to. `counted` False: nothing was to be decided any more."""

    state: ClarificationState
    counted: bool
