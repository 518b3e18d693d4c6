"""Answers to questions, each sentence with the words it rests on."""

from typing import Literal
from uuid import UUID

from bot.http.v1.conditions import plain
from bot.http.v1.looking import Looking, MaxSpans, MaxTokens, OpenQuestion, Question
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Span, Told
from core.context.views import question_json, span_json
from core.model.answers import Answer, Claim
from core.model.evidence import Passage
from core.model.verdicts import Support


class GenerateAsked(Looking):
    """A question, and how much evidence an answer may rest on.

    `allowUngrounded` lets a language model answer where there is none, marked as such.
    """

    question: Question
    max_tokens: MaxTokens | None = None
    max_spans: MaxSpans | None = None
    allow_ungrounded: bool = False


class Cited(Span):
    """The words that a claim rests on, and where they stand."""

    text: str
    path: list[str]
    name: str
    uri: str


class ClaimTold(Told):
    """A sentence of the answer; `quoted`: it is those words. `verdict` null besides: nobody could judge it."""

    text: str
    citations: list[Cited]
    quoted: bool
    verdict: Support | None
    score: float | None
    severity: Literal["material"] | None
    open_questions: list[OpenQuestion]


class Section(Told):
    """A section that the answer rests on, to be watched."""

    node_id: UUID
    title: str


class Usage(Told):
    """Tokens that the answer cost."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool


class AnswerTold(Told):
    """`known` false: nothing is close enough, and `nearest` comes closest. `grounded` false: it rests on nothing."""

    question: str
    text: str
    known: bool
    grounded: bool
    claims: list[ClaimTold]
    sections: list[Section]
    nearest: list[Cited]
    plan_hash: str
    model: str
    usage: Usage
    trace_id: UUID


def generate(call: Call[GenerateAsked, Nothing]) -> Reply:
    """Answer a question from what the key may read, each sentence with the words it rests on."""
    asked = call.body
    answer = call.memory.generate(
        asked.question,
        call.principal,
        find=asked.find,
        where=plain(asked.where),
        valid_time=asked.valid_time,
        tx_time=asked.tx_time,
        max_tokens=asked.max_tokens,
        max_spans=asked.max_spans,
        allow_ungrounded=asked.allow_ungrounded,
    )
    return Reply(_answer(answer))


def _answer(answer: Answer) -> AnswerTold:
    usage = answer.usage
    return AnswerTold(
        question=answer.question,
        text=answer.text,
        known=answer.known,
        grounded=answer.grounded,
        claims=[_claim(claim) for claim in answer.claims],
        sections=[Section(node_id=cited.node_id, title=cited.title) for cited in answer.sections],
        nearest=[_cited(passage) for passage in answer.nearest],
        plan_hash=answer.plan_hash,
        model=answer.model,
        usage=Usage(
            prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens, estimated=usage.estimated
        ),
        trace_id=answer.trace_id,
    )


def _claim(claim: Claim) -> ClaimTold:
    return ClaimTold(
        text=claim.text,
        citations=[_cited(passage) for passage in claim.citations],
        quoted=claim.quoted,
        verdict=claim.verdict.verdict if claim.verdict else None,
        score=round(claim.verdict.score, 6) if claim.verdict else None,
        severity=claim.severity,
        open_questions=[OpenQuestion.model_validate(question_json(question)) for question in claim.questions],
    )


def _cited(passage: Passage) -> Cited:
    place = {"text": passage.text, "path": list(passage.path), "name": passage.source_name, "uri": passage.source_uri}
    return Cited.model_validate(span_json(passage.span) | place)
