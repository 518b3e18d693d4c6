"""What may be asked of the matcher, and what it answers, in the seed's JSON. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.errors import InvalidRequest
from core.model.spans import SpanRef
from core.model.verdicts import Gate, Reason, Signals, Support, Verdict
from core.text.given import refuse_broken

MOST_CLAIMS = 50
"""A claim costs the model one text and up to a few dozen sentences: fifty take some seconds."""
LONGEST_CLAIM = 1000
"""Characters. A model reads the first 256 tokens, about as much, and says nothing of what follows."""


@dataclass(frozen=True, slots=True)
class Against:
    """What the claims are held against: nodes of a label that meet conditions, or these sources; else everything."""

    find: str | None = None
    where: Sequence[Mapping[str, Any]] = ()
    source_ids: Sequence[UUID] | None = None

    def __post_init__(self) -> None:
        if self.source_ids is not None and self.has_query:
            raise InvalidRequest("against: give find and where, or source_ids, not both")
        if self.source_ids is not None and not self.source_ids:
            raise InvalidRequest("against.source_ids is empty; name a source, or leave it out")
        refuse_broken("against.find", self.find)
        refuse_broken("against.where", self.where)

    @property
    def has_query(self) -> bool:
        return bool(self.find) or bool(self.where)


EVERYTHING = Against()


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Claims, each one statement. `valid_time`, `tx_time`: Ts; None: now, and as is believed today.

    `model`: the embedding model that the caller insists on. Raises InvalidRequest, naming the claim that is off.
    """

    claims: Sequence[str]
    against: Against = EVERYTHING
    valid_time: int | None = None
    tx_time: int | None = None
    model: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.claims, str):
            raise InvalidRequest("claims is one text; it must be a list of statements, such as one of this alone")
        refuse_broken("model", self.model)
        if not 1 <= len(self.claims) <= MOST_CLAIMS:
            raise InvalidRequest(f"claims holds {len(self.claims)}; it must hold 1 to {MOST_CLAIMS}")
        for place, claim in enumerate(self.claims):
            if not claim.strip():
                raise InvalidRequest(f"claims[{place}] is blank; write one statement")
            refuse_broken(f"claims[{place}]", claim)
            if len(claim) > LONGEST_CLAIM:
                raise InvalidRequest(
                    f"claims[{place}] has {len(claim)} characters; it must have at most {LONGEST_CLAIM}, so split it"
                )


@dataclass(frozen=True, slots=True)
class Evidence:
    """A sentence or table row that a claim was held against, and how well it bears it."""

    span: SpanRef
    text: str
    score: float

    def to_json(self) -> dict[str, Any]:
        place = {"sourceId": str(self.span.source_id), "sourceVersionTx": self.span.source_version_tx}
        return place | {"start": self.span.start, "end": self.span.end, "text": self.text, "score": self.score}


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What the wording says of a claim; never whether it is true. `evidence`: the closest words, best first."""

    claim: str
    verdict: Support
    score: float
    reason: Reason | None
    evidence: tuple[Evidence, ...]
    signals: Signals | None

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"claim": self.claim, "verdict": self.verdict.value, "score": self.score}
        if self.reason is not None:
            body["unsupportedReason"] = self.reason.value
        if self.signals is not None:
            body["evidence"] = [one.to_json() for one in self.evidence]
            body["signals"] = _signals(self.signals)
        return body


@dataclass(frozen=True, slots=True)
class Verified:
    """One result a claim, in their order. `spans`: how many spans they were held against."""

    results: tuple[VerifyResult, ...]
    model: str
    spans: int
    trace_id: UUID

    def to_json(self) -> dict[str, Any]:
        return {
            "results": [result.to_json() for result in self.results],
            "model": self.model,
            "traceId": str(self.trace_id),
        }


def result_of(claim: str, verdict: Verdict, evidence: Sequence[Evidence]) -> VerifyResult:
    score = round(verdict.score, 6)
    return VerifyResult(claim, verdict.verdict, score, verdict.reason, tuple(evidence), verdict.signals)


def capped(result: VerifyResult) -> bool:
    """Whether a number or date of the claim has no equal in the words closest to it."""
    return result.signals is not None and result.signals.numeric_gate is Gate.CAPPED


def _signals(signals: Signals) -> dict[str, Any]:
    return {
        "lexical": round(signals.lexical, 6),
        "cosine": round(signals.cosine, 6),
        "numericGate": signals.numeric_gate.value,
        "negation": signals.negation.value,
    }
