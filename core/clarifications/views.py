"""What of clarifications and of records is shown."""

from dataclasses import dataclass
from uuid import UUID

from core.clarifications.conflicts import Statement


@dataclass(frozen=True, slots=True)
class ClarificationView:
    """A question about a node as one reader may see it: without the options whose sources they may not read."""

    clarification_id: UUID
    node_id: UUID
    prop: str | None
    question: str
    state: str
    options: tuple[Statement, ...]
    audience: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of a record: written, or left in question by these clarifications."""

    written: bool
    in_question: tuple[UUID, ...] = ()
