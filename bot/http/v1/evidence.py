"""Evidence, verdicts, answers and queries: the planner and the matcher over HTTP. Nothing is chosen or scored here."""

from typing import Annotated, Any, Literal, get_args
from uuid import UUID

from pydantic import Field

from bot.http.v1.conditions import Where, plain
from bot.http.v1.route import Call, Nothing, Reply
from bot.http.v1.shapes import Asked, Interval, Span, Told, Ts, TsInterval, Whole, clean, interval, said, ts_interval
from core.context.views import INCLUDE, question_json, span_json
from core.model.answers import Answer, Claim
from core.model.clarifying import ClarificationState
from core.model.evidence import Passage
from core.model.nodes import Node
from core.model.verdicts import Gate, Reason, Support
from core.planner.request import PlanRequest
from core.verify.request import LONGEST_CLAIM, MOST_CLAIMS, Against, VerifyRequest

LONGEST_QUESTION = 4000
"""Characters: far more than any model of meanings reads of a question, and room for one with its story."""
MOST_FOUND = 500

Question = Annotated[str, said(LONGEST_QUESTION)]
Name = Annotated[str, clean(200)]
Include = Literal["openQuestions", "scores", "stats"]
Ids = Annotated[list[UUID], Field(min_length=1, max_length=200)]


class _At(Asked):
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


# ── context ──


class ContextAsked(_At):
    """A question, a structured query, or both; `include` says what else is told."""

    question: Question | None = None
    max_tokens: Annotated[Whole, Field(ge=1, le=1_000_000)] | None = None
    max_spans: Annotated[Whole, Field(ge=1, le=100_000)] | None = None
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


# ── verify ──


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


# ── generate ──


class GenerateAsked(_At):
    """A question; `allowUngrounded` lets a language model answer where there is no evidence, marked as such."""

    question: Question
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


# ── query ──


class QueryAsked(_At):
    """A label, conditions on it, or both: at least a label or a `match`."""

    limit: Annotated[Whole, Field(ge=1, le=MOST_FOUND)] = 100


class NodeTold(Told):
    """A node as it was at the coordinates asked for."""

    node_id: UUID
    label: str
    props: dict[str, Any]
    valid_time: Interval
    tx_time: TsInterval
    spans: list[Span]


class QueryTold(Told):
    """What was found, best match first."""

    nodes: list[NodeTold]


def query(call: Call[QueryAsked, Nothing]) -> Reply:
    """Nodes of a label that meet conditions, at any coordinates."""
    asked = call.body
    times = {"valid_time": asked.valid_time, "tx_time": asked.tx_time}
    found = call.memory.query(asked.find, plain(asked.where), call.principal, limit=asked.limit, **times)
    return Reply(QueryTold(nodes=[_node(node) for node in found]))


def _node(node: Node) -> NodeTold:
    return NodeTold(
        node_id=node.node_id,
        label=node.label,
        props=dict(node.props),
        valid_time=interval(node.valid_start, node.valid_end),
        tx_time=ts_interval(node.tx_start, node.tx_end),
        spans=[Span.model_validate(span_json(span)) for span in node.spans()],
    )
