"""What a saved answer's claims say about the answer: a pure fold, and severity as an axis of its own.

Severity never changes a status: it says how loudly to speak, not whether.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum


class ClaimState(StrEnum):
    OK = "ok"
    AFFECTED = "affected"
    PENDING = "pending"
    CONFLICTED = "conflicted"
    INVALIDATED = "invalidated"


class AnswerStatus(StrEnum):
    """From best to worst; where several apply, the worst is the answer's."""

    CURRENT = "current"
    PARTIALLY_STALE = "partially_stale"
    STALE = "stale"
    PENDING = "pending"
    CONFLICTED = "conflicted"
    INVALIDATED = "invalidated"
    SUPERSEDED = "superseded"


class Severity(StrEnum):
    MATERIAL = "material"


_BADNESS = {status: rank for rank, status in enumerate(AnswerStatus)}
_DECIDED_BY_ONE_CLAIM = {
    ClaimState.INVALIDATED: AnswerStatus.INVALIDATED,
    ClaimState.CONFLICTED: AnswerStatus.CONFLICTED,
    ClaimState.PENDING: AnswerStatus.PENDING,
}


def fold(states: Collection[ClaimState], *, superseded: bool = False) -> AnswerStatus:
    """The status of an answer with these claims; an answer without claims is current. Only a refresh supersedes."""
    if superseded:
        return AnswerStatus.SUPERSEDED
    for state, status in _DECIDED_BY_ONE_CLAIM.items():
        if state in states:
            return status
    if ClaimState.AFFECTED not in states:
        return AnswerStatus.CURRENT
    return AnswerStatus.PARTIALLY_STALE if ClaimState.OK in states else AnswerStatus.STALE


def worse(a: AnswerStatus, b: AnswerStatus) -> bool:
    """Whether `a` is a worse status than `b`."""
    return _BADNESS[a] > _BADNESS[b]


_UNDECIDED = {AnswerStatus.PENDING, AnswerStatus.CONFLICTED}
_MOVED = {AnswerStatus.PARTIALLY_STALE, AnswerStatus.STALE}


def news(before: AnswerStatus, after: AnswerStatus) -> bool:
    """Whether an owner is told: of a worse status, and of a decision that leaves the answer as it no longer stands.

    Waiting comes before stale where both apply; that is an order of what to show, and the end of waiting is news.
    """
    return worse(after, before) or (before in _UNDECIDED and after in _MOVED)


def fold_severity(severities: Iterable[Severity | None]) -> Severity | None:
    """The highest severity among the claims; None where none has one."""
    return next((severity for severity in severities if severity), None)
