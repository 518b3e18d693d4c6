"""From a question to an answer that can be traced: plan → fit → complete → decompose → verify → trace.

A model may take a minute, and one for meanings that is far away some seconds, so nothing of the store is held while an
answer is written, chosen or judged: what it may rest on is read in one transaction, how words weigh in a second, what
it cites in a third, and the trace is written in a last one. Each that comes after a model looks at rights again.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

from core.context.config import ContextConfig
from core.embed.protocol import Embedder, embed_question
from core.errors import InsufficientEvidence, InvalidRequest, NotFound, SemanticUnavailable, VerifyUnavailable
from core.generate.bearing import Borne, bear, bear_unjudged
from core.generate.body import trace_body
from core.generate.budget import fitting, left_of, measured, room_for_evidence, room_for_lines
from core.generate.claims import Said, said
from core.generate.extractive import Sentence, choose
from core.generate.follow_ups import LOOKED_BACK, bears_out, gone_on_from, together
from core.generate.nearness import nearness
from core.generate.prompt import prompt, ungrounded
from core.generate.providers import LanguageModel, Message
from core.ids import random_id
from core.model.answers import EXTRACTIVE, Answer, Cited, Claim, Usage
from core.model.erased import trace_without_words
from core.model.evidence import Passage
from core.model.ports import Conversations, Library, Matcher, PlannedSpan, Questions, Unit
from core.model.principals import Principal
from core.model.spans import SpanRef
from core.model.threads import Asked, History, Line, Room, ThreadView, event_ref
from core.planner.plan import EvidencePlan, Plans
from core.planner.request import PlanRequest
from core.store import rights, sources, threads, traces
from core.store.database import Database, ReadTx, WriteTx
from core.store.view import View, view
from core.text.given import refuse_broken

_PASSAGES_READ = 12
"""Heaviest passages whose sentences are weighed: on the sample questions the answer is never further down."""
_NEAREST_SHOWN = 3
_ENDLESS = 1 << 40
"""Tokens of a window in which nothing is ever compacted, as without a language model."""
_TAKEN_AWAY = "a document that this rests on was taken away just now; ask again"
_WITHDRAWN = "what was asked was deleted or changed just now; ask again"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What was planned, heaviest first. `is_near`: an answer may be looked for in it."""

    spans: Sequence[PlannedSpan]
    passages: Sequence[Passage]
    units: Sequence[Sequence[Unit]]
    plan_hash: str
    best_cosine: float
    nearness: float
    is_near: bool
    is_grounded: bool = True


@dataclass(frozen=True, slots=True)
class _Draft:
    """What is said, the evidence it may rest on, and what saying it cost."""

    said: Sequence[Said]
    units: Sequence[Sequence[Unit]]
    read: Sequence[SpanRef]
    model: str = EXTRACTIVE
    usage: Usage = field(default_factory=Usage)
    heard: frozenset[UUID] = frozenset()
    """The sources whose words were in what was said before."""


_NO_EVIDENCE = _Evidence((), (), (), "", 0.0, 0.0, is_near=False)


@dataclass(frozen=True, slots=True)
class _Meant:
    """A question as it is asked, planned and kept: with those that it goes on from. `refs`: the events it all is."""

    text: str
    refs: tuple[UUID, ...]


