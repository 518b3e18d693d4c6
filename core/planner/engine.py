"""Phase A, recall: three legs, one union, one snapshot. What is chosen from it is phase B's, and pure.

A leg gives each node a score in [0, 1]; the union keeps the highest. Each node is read again as of (valid_t, tx_t) for
the principal, taken apart into its spans, weighed, and pooled. A span that several nodes hold counts once, at its
heaviest. Coordinates decide ties, since a passage's id holds a random key: the same documents, arrived at the same
times, give the same plan in every store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from core.clock import DAY
from core.errors import InsufficientEvidence
from core.model.answers import Cited
from core.model.node_ids import document_id
from core.model.nodes import Node
from core.model.ports import Graph, Library, Recall
from core.model.principals import Principal
from core.model.spans import Kind, SpanRef
from core.planner.candidates import Candidate, SpanClass
from core.planner.fusion import decay, fuse, hop, saturation
from core.planner.plan import EvidencePlan, Planned, RecallStats, build
from core.planner.request import PlannerConfig, PlanRequest
from core.planner.selection import select
from core.planner.tokens import TokenAccounting, budget_of, tokens_of
from core.planner.weigh import pool, truncate, weigh
from core.store import sources
from core.store.database import ReadTx
from core.store.view import View, view

Scores = dict[UUID, float]

_TOO_SMALL = "No passage that may answer this fits the budget of tokens; allow more."


@dataclass(frozen=True, slots=True)
class _Recalled:
    scores: Scores
    stats: RecallStats
    best_cosine: float


@dataclass(frozen=True, slots=True)
class _Pool:
    """`estimated`: whether the tokens of any span are a guess. `held`: since and until when each span holds."""

    spans: list[Candidate]
    estimated: bool
    stats: RecallStats
    held: Mapping[SpanRef, tuple[int, int]]


class PlannerEngine:
    def __init__(
        self, recall: Recall, graph: Graph, library: Library, accounting: TokenAccounting | None, config: PlannerConfig
    ) -> None:
        self._recall = recall
        self._graph = graph
        self._library = library
        self._accounting = accounting
        self._config = config

    def plan(self, tx: ReadTx, request: PlanRequest, principal: Principal, now: int) -> Planned:
        """Raises InvalidQuery, SemanticUnavailable; InsufficientEvidence with the stats when nothing is selected."""
        asked = view(tx, principal, now, request.valid_time, request.tx_time)
        recalled = self._recall_nodes(asked, request)
        pool = self._explode(asked, recalled, request.model)
        plan = self._select(pool, request)
        if not plan.spans:
            raise InsufficientEvidence(_TOO_SMALL if pool.spans else None, stats=plan.stats)
        return Planned(plan, recalled.best_cosine, asked, pool.held)

    def sections(self, tx: ReadTx, words: str, principal: Principal, now: int) -> list[Cited]:
        """Sections that a few words lead to, best first. Raises SemanticUnavailable."""
        try:
            planned = self.plan(tx, PlanRequest(question=words), principal, now)
        except InsufficientEvidence:
            return []
        spans = [span.span for span in sorted(planned.spans, key=lambda span: (-span.weight, span.span))]
        found = self._library.sections(tx, spans)
        return list({found[span].node_id: found[span] for span in spans}.values())

    # ── recall ──

    def _recall_nodes(self, asked: View, request: PlanRequest) -> _Recalled:
        structured = self._query_leg(asked, request) if request.has_query else {}
        semantic, best_cosine = self._semantic_leg(asked, request.question or "") if request.has_question else ({}, 0.0)
        union = _highest(structured, semantic)
        expanded = self._expand(asked, union, request.expand_depth)
        merged = _highest(union, expanded)
        stats = RecallStats(query=len(structured), semantic=len(semantic), expansion=len(expanded), union=len(merged))
        return _Recalled(merged, stats, best_cosine)

    def _query_leg(self, asked: View, request: PlanRequest) -> Scores:
        half = self._config.bm25_half
        found = self._graph.find(asked, request.find, request.where)
        scored = [(node, 1.0 if bm25 is None else saturation(bm25, half)) for node, bm25 in found]
        best = sorted(scored, key=lambda one: (-one[1], one[0].spans()[:1], one[0].node_id))
        return {node.node_id: score for node, score in best[: self._config.query_limit]}

    def _semantic_leg(self, asked: View, question: str) -> tuple[Scores, float]:
        vector = self._recall.embed(question)
        hits = self._recall.search(
            asked.tx, question, vector, asked.readable, asked.valid_t, asked.tx_t, self._config.semantic_k
        )
        return {hit.node_id: hit.score for hit in hits}, max((hit.cosine for hit in hits), default=0.0)

    def _expand(self, asked: View, scores: Scores, depth: int) -> Scores:
        """Neighbours up to `depth` hops away, each hop at a discount of its parent's score.

        What may not be read leads nowhere: a plan and its stats depend on nothing of it.
        """
        reached: Scores = {}
        frontier = scores
        for _ in range(depth):
            nearby: Scores = {}
            for node_id, neighbour in asked.neighbours(list(frontier)):
                score = hop(frontier[node_id], self._config.hop_discount)
                nearby[neighbour] = max(score, nearby.get(neighbour, 0.0))
            frontier = {node_id: nearby[node_id] for node_id in asked.nodes(list(nearby))}
            reached = _highest(reached, frontier)
        return reached

    # ── from nodes to candidates ──

    def _explode(self, asked: View, recalled: _Recalled, model: str | None) -> _Pool:
        readable = list(asked.nodes(list(recalled.scores)).values())
        ages = self._observed(asked, readable)
        scored = [(node, self._fused(asked, node, recalled.scores[node.node_id], ages)) for node in readable]
        spans = {span for node, _ in scored for span in node.spans()}
        kinds = sources.span_kinds(asked.tx, spans)
        texts = {span: text for span, text in self._library.slices(asked.tx, spans).items() if text}
        costs = {span: tokens_of(text, model=model, accounting=self._accounting) for span, text in texts.items()}
        candidates = [
            self._candidate(span, score, kinds.get(span, Kind.BODY.value), texts[span], costs[span][0])
            for node, score in scored
            for span in node.spans()
            if span in texts
        ]
        pooled, cut = truncate(pool(candidates), self._config.max_pool_spans)
        stats = replace(
            recalled.stats,
            nodes_without_spans=sum(not node.provenance for node, _ in scored),
            kind_missing=len(spans - kinds.keys()),
            slices_missing=len(spans - texts.keys()),
            pool_truncated=cut,
        )
        estimated = any(costs[candidate.span][1] for candidate in pooled)
        return _Pool(pooled, estimated, stats, _held(readable))

    def _observed(self, asked: View, nodes: Sequence[Node]) -> Mapping[UUID, int]:
        """When each source was last seen to say what it says: the start of the version that holds."""
        ids = {document_id(node.source_id): node.source_id for node in nodes if node.source_id is not None}
        documents = asked.nodes(list(ids))
        return {ids[node_id]: node.valid_start for node_id, node in documents.items()}

    def _fused(self, asked: View, node: Node, sim: float, observed: Mapping[UUID, int]) -> float:
        config = self._config
        own = node.valid_start if node.observed_at is None else node.observed_at
        seen = own if node.source_id is None else observed.get(node.source_id, own)
        fresh = decay(
            node.confidence, asked.valid_t - seen, half_life=config.half_life_days * DAY, floor=config.decay_floor
        )
        return fuse(sim, fresh, config.alpha)

    def _candidate(self, span: SpanRef, score: float, kind: str, text: str, tokens: int) -> Candidate:
        weight = weigh(score, kind, SpanClass.TRUTH, self._config)
        return Candidate(
            span.source_id, span.source_version_tx, span.start, span.end, kind, SpanClass.TRUTH, weight, tokens, text
        )

    # ── selection ──

    def _select(self, found: _Pool, request: PlanRequest) -> EvidencePlan:
        config = self._config
        budget = budget_of(
            request.budget_tokens or config.default_budget_tokens,
            model=request.model,
            accounting=self._accounting,
            estimated=found.estimated,
        )
        selection = select(
            found.spans,
            budget=budget,
            max_frac_per_source=config.max_frac_per_source,
            dedup_overlap=config.dedup_overlap,
            max_spans=request.max_spans,
        )
        return build(
            selection,
            pool_spans=len(found.spans),
            budget=budget,
            token_estimate=found.estimated,
            recall=found.stats,
        )


def _held(nodes: Sequence[Node]) -> dict[SpanRef, tuple[int, int]]:
    """Of each span, when it holds: of several nodes that stand on it, the one that has longest."""
    latest_first = sorted(nodes, key=lambda node: -node.valid_start)
    return {span: (node.valid_start, node.valid_end) for node in latest_first for span in node.spans()}


def _highest(a: Mapping[UUID, float], b: Mapping[UUID, float]) -> Scores:
    return {node_id: max(a.get(node_id, 0.0), b.get(node_id, 0.0)) for node_id in a.keys() | b.keys()}
