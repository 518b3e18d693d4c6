"""What may be asked of the planner, and its settings. What is out of range is refused, never bent into range."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from core.errors import InvalidRequest
from core.model.spans import Kind
from core.text.given import refuse_broken

DEEPEST = 2


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """A question (semantic leg), a structured query (`find` a label, `where` conditions), or both.

    `valid_time` and `tx_time` are Ts; None: now, and the latest tx. `budget_tokens` None: the configured default.
    Raises InvalidRequest when there is no leg, a question is blank, a text is broken, or a number is out of range.
    """

    question: str | None = None
    find: str | None = None
    where: Sequence[Mapping[str, Any]] = ()
    valid_time: int | None = None
    tx_time: int | None = None
    expand_depth: int = 0
    budget_tokens: int | None = None
    max_spans: int | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        if not (self.has_question or self.has_query):
            raise InvalidRequest("nothing to look for: give a question, or a label to find, or where conditions")
        if self.question is not None and not self.has_question:
            raise InvalidRequest("the question is blank: ask something, or leave it out")
        for name in ("question", "find", "where", "model"):
            refuse_broken(name, getattr(self, name))
        if self.expand_depth not in range(DEEPEST + 1):
            raise InvalidRequest(f"expand_depth is {self.expand_depth!r}; it must be 0, 1 or {DEEPEST}")
        _require_positive("budget_tokens", self.budget_tokens)
        _require_positive("max_spans", self.max_spans)

    @property
    def has_question(self) -> bool:
        return bool(self.question and self.question.strip())

    @property
    def has_query(self) -> bool:
        return bool(self.find) or bool(self.where)


def _require_positive(name: str, value: int | None) -> None:
    if value is not None and value <= 0:
        raise InvalidRequest(f"{name} is {value}; it must be at least 1, or absent")


KIND_PRIORS = {
    Kind.HEADING.value: 0.6,
    Kind.PARAGRAPH.value: 1.0,
    Kind.CELL.value: 0.9,
    Kind.CODE.value: 0.8,
    Kind.BODY.value: 1.0,
}

Prior = Annotated[float, Field(gt=0, le=10)]


class PlannerConfig(BaseModel):
    """`[planner]` (page: planner, Configuration)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    default_budget_tokens: int = Field(default=6000, ge=1, le=1_000_000)
    max_frac_per_source: float = Field(default=0.4, gt=0, le=1)
    dedup_overlap: float = Field(default=0.8, ge=0, le=1)
    cache_discount: float = Field(default=0.5, ge=0, le=1)
    alpha: float = Field(default=0.7, ge=0, le=1)
    hop_discount: float = Field(default=0.5, gt=0, le=1)
    semantic_k: int = Field(default=40, ge=1, le=1000)
    lexical_weight: float = Field(default=0.5, ge=0, le=1)
    bm25_half: float = Field(default=10, gt=0)
    """With lexical_weight: no other pair serves held-out questions better by more than noise (docs/tuning.md)."""
    semantic_min_sim: float = Field(default=0.2, ge=0, lt=1)
    """Nineteen of twenty passages that answer are nearer, and 85 % of a library is not (docs/tuning.md)."""
    query_limit: int = Field(default=200, ge=1, le=10_000)
    max_pool_spans: int = Field(default=20_000, ge=1)
    kind_priors: dict[str, Prior] = Field(default=KIND_PRIORS)
    """What a span of each kind weighs; a kind that is not named keeps its default. Embedding reads these too."""
    half_life_days: float = Field(default=365, gt=0)
    decay_floor: float = Field(default=0.05, ge=0, le=1)

    @field_validator("kind_priors")
    @classmethod
    def _of_known_kinds(cls, given: dict[str, float]) -> dict[str, float]:
        if unknown := given.keys() - KIND_PRIORS.keys():
            raise ValueError(f"no span is of kind {min(unknown)!r}; the kinds are {', '.join(KIND_PRIORS)}")
        return KIND_PRIORS | given
