"""What the wording of the documents says of claims: the matcher over HTTP. Nothing is scored here."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from bot.http.v1.conditions import Where, plain
from bot.http.v1.looking import Name
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Asked, Span, Told, Ts, said
from core.model.verdicts import Gate, Reason, Support
from core.verify.request import LONGEST_CLAIM, MOST_CLAIMS, Against, VerifyRequest

Ids = Annotated[list[UUID], Field(min_length=1, max_length=200)]


class AgainstAsked(Asked):
    """What claims are held against: what a query finds, or these sources; without either, everything."""

    find: Name | None = None
    where: Where = Field(default=[])
    source_ids: Ids | None = None


class VerifyAsked(Asked):
    """Claims, each one statement."""

    claims: Annotated[list[Annotated[str, said(LONGEST_CLAIM)]], Field(min_length=1, max_length=MOST_CLAIMS)]
    against: AgainstAsked = AgainstAsked()
    valid_time: Ts | None = None
    tx_time: Ts | None = None
    model: Name | None = None


class Evidence(Span):
    """Words that a claim was held against, and how well they bear it."""

    text: str
    score: float


class Signals(Told):
    """What was measured on the words that come closest."""

    lexical: float
    cosine: float
    numeric_gate: Gate
    negation: Gate


class VerifyResult(Told):
    """Whether the wording supports a claim; never whether it is true."""

    claim: str
    verdict: Support
    score: float
    unsupported_reason: Reason | None = None
    evidence: list[Evidence] | None = None
    signals: Signals | None = None


class VerifyTold(Told):
    """One result a claim, in their order."""

    results: list[VerifyResult]
    model: str
    trace_id: UUID


def verify(call: Call[VerifyAsked, Nothing]) -> Reply:
    """What the wording of all that the key may read says of each claim."""
    asked, against = call.body, call.body.against
    held = Against(against.find, plain(against.where), against.source_ids)
    request = VerifyRequest(asked.claims, held, asked.valid_time, asked.tx_time, asked.model)
    return Reply(VerifyTold.model_validate(call.memory.verify(request, call.principal).to_json()))
