"""What requests for evidence, answers and nodes share: what is looked for, as of when, and what is in question."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from bot.http.v1.conditions import Where
from bot.http.v1.shapes import Asked, Told, Ts, Whole, clean, said
from core.model.clarifying import ClarificationState

LONGEST_QUESTION = 4000
"""Characters: far more than any model of meanings reads of a question, and room for one with its story."""

Question = Annotated[str, said(LONGEST_QUESTION)]
Name = Annotated[str, clean(200)]
MaxTokens = Annotated[
    Whole, Field(ge=1, le=1_000_000, description="Of evidence; the server grants less at its ceiling.")
]
MaxSpans = Annotated[Whole, Field(ge=1, le=100_000, description="Of evidence; the server grants less at its ceiling.")]


class Looking(Asked):
    """What may be given wherever something is looked for: a label and conditions, and the two kinds of time."""

    find: Name | None = None
    where: Where = Field(default=[])
    valid_time: Ts | None = None
    tx_time: Ts | None = None


class OpenQuestion(Told):
    """What is in question of something that was relied on."""

    clarification_id: UUID
    state: ClarificationState
    question: str
