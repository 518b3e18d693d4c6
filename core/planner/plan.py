"""The evidence plan: what an answer may cite, what selecting it cost, and a hash that pins every decision."""

import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self

import blake3

from core.model.principals import Principal
from core.model.spans import SpanRef
from core.planner.candidates import Candidate, SpanClass
from core.planner.request import PlanRequest
from core.planner.selection import Selection

PLAN_MODEL = "v1"

PlannedSpan = Candidate
"""What select keeps it keeps unchanged."""


def plan_hash(spans: Iterable[PlannedSpan], *, budget: int, used: int, plan_model: str = PLAN_MODEL) -> str:
    """`b3:` + BLAKE3 over the plan's decisions, byte for byte as page planner says; the order given does not matter.

    Weights go in as their bits, so that one unit in the last place shows. Text and stats do not go in.
    """
    ordered = sorted(spans, key=lambda span: span.span)
    hasher = blake3.blake3(_sized(plan_model) + struct.pack(">QQQ", budget, used, len(ordered)))
    for span in ordered:
        hasher.update(_encoded(span))
    return "b3:" + hasher.hexdigest()


def _encoded(span: PlannedSpan) -> bytes:
    place = struct.pack(">16sqQQ", span.source_id.bytes, span.source_version_tx, span.start, span.end)
    derived = span.span_class is not SpanClass.TRUTH
    return place + _sized(span.kind) + struct.pack(">BdQ", derived, span.weight, span.tokens)


def _sized(text: str) -> bytes:
    raw = text.encode()
    return struct.pack(">I", len(raw)) + raw


@dataclass(frozen=True, slots=True)
class RecallStats:
    """Nodes by leg and in the union, and what did not become a span of the pool. All counts."""

    query: int = 0
    semantic: int = 0
    expansion: int = 0
    union: int = 0
    nodes_without_spans: int = 0
    kind_missing: int = 0
    slices_missing: int = 0
    pool_truncated: int = 0


@dataclass(frozen=True, slots=True)
class PlanStats:
    """Counts of spans, but for `budget_stranded_by_cap` (tokens) and `token_estimate` (whether any were guessed)."""

    pool_spans: int = 0
    selected_spans: int = 0
    deduped: int = 0
    unpackable: int = 0
    budget_skipped: int = 0
    cap_skipped: int = 0
    budget_stranded_by_cap: int = 0
    token_estimate: bool = False
    recall: RecallStats = RecallStats()

    def to_json(self) -> dict[str, Any]:
        return _camel_case(asdict(self))


@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """`spans` in canonical order; `budget` as it was applied; `used` never exceeds it."""

    spans: tuple[PlannedSpan, ...]
    budget: int
    used: int
    stats: PlanStats
    plan_hash: str
    plan_model: str = PLAN_MODEL

    @classmethod
    def empty(cls, budget: int, stats: PlanStats) -> Self:
        return cls((), budget, 0, stats, cls.empty_hash(budget))

    @staticmethod
    def empty_hash(budget: int) -> str:
        return plan_hash((), budget=budget, used=0)

    def to_json(self) -> dict[str, Any]:
        return {
            "planModel": self.plan_model,
            "budget": self.budget,
            "used": self.used,
            "spans": [_span_json(span) for span in self.spans],
            "stats": self.stats.to_json(),
            "planHash": self.plan_hash,
        }


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, the view of the store it was made from, and since and until when each span holds.

    `best_cosine`: how close the nearest passage came; 0 when no semantic leg ran.
    """

    plan: EvidencePlan
    best_cosine: float
    asked: Any
    held: Mapping[SpanRef, tuple[int, int]]

    @property
    def spans(self) -> Sequence[PlannedSpan]:
        return self.plan.spans

    @property
    def plan_hash(self) -> str:
        return self.plan.plan_hash


class Plans(Protocol):
    """The one planner, as every surface calls it."""

    def plan(self, tx: Any, request: PlanRequest, principal: Principal, now: int) -> Planned: ...


def build(
    selection: Selection, *, pool_spans: int, budget: int, token_estimate: bool, recall: RecallStats
) -> EvidencePlan:
    """The plan of a selection; `pool_spans`: how many it chose from."""
    stats = PlanStats(
        pool_spans=pool_spans,
        selected_spans=len(selection.spans),
        **asdict(selection.stats),
        token_estimate=token_estimate,
        recall=recall,
    )
    pinned = plan_hash(selection.spans, budget=budget, used=selection.used)
    return EvidencePlan(selection.spans, budget, selection.used, stats, pinned)


def _span_json(span: PlannedSpan) -> dict[str, Any]:
    return {
        "span": {
            "sourceId": str(span.source_id),
            "sourceVersionTx": span.source_version_tx,
            "start": span.start,
            "end": span.end,
        },
        "kind": span.kind,
        "class": span.span_class.value,
        "weight": span.weight,
        "tokens": span.tokens,
        "text": span.text,
    }


def _camel_case(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {_camel(name): _camel_case(value) if isinstance(value, dict) else value for name, value in fields.items()}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
