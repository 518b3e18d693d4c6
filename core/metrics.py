"""What is counted of the memory's work. The names are the seed's; Prometheus adds its own endings."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Summary


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

    def _counter(self, name: str, documentation: str) -> Counter:
        return Counter(name, documentation, registry=self.registry)

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
