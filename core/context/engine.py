"""The planner's evidence without an answer: one planner, two surfaces. Nothing is chosen or scored here."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from core.context.config import ContextConfig
from core.context.views import Clamp, Context, ContextItem, span_json
from core.ids import random_id
from core.jsonhash import json_hash
from core.metrics import Metrics, timed
from core.model.clarifying import OpenQuestion
from core.model.ports import Library, Questions
from core.model.principals import Principal
from core.model.spans import SpanRef
from core.planner.plan import Planned, Plans
from core.planner.request import PlanRequest
from core.store import rights, traces
from core.store.database import Database, ReadTx


class ContextEngine:
    def __init__(
        self,
        database: Database,
        planner: Plans,
        library: Library,
        questions: Questions,
        config: ContextConfig,
        default_tokens: int,
        metrics: Metrics,
    ) -> None:
        self._database = database
        self._planner = planner
        self._library = library
        self._questions = questions
        self._config = config
        self._default_tokens = default_tokens
        self._metrics = metrics

    def context(self, request: PlanRequest, principal: Principal) -> Context:
        """The evidence that an answer to this request would rest on, within the ceilings.

        Raises InsufficientEvidence, InvalidQuery, SemanticUnavailable.
        """
        self._metrics.context_calls.inc()
        granted = self._within(request)
        with self._database.read(principal.tenant_id) as tx:
            with timed(self._metrics.context_planner_ms):
                planned = self._planner.plan(tx, granted, principal, self._database.clock.now())
            context = self._context(tx, planned, request, granted)
        self._trace(context, request, principal)
        self._metrics.context_tokens_packed.inc(planned.plan.used)
        return context

    def _within(self, request: PlanRequest) -> PlanRequest:
        tokens = self._config.tokens(request.budget_tokens or self._default_tokens)
        return replace(request, budget_tokens=tokens, max_spans=self._config.spans(request.max_spans))

    def _context(self, tx: ReadTx, planned: Planned, request: PlanRequest, granted: PlanRequest) -> Context:
        spans = [span.span for span in planned.spans]
        passages, sections = self._library.passages(tx, spans), self._library.references(tx, spans)
        questions = self._questions.about(planned.asked, spans)
        items = tuple(
            ContextItem(
                span.text,
                span.span,
                passages[span.span].source_name,
                sections.get(span.span, passages[span.span].source_uri),
                span.weight,
                planned.held[span.span],
                next((question.clarification_id for question in questions.get(span.span, ())), None),
            )
            for span in planned.spans
        )
        return Context(
            items,
            _distinct(questions),
            planned.plan,
            Clamp(request.budget_tokens, planned.plan.budget),
            Clamp(request.max_spans, granted.max_spans or 0),
            random_id(),
        )

    def _trace(self, context: Context, request: PlanRequest, principal: Principal) -> None:
        body = {
            "requestHash": json_hash(asdict(request)),
            "planHash": context.plan.plan_hash,
            "stats": context.stats(),
            "items": [span_json(item.span) for item in context.items],
        }
        with self._database.write(principal.tenant_id) as tx:
            tx.compose()
            rights.today(tx, principal, tx.now)  # no hash of their words is to outlive one who was erased meanwhile
            traces.add(tx, context.trace_id, "context", principal, body)
        self._metrics.context_trace_writes.inc()


def _distinct(questions: Mapping[SpanRef, Sequence[OpenQuestion]]) -> tuple[OpenQuestion, ...]:
    found = {question.clarification_id: question for about in questions.values() for question in about}
    return tuple(found.values())
