"""The evidence that a caller is handed, in the seed's JSON. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.clock import FOREVER, to_datetime
from core.errors import InvalidRequest
from core.model.clarifying import OpenQuestion
from core.model.spans import SpanRef
from core.planner.plan import EvidencePlan

INCLUDE = ("openQuestions", "scores", "stats")
"""What may be left out of the JSON."""


@dataclass(frozen=True, slots=True)
class Clamp:
    """What was asked for, and what was granted; `requested` None: the default was taken."""

    requested: int | None
    applied: int

    def to_json(self) -> dict[str, Any]:
        return {"requested": self.applied if self.requested is None else self.requested, "applied": self.applied}


@dataclass(frozen=True, slots=True)
class ContextItem:
    """A planned span with its words. `section`: how people name what holds it. `score`: its weight in the plan.

    `valid`: since and until when it holds, Ts.
    """

    text: str
    span: SpanRef
    source_name: str
    section: str
    score: float
    valid: tuple[int, int]
    pending_clarification: UUID | None


@dataclass(frozen=True, slots=True)
class Context:
    """Items in the order of their coordinates."""

    items: Sequence[ContextItem]
    open_questions: Sequence[OpenQuestion]
    plan: EvidencePlan
    tokens: Clamp
    spans: Clamp
    trace_id: UUID

    def to_json(self, include: Collection[str] = INCLUDE) -> dict[str, Any]:
        """Raises InvalidRequest for a name that is not in INCLUDE."""
        if unknown := sorted(set(include) - set(INCLUDE)):
            raise InvalidRequest(f"include names {unknown[0]!r}; it may name {', '.join(INCLUDE)}")
        body: dict[str, Any] = {"items": [_item(item, scored="scores" in include) for item in self.items]}
        if "openQuestions" in include:
            body["openQuestions"] = [question_json(question) for question in self.open_questions]
        if "stats" in include:
            body["stats"] = self.stats()
        return body | {"traceId": str(self.trace_id)}

    def stats(self) -> dict[str, Any]:
        """Counts by leg, what selection dropped, and the budget."""
        found = self.plan.stats
        recall = found.recall
        budget = self.tokens.to_json() | {"used": self.plan.used, "stranded": found.budget_stranded_by_cap}
        return {
            "legs": {"query": recall.query, "vector": recall.semantic, "traversal": recall.expansion},
            "candidates": found.pool_spans,
            "dedupDropped": found.deduped,
            "capSkipped": found.cap_skipped,
            "budget": budget,
            "spans": self.spans.to_json(),
        }


def span_json(span: SpanRef) -> dict[str, Any]:
    return {
        "sourceId": str(span.source_id),
        "sourceVersionTx": span.source_version_tx,
        "start": span.start,
        "end": span.end,
    }


def question_json(question: OpenQuestion) -> dict[str, Any]:
    return {
        "clarificationId": str(question.clarification_id),
        "state": question.state.value,
        "question": question.question,
    }


def _item(item: ContextItem, *, scored: bool) -> dict[str, Any]:
    pending = item.pending_clarification
    return {
        "text": item.text,
        "source": span_json(item.span) | {"name": item.source_name},
        **({"score": round(item.score, 6)} if scored else {}),
        "validTime": _interval(*item.valid),
        "pendingClarification": str(pending) if pending else None,
    }


def _interval(start: int, end: int) -> dict[str, str]:
    bounds = {"start": start} | ({} if end == FOREVER else {"end": end})
    return {name: to_datetime(ts).isoformat().replace("+00:00", "Z") for name, ts in bounds.items()}
