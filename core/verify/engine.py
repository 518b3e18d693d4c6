"""The matcher on a store: a claim against what a reader may read, against cited words, or against what stands now.

A claim is held against sentences and table rows, one at a time: a number of the next sentence bears nothing. The spans
nearest in meaning are read in the order of the words they share with it, and what could neither win nor reach a band is
not read by the model: a pair scores at most `lex ** (1 - beta)` (core.verify.score), whatever its meaning.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

import numpy as np

from core.embed.protocol import Embedder, Vectors
from core.errors import ModelMismatch, NotFound, VerifyUnavailable
from core.ids import random_id
from core.jsonhash import json_hash
from core.metrics import Metrics, timed
from core.model.ports import Graph, Library, Read, Recall, Unit
from core.model.principals import Principal
from core.model.spans import Kind, SpanRef
from core.model.verdicts import Candidate, Gate, Support, Verdict
from core.store import sources, traces
from core.store.database import Database, ReadTx
from core.store.view import View, view
from core.text.terms import terms
from core.verify.config import VerifyConfig
from core.verify.judge import judge
from core.verify.request import Against, Evidence, Verified, VerifyRequest, VerifyResult, capped, result_of
from core.verify.score import Weight, lexical, score
from core.verify.strict import still_says

_WORTH_READING = 0.5
"""A sentence that holds less than half of a claim's content words cannot still say it; it is not embedded."""
_EVIDENCE_SHOWN = 3


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence or table row, as it is said."""

    span: SpanRef
    said: str


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
        vectors = self._embed(request.claims)
        with self._database.read(principal.tenant_id) as tx:
            asked = view(tx, principal, self._database.clock.now(), request.valid_time, request.tx_time)
            among = self._among(asked, request.against)
            results, count = [], 0
            for claim, vector in zip(request.claims, vectors, strict=True):
                spans = self._spans(asked, vector, among)
                results.append(self._result(asked, claim, vector, spans))
                count += len(spans)
        return Verified(tuple(results), embedder.model, count, random_id())

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

    def _spans(self, asked: View, vector: Vectors, among: "_Among") -> dict[SpanRef, Kind | None]:
        """The spans that are nearest to a claim, and all that the records rest on among which it is sought.

        No headings, which assert nothing: they are short, and so are claims, so that half of what is near may be one.
        """
        hits = self._recall.nearest(
            asked.tx, vector, among.readable, asked.valid_t, asked.tx_t, 2 * self._config.candidates, among.passages
        )
        nodes = asked.nodes([hit.node_id for hit in hits])
        nearest = [span for hit in hits if hit.node_id in nodes for span in nodes[hit.node_id].spans()]
        kinds = sources.span_kinds(asked.tx, set(nearest))
        telling = [span for span in nearest if kinds.get(span) != Kind.HEADING.value][: self._config.candidates]
        return {span: Kind(kinds[span]) if span in kinds else None for span in (*telling, *among.records)}

    def _most_shared(
        self, tx: ReadTx, wanted: Sequence[str], spans: Mapping[SpanRef, Kind | None], weight: Weight
    ) -> dict[SpanRef, float]:
        """The most of a claim's words that a piece of each span may hold; a row is said with its header's words."""
        slices = self._library.slices(tx, spans)
        return {
            span: 1.0 if kind is Kind.CELL else lexical(wanted, terms(slices.get(span, "")), weight)
            for span, kind in spans.items()
        }

    def _pieces(self, tx: ReadTx, span: SpanRef) -> list[_Piece]:
        """Its sentences and table rows; a span that lies within one stands for itself."""
        units = self._library.units(tx, [span]).get(span, ())
        slices = self._library.slices(tx, [] if units else [span])
        return [_Piece(unit.span, unit.said) for unit in units] or [_Piece(*found) for found in slices.items()]

    # ── judging ──

    def _result(self, asked: View, claim: str, vector: Vectors, spans: Mapping[SpanRef, Kind | None]) -> VerifyResult:
        weight = self._weight(asked, [claim])
        read = list(self._read(asked.tx, claim, vector, spans, weight))
        verdict = judge(claim, [candidate for _, candidate, _ in read], self._config, weight)
        order = sorted(range(len(read)), key=lambda place: (place != verdict.best, -read[place][2], place))
        best = [read[place] for place in order[:_EVIDENCE_SHOWN]]
        return result_of(claim, verdict, [Evidence(piece.span, piece.said, round(s, 6)) for piece, _, s in best])

    def _read(
        self, tx: ReadTx, claim: str, vector: Vectors, spans: Mapping[SpanRef, Kind | None], weight: Weight
    ) -> Iterator[tuple[_Piece, Candidate, float]]:
        """The pieces that could win or reach a band, else one that shares the most words; each with what it scores."""
        wanted, best, read = terms(claim), 0.0, False

        def may_matter(shared: float) -> bool:
            return score(1.0, shared, self._config.beta) >= max(best, self._config.partial)

        most = self._most_shared(tx, wanted, spans, weight)
        for span in sorted(most, key=lambda span: -most[span]):
            if read and not may_matter(most[span]):
                return
            shared = {piece: lexical(wanted, terms(piece.said), weight) for piece in self._pieces(tx, span)}
            near = [piece for piece in shared if may_matter(shared[piece])]
            if not (near or read):
                near = sorted(shared, key=lambda piece: -shared[piece])[:1]
            for piece, candidate in self._compared(near, vector):
                alone = judge(claim, [candidate], self._config, weight).score
                best, read = max(best, alone), True
                yield piece, candidate, alone

    def _compared(self, pieces: Sequence[_Piece], vector: Vectors) -> Iterator[tuple[_Piece, Candidate]]:
        cosines = self._embed([piece.said for piece in pieces]) @ vector if pieces else ()
        for piece, cosine in zip(pieces, cosines, strict=True):
            yield piece, Candidate(piece.said, float(cosine))

    def judge(self, asked: View, claims: Sequence[tuple[str, Sequence[str]]]) -> Sequence[Verdict]:
        """The verdict on each claim by the words of its own passages. Raises VerifyUnavailable without a model."""
        if self._embedder is None:
            raise VerifyUnavailable
        weight = self._weight(asked, [claim for claim, _ in claims])
        texts = list(dict.fromkeys(text for claim, passages in claims for text in (claim, *passages)))
        vector = dict(zip(texts, self._embed(texts), strict=True))
        return [
            judge(
                claim, [Candidate(text, float(vector[text] @ vector[claim])) for text in passages], self._config, weight
            )
            for claim, passages in claims
        ]

    def _weight(self, asked: View, claims: Sequence[str]) -> Weight:
        """How much each term of the claims weighs: the rarer among all that the principal may read, the more."""
        wanted = {term for claim in claims for term in terms(claim)}
        return self._recall.rarity(asked.tx, wanted, asked.readable, asked.valid_t, asked.tx_t).__getitem__

    def _embed(self, texts: Sequence[str]) -> Vectors:
        assert self._embedder is not None
        with timed(self._metrics.verify_embed_ms):
            return self._embedder.embed(texts)

    def _trace(self, verified: Verified, request: VerifyRequest, principal: Principal) -> None:
        """Coordinates and numbers; what was claimed is not kept."""
        body = {
            "requestHash": json_hash(asdict(request)),
            "model": verified.model,
            "spans": verified.spans,
            "results": [_without_words(result.to_json()) for result in verified.results],
        }
        with self._database.write(principal.tenant_id) as tx:
            traces.add(tx, verified.trace_id, "verification", principal.person, body)

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
