"""Clarifications: what is in question, opened, voted on and settled."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from bot.http.v1.paging import PageAsked, page, part
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Asked, Reader, Span, Told, Whole, said
from core.clarifications.opening import MOST_OPTIONS, OPTION_CHARS, QUESTION_CHARS, Opening
from core.clarifications.views import ClarificationView
from core.context.views import span_json
from core.model.clarifying import ClarificationState


class OpenAsked(Asked):
    """A question about a node. `audience`: names of roles, `person:<id>` or `everyone`. No options: yes or no."""

    node_id: UUID
    question: Annotated[str, said(QUESTION_CHARS)]
    audience: Annotated[list[Reader], Field(min_length=1, max_length=50)]
    options: list[Annotated[str, said(OPTION_CHARS)]] = Field(default=[], max_length=MOST_OPTIONS)
    quorum: Annotated[Whole, Field(ge=1, le=100_000)] = 1


class OpenedTold(Told):
    """`fresh` false: the same was asked already."""

    clarification_id: UUID
    fresh: bool


class VoteAsked(Asked):
    """The number of an option; null: they do not know."""

    choice: Annotated[Whole, Field(ge=0, le=100_000)] | None


class VotedTold(Told):
    """`counted` false: nothing was to be decided any more."""

    state: ClarificationState
    counted: bool


class OverrideAsked(Asked):
    """The number of an option, which is bound whatever was voted or bound before."""

    choice: Annotated[Whole, Field(ge=0, le=100_000)]


class SettledTold(Told):
    """What has become of it."""

    clarification_id: UUID
    state: ClarificationState


class OptionTold(Told):
    """What may be chosen, by its number."""

    number: int
    value: Any
    spans: list[Span]
    votes: int


class ClarificationTold(Told):
    """A question as the key may see it; `chosen`: what it is bound to."""

    clarification_id: UUID
    node_id: UUID
    prop: str | None
    question: str
    state: ClarificationState
    options: list[OptionTold]
    audience: list[str]
    quorum: int
    voted: int
    chosen: Any
    settled_by: str | None


class ClarificationsTold(Told):
    """By id."""

    clarifications: list[ClarificationTold]
    next_cursor: str | None


def open_clarification(call: Call[OpenAsked, Nothing]) -> Reply:
    """Put a question about a node to people; the same one that is open already is not asked again."""
    asked = call.body
    opening = Opening(asked.node_id, asked.question, asked.audience, asked.options, asked.quorum)
    opened = call.memory.clarify.open(call.principal.tenant_id, opening, call.principal)
    told = OpenedTold(clarification_id=opened.clarification_id, fresh=opened.fresh)
    return Reply(told, 201 if opened.fresh else 200, f"/clarifications/{opened.clarification_id}")


def list_clarifications(call: Call[None, PageAsked]) -> Reply:
    """What is open about nodes that the key may read."""
    found = call.memory.questions.part(call.principal, part("clarifications", call.query, UUID))
    shown, after = page("clarifications", found, lambda one: (one.clarification_id,), call.query)
    return Reply(ClarificationsTold(clarifications=[_told(one) for one in shown], next_cursor=after))


def get_clarification(call: Call[None, Nothing]) -> Reply:
    """One, whatever has become of it."""
    return Reply(_told(call.memory.questions.get(call.id, call.principal)))


def vote(call: Call[VoteAsked, Nothing]) -> Reply:
    """Count the vote of the person of the key, in the place of the one they gave before."""
    voted = call.memory.clarify.vote(call.id, call.body.choice, call.principal)
    return Reply(VotedTold(state=voted.state, counted=voted.counted))


def override(call: Call[OverrideAsked, Nothing]) -> Reply:
    """Bind an option, whatever was voted or bound before. For a steward's key."""
    who = call.principal
    call.memory.clarify.override(who.tenant_id, call.id, call.body.choice, who)
    return Reply(SettledTold(clarification_id=call.id, state=ClarificationState.BOUND))


def mark_conflicted(call: Call[None, Nothing]) -> Reply:
    """Say that people will not agree on what is pending. For a steward's key."""
    who = call.principal
    call.memory.clarify.mark_conflicted(who.tenant_id, call.id, who)
    return Reply(SettledTold(clarification_id=call.id, state=ClarificationState.CONFLICTED))


def _told(view: ClarificationView) -> ClarificationTold:
    return ClarificationTold(
        clarification_id=view.clarification_id,
        node_id=view.node_id,
        prop=view.prop,
        question=view.question,
        state=view.state,
        options=[
            OptionTold(
                number=option.number,
                value=option.value,
                spans=[Span.model_validate(span_json(span)) for span in option.spans],
                votes=option.votes,
            )
            for option in view.options
        ],
        audience=list(view.audience),
        quorum=view.quorum,
        voted=view.voted,
        chosen=view.chosen,
        settled_by=view.settled_by,
    )