class GenerateEngine:
    """`llm` None: answers are chosen from the evidence, not written. `min_cosine`: how near it must come for either."""

    def __init__(
        self,
        database: Database,
        planner: Plans,
        library: Library,
        embedder: Embedder | None,
        matcher: Matcher,
        questions: Questions,
        conversations: Conversations,
        llm: LanguageModel | None,
        min_cosine: float,
        default_tokens: int,
        ceilings: ContextConfig,
    ) -> None:
        self._database = database
        self._planner = planner
        self._library = library
        self._embedder = embedder
        self._matcher = matcher
        self._questions = questions
        self._conversations = conversations
        self._llm = llm
        self._min_cosine = min_cosine
        self._default_tokens = default_tokens
        self._ceilings = ceilings

    def generate(
        self,
        question: str,
        principal: Principal,
        *,
        find: str | None = None,
        where: Sequence[Mapping[str, Any]] = (),
        valid_time: int | None = None,
        tx_time: int | None = None,
        max_tokens: int | None = None,
        max_spans: int | None = None,
        allow_ungrounded: bool = False,
        asked: Asked | None = None,
    ) -> Answer:
        """Answer from what the principal may read; an answer that claims nothing when nothing is close enough.

        `asked`: the thread in which it is asked; a question that goes on from one before is answered as both together.

        Raises InsufficientEvidence when there is nothing at all, but for `allow_ungrounded`; SemanticUnavailable
        without an embedding model for the question; InvalidRequest. GenerateUnavailable, and NotFound or UnknownKey
        where a right ended meanwhile: then nothing is written.
        """
        refuse_broken("question", question)
        if self._embedder is None and self._llm is None:
            raise SemanticUnavailable
        wanted = PlanRequest(question, find, where, valid_time, tx_time, budget_tokens=max_tokens, max_spans=max_spans)
        request = self._granted(wanted)
        meant, evidence = self._meant(request, principal, question, asked, allow_ungrounded=allow_ungrounded)
        if self._llm is None:
            draft = self._chosen(meant.text, evidence)
        else:
            draft = self._written(meant, evidence, self._llm, principal, asked)
        look = partial(self._look, principal=principal, valid_time=valid_time, tx_time=tx_time)
        borne = self._borne(draft, principal.tenant_id, look)
        with self._database.read(principal.tenant_id) as tx:
            claims = self._claims(look(tx), borne)
            sections = self._sections(tx, [passage.span for claim in claims for passage in claim.citations])
        answer = Answer(
            trace_id=random_id(),
            question=meant.text,
            text=" ".join(claim.text for claim in claims),
            claims=claims,
            sections=sections,
            nearest=tuple(evidence.passages[:_NEAREST_SHOWN]),
            plan_hash=evidence.plan_hash,
            best_cosine=evidence.best_cosine,
            nearness=evidence.nearness,
            model=draft.model,
            usage=draft.usage,
            grounded=evidence.is_grounded,
            read=frozenset(span.source_id for span in draft.read) | draft.heard if self._llm else frozenset(),
        )
        self._trace(answer, draft.read, principal, meant.refs)
        return answer

    def quote(self, question: str, span: SpanRef, principal: Principal) -> Answer:
        """The traced answer that somebody gave by quoting these words, which need no model.

        Raises NotFound, InvalidRequest.
        """
        refuse_broken("question", question)
        with self._database.read(principal.tenant_id) as tx:
            passage = self._library.passages(tx, [span]).get(span)
            if passage is None or span.source_id not in sources.readable(tx, principal):
                raise NotFound
            cited = self._sections(tx, [span])
            text = " ".join(unit.said for unit in self._library.units(tx, [span])[span])
        claim = Claim(text, (passage,), quoted=True)
        answer = Answer(random_id(), question, text, (claim,), cited, nearest=(), plan_hash="", best_cosine=0.0)
        self._trace(answer, (), principal)
        return answer

    def explain_thread(self, asked: Asked, principal: Principal, question: str) -> ThreadView:
        """What of a thread would be told beside a question and its evidence, or ("") beside a prompt without either.

        Without a language model by the estimate. Raises NotFound, InvalidRequest, SemanticUnavailable.
        """
        refuse_broken("question", question)
        llm = self._llm
        if llm is None:
            room = Room(_ENDLESS, _ENDLESS, partial(left_of, self._default_tokens))
            return self._conversations.explain(principal, asked, EXTRACTIVE, room)
        meant, evidence = question, _NO_EVIDENCE
        if question.strip():
            request = self._granted(PlanRequest(question))
            with suppress(InsufficientEvidence):
                found, evidence = self._meant(request, principal, question, asked, allow_ungrounded=False)
                meant = found.text
        _, told = _told(meant, evidence, llm)
        return self._conversations.explain(principal, asked, llm.name, room_for_lines(llm, told))

    # ── plan ──

    def _granted(self, asked: PlanRequest) -> PlanRequest:
        """Within what may be spent. Without an embedding model only a query leads to evidence, and not the question."""
        return replace(
            asked,
            question=None if self._embedder is None and asked.has_query else asked.question,
            budget_tokens=self._budget(asked.question or "", asked.budget_tokens),
            max_spans=self._ceilings.spans(asked.max_spans),
            model=self._llm.name if self._llm else None,
        )

    def _budget(self, question: str, asked: int | None) -> int:
        """The tokens that evidence may have. Raises InvalidRequest where the question leaves none."""
        granted = self._ceilings.tokens(asked or self._default_tokens)
        return min(granted, room_for_evidence(self._llm, question)) if self._llm else granted

    def _meant(
        self, request: PlanRequest, principal: Principal, question: str, asked: Asked | None, *, allow_ungrounded: bool
    ) -> tuple[_Meant, _Evidence]:
        """The question by its own words; where nothing is near them, with those it goes on from, if that is near.

        Raises InsufficientEvidence.
        """
        try:
            evidence = self._evidence(request, principal, allow_ungrounded=allow_ungrounded)
        except InsufficientEvidence:
            both = self._with_before(request, principal, question, asked)
            if both is None:
                raise
            return both
        alone = _Meant(question, _own(principal, asked)), evidence
        return alone if evidence.is_near else self._with_before(request, principal, question, asked) or alone

    def _with_before(
        self, request: PlanRequest, principal: Principal, question: str, asked: Asked | None
    ) -> tuple[_Meant, _Evidence] | None:
        asked_before = self._conversations.questions(principal, asked, LOOKED_BACK) if asked else ()
        before = gone_on_from(question, asked_before)
        if not before:
            return None
        both = together(question, before)
        try:
            joined = replace(request, question=both, budget_tokens=self._budget(both, request.budget_tokens))
            evidence = self._evidence(joined, principal, allow_ungrounded=False)
            if self._llm:
                fitting(self._llm, both, evidence.passages)
        except (InsufficientEvidence, InvalidRequest):
            return None  # nothing bears it, or it is too long for a model together
        nearest = [f"{unit.context}\n{unit.said}" for units in evidence.units[:_NEAREST_SHOWN] for unit in units]
        is_borne = evidence.is_near and bears_out(question, nearest)
        refs = (*_own(principal, asked), *(one.ref for one in before))
        return (_Meant(both, refs), evidence) if is_borne else None

    def _evidence(self, request: PlanRequest, principal: Principal, *, allow_ungrounded: bool) -> _Evidence:
        with self._database.read(principal.tenant_id) as tx:
            try:
                planned = self._planner.plan(tx, request, principal, self._database.clock.now())
            except InsufficientEvidence:
                if not allow_ungrounded:
                    raise
                empty = EvidencePlan.empty_hash(request.budget_tokens or 0)
                return _Evidence((), (), (), empty, 0.0, 0.0, is_near=self._llm is not None, is_grounded=False)
            ranked = sorted(planned.spans, key=lambda span: (-span.weight, span.span))
            read = ranked if self._llm else ranked[:_PASSAGES_READ]
            spans = [span.span for span in read]
            passages, units = self._library.passages(tx, spans), self._library.units(tx, spans)
        nearest = [unit for span in spans[:_PASSAGES_READ] for unit in units[span]]
        near = nearness(
            request.question or "", (f"{unit.context}\n{unit.said}" for unit in nearest), planned.best_cosine
        )
        return _Evidence(
            read,
            [passages[span] for span in spans],
            [units[span] for span in spans],
            planned.plan_hash,
            planned.best_cosine,
            near,
            is_near=near >= self._min_cosine or request.has_query or allow_ungrounded,
        )

    # ── complete, decompose ──

    def _chosen(self, question: str, evidence: _Evidence) -> _Draft:
        chosen = choose(question, self._sentences(question, evidence)) if evidence.is_near else []
        quotes = [[Unit(sentence.span, sentence.text, sentence.context)] for sentence in chosen]
        said = [Said(sentence.text, (number,)) for number, sentence in enumerate(chosen, 1)]
        return _Draft(said, quotes, [span.span for span in evidence.spans])

    def _sentences(self, question: str, evidence: _Evidence) -> list[Sentence]:
        pairs = zip(evidence.spans, evidence.units, strict=True)
        flat = [(span.weight, unit) for span, units in pairs for unit in units]
        if not flat or self._embedder is None:
            return []
        vectors = self._embedder.embed([unit.said for _, unit in flat])
        cosines = vectors @ embed_question(self._embedder, question)
        return [
            Sentence(unit.span, unit.said, unit.context, float(cosine), weight)
            for (weight, unit), cosine in zip(flat, cosines, strict=True)
        ]

    def _written(
        self, meant: _Meant, evidence: _Evidence, llm: LanguageModel, principal: Principal, asked: Asked | None
    ) -> _Draft:
        if not evidence.is_near:
            return _Draft((), (), [span.span for span in evidence.spans], llm.name)
        shown, told = _told(meant.text, evidence, llm)
        room = room_for_lines(llm, told)
        history = self._conversations.history(principal, asked, llm.name, room) if asked else History()
        with self._database.read(principal.tenant_id) as tx:
            if threads.any_revoked(tx, meant.refs):
                raise NotFound(_WITHDRAWN)
        messages = told(history.lines)
        completion = llm.provider.complete(messages, llm.name, llm.max_tokens)
        usage = completion.usage or measured(llm, messages, completion.text)
        if not usage.estimated:
            lines = [Line(message.role, message.text) for message in messages]
            self._conversations.learn(principal.tenant_id, llm.name, lines, usage.prompt_tokens)
        sentences = said(completion.text, len(shown))
        read = [passage.span for passage in shown]
        return _Draft(sentences, evidence.units[: len(shown)], read, llm.name, usage, history.source_ids)

    # ── verify ──

    def _look(self, tx: ReadTx, principal: Principal, valid_time: int | None, tx_time: int | None) -> View:
        """What the principal may see by now, at these coordinates."""
        now = self._database.clock.now()
        return view(tx, rights.today(tx, principal, now), now, valid_time, tx_time)

    def _borne(self, draft: _Draft, tenant_id: str, look: Callable[[ReadTx], View]) -> list[Borne]:
        try:
            with self._database.read(tenant_id) as tx:
                weight = self._matcher.weight(look(tx), [one.text for one in draft.said])
            return bear(draft.said, draft.units, partial(self._matcher.judge, weight))
        except (VerifyUnavailable, SemanticUnavailable):
            return bear_unjudged(draft.said, draft.units)

    def _claims(self, asked: View, borne: Sequence[Borne]) -> tuple[Claim, ...]:
        """Each sentence with its citations as they are shown. Raises NotFound where their words were erased."""
        spans = list({unit.span: None for one in borne for unit in one.units})
        passages = self._library.passages(asked.tx, spans)
        if len(passages) < len(spans):
            raise NotFound(_TAKEN_AWAY)
        questions = self._questions.about(asked, spans)
        return tuple(
            Claim(
                one.text,
                tuple(passages[unit.span] for unit in one.units),
                one.quoted,
                one.verdict,
                tuple(dict.fromkeys(about for unit in one.units for about in questions.get(unit.span, ()))),
            )
            for one in borne
        )

    def _sections(self, tx: ReadTx, spans: Sequence[SpanRef]) -> tuple[Cited, ...]:
        found = self._library.sections(tx, spans)
        return tuple({cited.node_id: cited for cited in (found[s] for s in spans if s in found)}.values())

    # ── trace ──

    def _trace(self, answer: Answer, read: Sequence[SpanRef], principal: Principal, said: Sequence[UUID] = ()) -> None:
        """`said`: the events whose words the question is. What was withdrawn meanwhile is kept without words."""
        cited = {passage.span.source_id for claim in answer.claims for passage in claim.citations}
        with self._database.write(principal.tenant_id) as tx:
            tx.compose()
            _refuse_erased(tx, cited | {span.source_id for span in read} | answer.read, principal)
            body = trace_body(answer, read, said)
            kept = trace_without_words(body) if threads.any_revoked(tx, said) else body
            traces.add(tx, answer.trace_id, "generate", principal, kept)


def _own(principal: Principal, asked: Asked | None) -> tuple[UUID, ...]:
    """The event that a question is, where it is one."""
    return (event_ref(principal.tenant_id, asked.event_id, 0),) if asked and asked.event_id else ()


def _told(
    question: str, evidence: _Evidence, llm: LanguageModel
) -> tuple[Sequence[Passage], Callable[[Sequence[Line]], Sequence[Message]]]:
    """The passages that fit beside the question, and the messages with them and with what was said before."""
    shown = fitting(llm, question, evidence.passages)
    return shown, partial(prompt, question, shown) if evidence.is_grounded else partial(ungrounded, question)


def _refuse_erased(tx: WriteTx, rests_on: set[UUID], principal: Principal) -> None:
    """Keep no words of what was erased, or taken from the principal, while they were read, nor of one who is gone.

    Raises NotFound, UnknownKey.
    """
    if not rests_on <= sources.readable(tx, rights.today(tx, principal, tx.now)):
        raise NotFound(_TAKEN_AWAY)
