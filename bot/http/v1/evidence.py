"""The evidence that an answer would rest on: the planner over HTTP. Nothing is chosen here."""

from typing import Literal, get_args
from uuid import UUID

from pydantic import Field

from bot.http.v1.conditions import plain
from bot.http.v1.looking import Looking, MaxSpans, MaxTokens, OpenQuestion, Question
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Interval, Span, Told
from core.context.views import INCLUDE
from core.planner.request import PlanRequest

Include = Literal["openQuestions", "scores", "stats"]


class ContextAsked(Looking):
    """A question, a structured query, or both; `include` says what else is told."""

    question: Question | None = None
    max_tokens: MaxTokens | None = None
    max_spans: MaxSpans | None = None
    include: list[Include] = Field(default=[*get_args(Include)], max_length=len(INCLUDE))


class NamedSpan(Span):
    """Where words stand, and what their document is called."""

    name: str | None = None


class Item(Told):
    """A passage, word for word, with where and how long it holds."""

    text: str
    source: NamedSpan
    score: float | None = None
    valid_time: Interval
    pending_clarification: UUID | None = None


class Clamped(Told):
    """What was asked for, and what the server granted."""

    requested: int
    applied: int


class Budget(Clamped):
    """Tokens."""

    used: int
    stranded: int


class Legs(Told):
    """How many nodes each way of looking led to."""

    query: int
    vector: int
    traversal: int


class Stats(Told):
    """What the planner looked at, and what it left out."""

    legs: Legs
    candidates: int
    dedup_dropped: int
    cap_skipped: int
    budget: Budget
    spans: Clamped


class ContextTold(Told):
    """The evidence, in the order of its coordinates."""

    items: list[Item]
    open_questions: list[OpenQuestion] | None = None
    stats: Stats | None = None
    trace_id: UUID


def context(call: Call[ContextAsked, Nothing]) -> Reply:
    """The evidence that an answer would rest on, within a budget, without an answer."""
    asked = call.body
    request = PlanRequest(
        question=asked.question,
        find=asked.find,
        where=plain(asked.where),
        valid_time=asked.valid_time,
        tx_time=asked.tx_time,
        budget_tokens=asked.max_tokens,
        max_spans=asked.max_spans,
    )
    return Reply(ContextTold.model_validate(call.memory.context(request, call.principal).to_json(asked.include)))
