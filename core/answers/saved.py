"""What the node of a saved answer holds, made and changed here alone. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from uuid import UUID

from core.answers.recheck import Judged, quoted_as
from core.answers.status import AnswerStatus, ClaimState, fold, fold_severity
from core.jobs.kinds import JobKind
from core.model.answers import AnswerMove
from core.model.clarifying import ClarificationState
from core.model.nodes import Node
from core.model.spans import SpanRef
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest

Props = Mapping[str, Any]
Claims = Sequence[Mapping[str, Any]]

_MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
_DECIDED = (EventKind.CLARIFICATION_OPENED, EventKind.CLARIFICATION_BOUND, EventKind.CLARIFICATION_CONFLICTED)


def first_props(
    trace_id: UUID,
    body: Props,
    owner: UUID,
    states: Mapping[UUID, ClarificationState],
    now: int,
    supersedes: UUID | None = None,
) -> dict[str, Any]:
    """Of a traced answer as it is saved. A claim that rests on an open question waits for it from the first."""
    props = {
        "question": body["question"],
        "answerText": body["answerText"],
        "claims": body["claims"],
        "dependencies": {"sources": _sources(body["claims"]), "clarifications": _questions(body["claims"])},
        "traceId": str(trace_id),
        "planHash": body["planHash"],
        "owner": str(owner),
        "savedAt": now,
        "supersedes": str(supersedes) if supersedes else None,
        "supersededBy": None,
    }
    judged = [quoted_as([states.get(one) for one in questions_of(claim)]) for claim in body["claims"]]
    return judged_props(props, judged, now)


def judged_props(props: Props, judged: Sequence[Judged], now: int) -> dict[str, Any]:
    claims = [{**claim, **asdict(found)} for claim, found in zip(props["claims"], judged, strict=True)]
    return folded({**props, "claims": claims, "checkedAt": now})


def folded(props: Props) -> dict[str, Any]:
    """With the status and the severity that its claims give it."""
    claims: Claims = props["claims"]
    severity = fold_severity(claim["severity"] for claim in claims)
    return {**props, "status": fold([claim["state"] for claim in claims]), "severity": severity}


def invalidated(props: Props) -> dict[str, Any]:
    """Where some claims have lost their words to an erasure."""
    gone = asdict(Judged(ClaimState.INVALIDATED))
    claims = [{**claim, **gone} if claim.get("erased") else claim for claim in props["claims"]]
    return folded({**props, "claims": claims})


def superseded(props: Props, by: UUID) -> dict[str, Any]:
    return {**props, "status": AnswerStatus.SUPERSEDED, "supersededBy": str(by)}


def key_of(props: Props) -> str:
    states = [claim["state"] for claim in props["claims"]]
    return f"{props['status']}:{props['severity']}:{props['supersededBy']}:{states}"


def changed(old: Claims, new: Claims) -> tuple[int, ...]:
    """Which claims are judged otherwise than before."""
    return tuple(place for place, (before, after) in enumerate(zip(old, new, strict=True)) if before != after)


def moves(versions: Iterable[Node]) -> list[AnswerMove]:
    """What every version of an answer, oldest first, has changed about the one before."""
    found: list[AnswerMove] = []
    claims: Claims = ()
    for node in versions:
        props = node.props
        news = changed(claims, props["claims"]) if len(claims) == len(props["claims"]) else ()
        found.append(AnswerMove(node.valid_start, node.tx_start, props["status"], props["severity"], news))
        claims = props["claims"]
    return found


def watches_of(answer_id: UUID, props: Props) -> list[WatchRequest]:
    """The internal watches that have an answer checked, over all that it depends on, and its owner's own."""
    internal = {"kind": TargetKind.INTERNAL, "job_kind": JobKind.CHECK_ANSWER, "answer_id": str(answer_id)}
    person, name = {"kind": TargetKind.PERSON, "person_id": props["owner"]}, props["question"]
    depends = props["dependencies"]
    asked = (
        WatchRequest(name, ScopeType.SOURCE, tuple(depends["sources"]), _MOVED, internal),
        WatchRequest(name, ScopeType.CLARIFICATION, tuple(depends["clarifications"]), _DECIDED, internal),
        WatchRequest(name, ScopeType.ANSWER, (str(answer_id),), (EventKind.ANSWER_STALE,), person),
    )
    return [request for request in asked if request.refs]


def spans_of(claim: Props) -> list[SpanRef]:
    return [SpanRef(UUID(source), tx, start, end) for source, tx, start, end in claim["citations"]]


def questions_of(claim: Props) -> list[UUID]:
    """The clarifications that were open about a claim's words when it was made."""
    return [UUID(one) for one in claim.get("clarifications", ())]


def _sources(claims: Claims) -> list[str]:
    return sorted({citation[0] for claim in claims for citation in claim["citations"]})


def _questions(claims: Claims) -> list[str]:
    return sorted({str(one) for claim in claims for one in questions_of(claim)})
