"""Saved answers, which know when the words beneath them moved; and what any answer came from."""

from typing import Any, Literal
from uuid import UUID

from bot.http.v1.paging import PageAsked, page, part
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Asked, Span, Told
from core.answers.status import AnswerStatus, ClaimState, Severity
from core.model.answers import SavedAnswer


class SaveAsked(Asked):
    """The trace of an answer that was generated for the same person."""

    trace_id: UUID


class AnswerMade(Told):
    """Where it is read: at `/v1/answers/{answerId}`."""

    answer_id: UUID


class SavedClaim(Told):
    """A claim as last checked: `after` is what stands in its place now, empty where nothing does.

    `citations`: where the words stand that it was made from.
    """

    text: str
    state: ClaimState
    severity: Severity | None
    after: str
    caveat: str | None
    citations: list[Span]


class Dependencies(Told):
    """What an answer rests on: when one of these moves, it is checked again."""

    sources: list[UUID]
    clarifications: list[UUID]


class SavedTold(Told):
    """A saved answer as it may be seen today. `withheld`: it rests on more than is told, which may not be read now."""

    answer_id: UUID
    question: str
    text: str
    status: AnswerStatus
    severity: Severity | None
    claims: list[SavedClaim]
    dependencies: Dependencies
    withheld: bool
    trace_id: UUID
    plan_hash: str
    saved_at: int
    checked_at: int
    supersedes: UUID | None
    superseded_by: UUID | None
    version_tx: int


class AnswersTold(Told):
    """Newest first."""

    answers: list[SavedTold]
    next_cursor: str | None


class RefreshTold(Told):
    """`answerId`: what stands now. `outcome` kept: there was no better answer; already: it was refreshed before."""

    answer_id: UUID
    outcome: Literal["refreshed", "kept", "already"]


class TraceTold(Told):
    """Coordinates and numbers, by kind. `withheld`: an answer's words are from what may no longer be read."""

    trace_id: UUID
    kind: Literal["context", "verification", "generate"]
    created_at: int
    withheld: bool
    body: dict[str, Any]


def save_answer(call: Call[SaveAsked, Nothing]) -> Reply:
    """Save a generated answer, once per person; it is watched from then on."""
    answer_id = call.memory.save_answer(call.body.trace_id, call.principal)
    return Reply(AnswerMade(answer_id=answer_id), 201, f"/answers/{answer_id}")


def list_answers(call: Call[None, PageAsked]) -> Reply:
    """The answers that the person of the key saved and that stand, newest first."""
    found = call.memory.answers(call.principal, part("answers", call.query, int, UUID))
    shown, after = page("answers", found, lambda one: (one.saved_at, one.answer_id), call.query)
    return Reply(AnswersTold(answers=[_saved(one) for one in shown], next_cursor=after))


def get_answer(call: Call[None, Nothing]) -> Reply:
    """A saved answer, also one that was superseded."""
    return Reply(_saved(call.memory.answer(call.id, call.principal)))


def refresh_answer(call: Call[None, Nothing]) -> Reply:
    """Ask its question again, and let a new answer supersede it; the old one stays as it was quoted."""
    done = call.memory.refresh_answer(call.id, call.principal)
    if done.answer is None:
        return Reply(RefreshTold(answer_id=done.answer_id, outcome="already" if done.already else "kept"))
    return Reply(RefreshTold(answer_id=done.answer_id, outcome="refreshed"), 201, f"/answers/{done.answer_id}")


def get_trace(call: Call[None, Nothing]) -> Reply:
    """What an answer, evidence or a verdict was computed from, for whoever asked."""
    return Reply(TraceTold.model_validate(call.memory.trace(call.id, call.principal), from_attributes=True))


def _saved(answer: SavedAnswer) -> SavedTold:
    return SavedTold.model_validate(answer, from_attributes=True)
