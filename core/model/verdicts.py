"""What the matcher is given and what it says."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage and the cosine between its vector and the claim's, under one model."""

    text: str
    cosine: float


class Support(StrEnum):
    """Supported by the wording; never "true"."""

    SUPPORTED = "supported"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"


class Reason(StrEnum):
    """Why a claim is unsupported; the first that applies."""

    NO_EVIDENCE_FOUND = "no_evidence_found"
    NUMERIC_OR_DATE_MISMATCH = "numeric_or_date_mismatch"
    INSUFFICIENT_SUPPORT = "insufficient_support"


class Gate(StrEnum):
    PASS = "pass"  # noqa: S105  a gate, no password
    CAPPED = "capped"

    @classmethod
    def of(cls, capped: bool) -> "Gate":
        return cls.CAPPED if capped else cls.PASS


@dataclass(frozen=True, slots=True)
class Signals:
    """What was measured on the passage that the verdict points at."""

    lexical: float
    cosine: float
    numeric_gate: Gate
    negation: Gate


@dataclass(frozen=True, slots=True)
class Verdict:
    """`best` is the index of the passage that bears the claim, or comes closest; None without passages.

    `reason` is given where the verdict is unsupported, and only there.
    """

    verdict: Support
    score: float
    reason: Reason | None
    best: int | None
    signals: Signals | None


NO_EVIDENCE = Verdict(Support.UNSUPPORTED, 0.0, Reason.NO_EVIDENCE_FOUND, None, None)
