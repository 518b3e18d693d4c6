"""From a question to an answer that can be traced: plan → choose → claim → trace."""

from collections.abc import Sequence

from core.embed.protocol import Embedder
from core.errors import NotFound, SemanticUnavailable
from core.generate.extractive import Sentence, choose
from core.ids import random_id
from core.model.answers import Answer, Cited, Claim
from core.model.ports import Library, PlannedSpan, Planner
from core.model.principals import Principal
from core.model.spans import SpanRef
from core.store import people, sources, traces
from core.store.database import Database, ReadTx

_PASSAGES_READ = 8
"""Heaviest passages whose sentences are weighed: on the sample questions the answer is never further down."""
_NEAREST_SHOWN = 3


class GenerateEngine:
    """`min_cosine`: how near the nearest passage must come before anything is claimed."""

    def __init__(
        self, database: Database, planner: Planner, library: Library, embedder: Embedder | None, min_cosine: float
    ) -> None:
        self._database = database
        self._planner = planner
        self._library = library
        self._embedder = embedder
        self._min_cosine = min_cosine

    def generate(self, question: str, principal: Principal) -> Answer:
        """Answer from what the principal may read; an answer that claims nothing when nothing is close enough.

        Raises InsufficientEvidence when there is nothing at all, SemanticUnavailable without a model.
        """
        if self._embedder is None:
            raise SemanticUnavailable
        with self._database.read(principal.tenant_id) as tx:
            planned = self._planner.plan_question(tx, question, principal, self._database.clock.now())
            heaviest = sorted(planned.spans, key=lambda span: (-span.weight, span.span))[:_PASSAGES_READ]
            known = planned.best_cosine >= self._min_cosine
            sentences = self._sentences(tx, question, heaviest) if known else []
            chosen = choose(question, sentences)
            passages = self._library.passages(tx, [s.span for s in chosen] + [s.span for s in heaviest])
            sections = self._sections(tx, [sentence.span for sentence in chosen])
        answer = Answer(
            trace_id=random_id(),
            question=question,
            text=" ".join(sentence.text for sentence in chosen),
            claims=tuple(Claim(s.text, (passages[s.span],), quoted=True) for s in chosen),
            sections=sections,
            nearest=tuple(passages[span.span] for span in heaviest[:_NEAREST_SHOWN]),
            plan_hash=planned.plan_hash,
            best_cosine=planned.best_cosine,
        )
        self._trace(answer, heaviest, principal)
        return answer

    def quote(self, question: str, span: SpanRef, principal: Principal) -> Answer:
        """The traced answer that somebody gave by quoting these words, which need no model. Raises NotFound."""
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

    def _sentences(self, tx: ReadTx, question: str, planned: Sequence[PlannedSpan]) -> list[Sentence]:
        units = self._library.units(tx, [span.span for span in planned])
        weight = {span.span: span.weight for span in planned}
        flat = [(span, unit) for span in weight for unit in units.get(span, ())]
        if not flat or self._embedder is None:
            return []
        vectors = self._embedder.embed([question, *(unit.said for _, unit in flat)])
        cosines = vectors[1:] @ vectors[0]
        return [
            Sentence(unit.span, unit.said, unit.context, float(cosine), weight[span])
            for (span, unit), cosine in zip(flat, cosines, strict=True)
        ]

    def _sections(self, tx: ReadTx, spans: Sequence[SpanRef]) -> tuple[Cited, ...]:
        found = self._library.sections(tx, spans)
        return tuple({cited.node_id: cited for cited in (found[s] for s in spans if s in found)}.values())

    def _trace(self, answer: Answer, planned: Sequence[PlannedSpan], principal: Principal) -> None:
        body = {
            "question": answer.question,
            "answerText": answer.text,
            "planHash": answer.plan_hash,
            "model": "extractive",
            "usage": {"promptTokens": 0, "completionTokens": 0},
            "bestCosine": round(answer.best_cosine, 6),
            "coordinates": [_coordinates(span.span) for span in planned],
            "claims": [
                {"text": c.text, "citations": [_coordinates(p.span) for p in c.citations]} for c in answer.claims
            ],
            "sections": [[str(cited.node_id), cited.title] for cited in answer.sections],
        }
        with self._database.write(principal.tenant_id) as tx:
            tx.compose()
            _refuse_erased(tx, answer, planned, principal)
            traces.add(tx, answer.trace_id, "generate", principal.person, body)


def _refuse_erased(tx: ReadTx, answer: Answer, planned: Sequence[PlannedSpan], principal: Principal) -> None:
    """Keep no words of what was erased, or taken from the principal, while they were read, nor of one who is gone.

    Raises NotFound.
    """
    person = people.get(tx, principal.person) if principal.person else None
    if person is not None and not person.active:
        raise NotFound(f"there is no person {principal.person}")
    cited = {passage.span.source_id for claim in answer.claims for passage in claim.citations}
    if not cited | {span.span.source_id for span in planned} <= sources.readable(tx, principal):
        raise NotFound("a document that this rests on was taken away just now; ask again")


def _coordinates(span: SpanRef) -> list[str | int]:
    return [str(span.source_id), span.source_version_tx, span.start, span.end]
