"""The matcher on a store: a claim against what a reader may read, against cited words, or against what stands now.

A claim is held against sentences and table rows, one at a time: a number of the next sentence bears nothing. The spans
nearest in meaning are read in the order of the words they share with it, and what could neither win nor reach a band is
not read by the model: a pair scores at most `lex ** (1 - beta)` (core.verify.score), whatever its meaning. The model
may be far away and slow, so that no transaction waits for it: claims are embedded before words are read in, and those
words after it has ended.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np

from core.embed.protocol import Embedder, Vectors
from core.errors import ModelMismatch, NotFound, VerifyUnavailable
from core.ids import random_id
from core.jsonhash import json_hash
from core.metrics import Metrics, Stopwatch, summed
from core.model.ports import Graph, Library, Read, Recall, Unit
from core.model.principals import Principal
from core.model.spans import Kind, SpanRef
from core.model.verdicts import Candidate, Gate, Signals, Support, Verdict
from core.store import rights, sources, traces
from core.store.database import Database, ReadTx
from core.store.view import View, view
from core.text.fold import standing
from core.text.terms import terms
from core.verify.config import VerifyConfig
from core.verify.judge import decided, judge, measured, scored
from core.verify.request import Against, Evidence, Verified, VerifyRequest, VerifyResult, capped, result_of
from core.verify.score import Weight, lexical, score
from core.verify.strict import still_says
from core.verify.units import is_of_number
from core.verify.wording import Wording

_WORTH_READING = 0.5
"""A sentence that holds less than half of a claim's content words cannot still say it; it is not embedded."""
_EVIDENCE_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence or table row, as it is said."""

    span: SpanRef
    said: Wording


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim and what it is held against: pieces by span, those first that may share the most words with it.

    `most`: the most that one of a span's may share. `spans`: how many were looked at.
    """

    text: str
    vector: Vectors
    weight: Weight
    spans: int
    read: Sequence[tuple[float, Sequence[_Piece]]]


@dataclass(frozen=True, slots=True)
class _Compared:
    piece: _Piece
    signals: Signals
    score: float


