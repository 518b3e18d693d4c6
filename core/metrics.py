"""What is counted of the memory's work. The names are the seed's; Prometheus adds its own endings."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Summary

SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30)
"""From a fast answer of a platform to one that is given up."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits, of all tenants. `jobs` by kind and state; what people said and tapped, and cards, by state.

    `sweep_lag_secs`: how long the oldest change that no sweep has looked at has waited.
    """

    jobs: Mapping[tuple[str, str], int]
    events: Mapping[str, int]
    cards: Mapping[str, int]
    sweep_lag_secs: float


class Metrics:
    """One memory's numbers, in a registry of their own; of no tenant, so that nobody's work shows in them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.context_calls = self._counter("context_calls", "Evidence planned for a caller, without an answer.")
        self.context_planner_ms = self._summary("context_planner_ms", "Milliseconds that planning took.")
        self.context_trace_writes = self._counter("context_trace_writes", "Traces of kind context.")
        self.context_tokens_packed = self._counter("context_tokens_packed", "Tokens of the evidence handed out.")
        self.verify_calls = self._counter("verify_calls", "Requests to verify claims.")
        self.verify_embed_ms = self._summary(
            "verify_embed_ms", "Milliseconds in the embedding model, a request to verify."
        )
        self.verify_candidate_spans = self._counter("verify_candidate_spans", "Spans that claims were compared with.")
        self.verify_unavailable_count = self._counter("verify_unavailable_count", "Requests without a model for them.")
        self.verify_numeric_gate_capped_count = self._counter(
            "verify_numeric_gate_capped_count", "Claims whose numbers or dates their closest words do not bear."
        )

        self.delivery_outcomes = self._counter("delivery_outcomes", "Cards, by what became of them.", "outcome")
        self.delivery_send_seconds = Histogram(
            "delivery_send_seconds", "How long a platform took.", ["platform"], registry=self.registry, buckets=SECONDS
        )
        self.webhook_outcomes = self._counter("webhook_outcomes", "Messages to webhooks, by result.", "outcome")
        self.http_garbled = self._counter("http_garbled", "What came in over HTTP's port and was no HTTP.")
        self.step_failures = self._counter("step_failures", "Steps of a loop that failed; they come again.", "loop")
        self.queue_depth = self._gauge("queue_depth", "Jobs that are not done.", "kind", "state")
        self.events_open = self._gauge("events_open", "What people said and tapped that is not done.", "state")
        self.cards_open = self._gauge("cards_open", "Cards that are not at their end.", "state")
        self.sweep_lag_seconds = self._gauge("sweep_lag_seconds", "How long the oldest unswept change has waited.")
        self.store_up = self._gauge("store_up", "Whether the database answered just now.")

    def waiting(self, backlog: Backlog) -> None:
        """Set what waits now."""
        self.unknown()
        for (kind, state), depth in backlog.jobs.items():
            self.queue_depth.labels(kind, state).set(depth)
        for gauge, by_state in ((self.events_open, backlog.events), (self.cards_open, backlog.cards)):
            for state, depth in by_state.items():
                gauge.labels(state).set(depth)
        self.sweep_lag_seconds.set(backlog.sweep_lag_secs)
        self.store_up.set(1)

    def unknown(self) -> None:
        """The database does not say what waits: old numbers would look like good ones."""
        for gauge in (self.queue_depth, self.events_open, self.cards_open):
            gauge.clear()
        self.sweep_lag_seconds.set(nan)
        self.store_up.set(0)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(name, documentation, labels, registry=self.registry)

    def _gauge(self, name: str, documentation: str, *labels: str) -> Gauge:
        return Gauge(name, documentation, labels, registry=self.registry)

    def _summary(self, name: str, documentation: str) -> Summary:
        return Summary(name, documentation, registry=self.registry)


class Stopwatch:
    """Milliseconds that its blocks took together."""

    def __init__(self) -> None:
        self.ms = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        start = perf_counter()
        try:
            yield
        finally:
            self.ms += (perf_counter() - start) * 1000


@contextmanager
def summed(summary: Summary) -> Iterator[Stopwatch]:
    """Observe once, at the end of a block, what a stopwatch counted in it."""
    watch = Stopwatch()
    try:
        yield watch
    finally:
        summary.observe(watch.ms)


@contextmanager
def timed(summary: Summary) -> Iterator[None]:
    """Observe how many milliseconds a block takes."""
    with summed(summary) as watch, watch.running():
        yield
