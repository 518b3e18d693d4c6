"""What of clarifications and of records is shown."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.model.clarifying import ClarificationState
from core.model.spans import SpanRef


@dataclass(frozen=True, slots=True)
class OptionView:
    """What may be chosen. `number`: by which it is chosen, for as long as the question is asked."""

    number: int
    value: Any
    spans: tuple[SpanRef, ...]
    votes: int


@dataclass(frozen=True, slots=True)
class Opened:
    """What is asked by now. `fresh` False: it was before, and its options, audience and quorum are as they were."""

    clarification_id: UUID
    fresh: bool


@dataclass(frozen=True, slots=True)
class ClarificationView:
    """A question about a node as one reader may see it: without the options whose sources they may not read.

    `chosen`: the value it is bound to, where it is and they may read it. `settled_by`: votes, sources (which agree by
    now), word (somebody wrote the record without a document), or the actor who overrode.
    """

    clarification_id: UUID
    node_id: UUID
    prop: str | None
    question: str
    state: ClarificationState
    options: tuple[OptionView, ...]
    audience: tuple[str, ...]
    quorum: int
    voted: int
    chosen: Any
    settled_by: str | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a record: written, or left in question by some clarifications, or as others were decided."""

    written: bool
    in_question: tuple[UUID, ...] = ()
    decided: tuple[UUID, ...] = ()