class VerifyEngine:
    def __init__(
        self,
        database: Database,
        embedder: Embedder | None,
        graph: Graph,
        recall: Recall,
        library: Library,
        config: VerifyConfig,
        metrics: Metrics,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._graph = graph
        self._recall = recall
        self._library = library
        self._config = config
        self._metrics = metrics

    # ── claims of a caller ──

    def verify(self, request: VerifyRequest, principal: Principal) -> Verified:
        """What the wording of all that may be read says of each claim.

        Raises VerifyUnavailable without a model for it; NotFound for a source that may not be read; InvalidQuery.
        """
        self._metrics.verify_calls.inc()
        try:
            verified = self._verified(request, principal)
        except (VerifyUnavailable, ModelMismatch) as problem:
            self._metrics.verify_unavailable_count.inc()
            raise VerifyUnavailable(str(problem)) from problem
        self._metrics.verify_candidate_spans.inc(verified.spans)
        self._metrics.verify_numeric_gate_capped_count.inc(sum(map(capped, verified.results)))
        self._trace(verified, request, principal)
        return verified

    def _verified(self, request: VerifyRequest, principal: Principal) -> Verified:
        embedder = self._model(request.model)
        with summed(self._metrics.verify_embed_ms) as watch:
            model = _Model(embedder, watch)
            vectors = model.embed(request.claims)
            with self._database.read(principal.tenant_id) as tx:
                asked = view(tx, principal, self._database.clock.now(), request.valid_time, request.tx_time)
                claims = self._held_against(asked, request, vectors)
            results = tuple(self._result(claim, model) for claim in claims)
        return Verified(results, embedder.model, sum(claim.spans for claim in claims), random_id())

    def _model(self, wanted: str | None) -> Embedder:
        """The model of claims and spans alike. Raises VerifyUnavailable."""
        if self._embedder is None:
            raise VerifyUnavailable
        wanted = self._config.embed_model or wanted
        if wanted is not None and wanted not in {self._embedder.model, self._embedder.model.rpartition("-")[0]}:
            raise VerifyUnavailable(
                f"claims are to be compared under {wanted!r}, and the documents are embedded with "
                f"{self._embedder.model!r}: cosines of two models say nothing of each other"
            )
        return self._embedder

    # ── what claims are held against ──

    def _among(self, asked: View, against: Against) -> "_Among":
        if against.source_ids is not None:
            for source_id in against.source_ids:
                if source_id not in asked.readable:
                    raise NotFound(f"against.source_ids: there is no source {source_id} that you can read")
            return _Among(frozenset(against.source_ids))
        if not against.has_query:
            return _Among(asked.readable)
        nodes = [node for node, _ in self._graph.find(asked, against.find, against.where)]
        records = [span for node in nodes if node.source_id is None for span in node.spans()]
        passages = _passages_of(asked, [node.node_id for node in nodes if node.source_id is not None])
        return _Among(asked.readable, passages, tuple(dict.fromkeys(records)))

    def _held_against(self, asked: View, request: VerifyRequest, vectors: Vectors) -> list[_Claim]:
        """Each claim with the words of what it is held against, each of which is read in once."""
        among, weight = self._among(asked, request.against), self.weight(asked, request.claims)
        recorded = _terms_of(self._library.slices(asked.tx, among.records))
        spans = [
            self._nearest(asked, vector, among) | dict.fromkeys(self._most_shared(terms(claim), recorded, weight), None)
            for claim, vector in zip(request.claims, vectors, strict=True)
        ]
        held = recorded | _terms_of(
            self._library.slices(asked.tx, {s for each in spans for s in each} - recorded.keys())
        )
        worth = [
            self._worth_reading(terms(claim), {span: kind for span, kind in each.items() if span in held}, held, weight)
            for claim, each in zip(request.claims, spans, strict=True)
        ]
        read = {span for most in worth for span in most}
        pieces = self._pieces(asked.tx, read, {span for each in spans for span, kind in each.items() if kind is None})
        return [
            _Claim(claim, vector, weight, len(each), [(most[span], pieces[span]) for span in most])
            for claim, vector, each, most in zip(request.claims, vectors, spans, worth, strict=True)
        ]

    def _nearest(self, asked: View, vector: Vectors, among: "_Among") -> dict[SpanRef, Kind | None]:
        """The spans that are nearest to a claim.

        No headings, which assert nothing: they are short, and so are claims, so that half of what is near may be one.
        """
        hits = self._recall.nearest(
            asked.tx, vector, among.readable, asked.valid_t, asked.tx_t, 2 * self._config.candidates, among.passages
        )
        nodes = asked.nodes([hit.node_id for hit in hits])
        nearest = [span for hit in hits if hit.node_id in nodes for span in nodes[hit.node_id].spans()]
        kinds = sources.span_kinds(asked.tx, set(nearest))
        telling = [span for span in nearest if kinds.get(span) != Kind.HEADING.value][: self._config.candidates]
        return {span: Kind(kinds[span]) if span in kinds else None for span in telling}

    def _most_shared(self, wanted: Sequence[str], held: "_Terms", weight: Weight) -> list[SpanRef]:
        """Of what records rest on, the spans that hold most of a claim's words; their meaning is in no index."""
        shared = {span: lexical(wanted, found, weight) for span, found in held.items()}
        return sorted(shared, key=lambda span: -shared[span])[: self._config.candidates]

    def _worth_reading(
        self, wanted: Sequence[str], spans: Mapping[SpanRef, Kind | None], held: "_Terms", weight: Weight
    ) -> dict[SpanRef, float]:
        """The most of a claim's words that a piece of each span may hold, most first; of those that may reach a band,
        else of the first. A row is said with its header's words, so that it may hold all.
        """
        most = {
            span: 1.0 if kind is Kind.CELL else _may_hold(wanted, held[span], weight) for span, kind in spans.items()
        }
        order = sorted(most, key=lambda span: -most[span])
        return {span: most[span] for place, span in enumerate(order) if not place or self._reaches(most[span])}

    def _reaches(self, shared: float, least: float = 0.0) -> bool:
        """Whether what shares so many of a claim's words could reach a band, and a score, if it meant the same."""
        return score(1.0, shared, self._config.beta) >= max(least, self._config.partial)

    def _pieces(
        self, tx: ReadTx, spans: Collection[SpanRef], recorded: Collection[SpanRef]
    ) -> dict[SpanRef, list[_Piece]]:
        """The sentences and rows of each span; what a record rests on may lie within one, and stands for itself."""
        units = self._library.units(tx, spans)
        slices = self._library.slices(tx, [span for span in spans if span in recorded and not units.get(span)])
        alone = {span: [_Piece(span, Wording(said))] for span, text in slices.items() if (said := standing(text))}
        within = {span: [_Piece(unit.span, Wording(unit.said)) for unit in units.get(span, ())] for span in spans}
        return {span: found or alone.get(span, []) for span, found in within.items()}

    # ── judging ──

    def _result(self, claim: _Claim, model: "_Model") -> VerifyResult:
        read = list(self._read(claim, model))
        verdict = decided([one.signals for one in read], self._config)
        order = sorted(range(len(read)), key=lambda place: (place != verdict.best, -read[place].score, place))
        best = [read[place] for place in order[:_EVIDENCE_SHOWN]]
        evidence = [Evidence(one.piece.span, one.piece.said.text, round(one.score, 6)) for one in best]
        return result_of(claim.text, verdict, evidence)

    def _read(self, claim: _Claim, model: "_Model") -> Iterator[_Compared]:
        """The pieces that could win or reach a band, else one that shares the most words."""
        wording, best, read = Wording(claim.text), 0.0, False
        for most, pieces in claim.read:
            if read and not self._reaches(most, best):
                return
            found = [(piece, measured(wording, piece.said, 0.0, claim.weight)) for piece in pieces]
            near = [one for one in found if self._reaches(one[1].lexical, best)]
            if not (near or read):
                near = sorted(found, key=lambda one: -one[1].lexical)[:1]
            cosines = model.cosines([piece.said.text for piece, _ in near], claim.vector)
            for (piece, words), cosine in zip(near, cosines, strict=True):
                signals = replace(words, cosine=cosine)
                compared = _Compared(piece, signals, scored(signals, self._config))
                best, read = max(best, compared.score), True
                yield compared

    def judge(self, weight: Weight, claims: Sequence[tuple[str, Sequence[str]]]) -> Sequence[Verdict]:
        """The verdict on each claim by the words of its own passages. Raises VerifyUnavailable without a model."""
        if self._embedder is None:
            raise VerifyUnavailable
        texts = list(dict.fromkeys(text for claim, passages in claims for text in (claim, *passages)))
        vector = dict(zip(texts, self._embedder.embed(texts), strict=True))
        return [
            judge(
                claim, [Candidate(text, float(vector[text] @ vector[claim])) for text in passages], self._config, weight
            )
            for claim, passages in claims
        ]

    def weight(self, asked: View, claims: Sequence[str]) -> Weight:
        """How much each term of the claims weighs: the rarer among all that the principal may read, the more."""
        wanted = {term for claim in claims for term in terms(claim)}
        return self._recall.rarity(asked.tx, wanted, asked.readable, asked.valid_t, asked.tx_t).__getitem__

    def _trace(self, verified: Verified, request: VerifyRequest, principal: Principal) -> None:
        """Coordinates and numbers; what was claimed is not kept."""
        body = {
            "requestHash": json_hash(asdict(request)),
            "model": verified.model,
            "spans": verified.spans,
            "results": [_without_words(result.to_json()) for result in verified.results],
        }
        with self._database.write(principal.tenant_id) as tx:
            tx.compose()
            rights.today(tx, principal, tx.now)  # no hash of their words is to outlive one who was erased meanwhile
            traces.add(tx, verified.trace_id, "verification", principal, body)

    # ── is a saved claim still said? ──

    def still_says(self, text: str, sentences: Sequence[str], question: str) -> Read | None:
        """Whether one of the sentences still says what answered a question; None without a model to read with."""
        if self._embedder is None:
            return None
        wanted = terms(text)
        near = [sentence for sentence in sentences if lexical(wanted, terms(sentence)) >= _WORTH_READING]
        if not near:
            return Read(says=False, numbers_differ=False)
        vectors = self._embedder.embed([text, *near])
        cosines = vectors[1:] @ vectors[0]
        verdict = still_says(text, [Candidate(s, float(c)) for s, c in zip(near, cosines, strict=True)], question)
        differ = verdict.signals is not None and Gate.CAPPED in {verdict.signals.numeric_gate, verdict.signals.negation}
        return Read(verdict.verdict is Support.SUPPORTED, differ)

    def candidates(self, tx: ReadTx, text: str, readable: Collection[UUID], now: int) -> Sequence[Unit]:
        """Sentences and rows of the passages nearest to a claim, among those its owner may read."""
        if self._embedder is None:
            return ()
        vector = np.asarray(self._embedder.embed([text])[0])
        hits = self._recall.search(tx, text, vector, readable, now, tx.last_tx, self._config.candidates)
        return self._library.units_of(tx, [hit.node_id for hit in hits], now)


@dataclass(frozen=True, slots=True)
class _Among:
    """Where spans are sought: in these sources; in these passages alone, if any are named; and what records rest on."""

    readable: frozenset[UUID]
    passages: frozenset[UUID] | None = None
    records: tuple[SpanRef, ...] = ()


_Terms = Mapping[SpanRef, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Model:
    """The embedding model, and how long one request was in it."""

    embedder: Embedder
    watch: Stopwatch

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self.watch.running():
            return self.embedder.embed(texts)

    def cosines(self, texts: Sequence[str], vector: Vectors) -> list[float]:
        return [float(cosine) for cosine in self.embed(texts) @ vector] if texts else []


def _terms_of(words: Mapping[SpanRef, str]) -> dict[SpanRef, list[str]]:
    return {span: terms(text) for span, text in words.items()}


def _may_hold(wanted: Sequence[str], held: Sequence[str], weight: Weight) -> float:
    """The most of a claim's words that count as held by a text: of a number its words do not tell, but its value."""
    return lexical(wanted, [*held, *filter(is_of_number, wanted)], weight)


def _passages_of(asked: View, node_ids: Sequence[UUID]) -> frozenset[UUID]:
    """The passages of sections and documents; a passage is its own."""
    found, parts = set(node_ids), list(node_ids)
    while parts:
        parts = [part for _, part in asked.parts(parts) if part not in found]
        found.update(parts)
    return frozenset(found)


def _without_words(result: dict[str, Any]) -> dict[str, Any]:
    evidence = [{name: value for name, value in one.items() if name != "text"} for one in result.get("evidence", ())]
    return {name: value for name, value in result.items() if name != "claim"} | {"evidence": evidence}
