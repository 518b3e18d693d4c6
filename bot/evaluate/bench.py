"""A memory of labelled passages, each a source of its own, so that a planned span names its passage.

A passage is taken in under what the engine finds it by in its document: the file's name, where there is one, and the
headings. Questions are asked of the engine as configured, or under other weights of the words.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

from bot.evaluate.data import Progress
from bot.evaluate.questions import PassageRow, Query
from bot.evaluate.ranking import DEEPEST, Outcome, Weights
from core.clock import DAY, ManualClock
from core.config import MemoryConfig
from core.embed.protocol import Embedder
from core.errors import InsufficientEvidence
from core.memory import DEFAULT_TENANT, Memory
from core.model.principals import EVERYONE, Principal
from core.planner.request import PlanRequest

_AMPLE = 1_000_000
"""Tokens: the order of what was recalled is measured here, not what fits beside an answer."""


class Bench:
    """One database of passages, opened under one configuration after another."""

    def __init__(
        self, scratch: Path, embedder: Embedder, config: MemoryConfig, on_progress: Progress, total: int
    ) -> None:
        self._url = f"sqlite:///{scratch / 'passages.db'}"
        self._embedder = embedder
        self._config = config
        self._tick = _ticks(on_progress, total)
        self._passage_of: dict[UUID, str] = {}
        self._reader: Principal | None = None

    def _open(self, config: MemoryConfig) -> Memory:
        return Memory(self._url, embedder=self._embedder, config=config, clock=ManualClock(DAY))

    def _weighed(self, weights: Weights | None) -> MemoryConfig:
        if weights is None:
            return self._config
        changed = {"lexical_weight": weights[0], "bm25_half": weights[1]}
        return self._config.model_copy(update={"planner": self._config.planner.model_copy(update=changed)})

    def take_in(self, passages: Sequence[PassageRow]) -> None:
        with self._open(self._config) as memory:
            memory.people.ensure_tenant(DEFAULT_TENANT, "Evaluation")
            person = memory.people.put(DEFAULT_TENANT, "Reader")
            self._reader = memory.people.principal(DEFAULT_TENANT, person)
            for place, passage in enumerate(passages):
                next(self._tick)
                result = memory.ingest(
                    f"{place}/{_title(passage)}", _one_block(passage), readers=[EVERYONE], media_type="text/plain"
                )
                self._passage_of[result.source_id] = passage.id

    def outcomes(self, queries: Sequence[Query], weights: Weights | None) -> dict[str, Outcome]:
        with self._open(self._weighed(weights)) as memory:
            next(self._tick)
            return {query.id: self._outcome(memory, query) for query in queries}

    def _outcome(self, memory: Memory, query: Query) -> Outcome:
        assert self._reader is not None
        try:
            planned = memory.plan(PlanRequest(question=query.query, budget_tokens=_AMPLE), self._reader)
        except InsufficientEvidence:
            return Outcome(None)
        ordered = sorted(planned.spans, key=lambda span: (-span.weight, span.span))
        found = list(dict.fromkeys(self._passage_of[span.span.source_id] for span in ordered))[:DEEPEST]
        rank = next((place for place, passage in enumerate(found, 1) if passage in query.relevant), None)
        return Outcome(rank)

    def nearness(self, queries: Sequence[Query]) -> list[float]:
        """Of each question, as the answer goes by it; 0 where no threshold would let it be answered."""
        assert self._reader is not None
        answers = self._config.answers.model_copy(update={"min_cosine": 0.0})
        with self._open(self._config.model_copy(update={"answers": answers})) as memory:
            next(self._tick)
            return [_nearness(memory, query, self._reader) for query in queries]


def _nearness(memory: Memory, query: Query, reader: Principal) -> float:
    try:
        answer = memory.generate(query.query, reader)
    except InsufficientEvidence:
        return 0.0
    return answer.nearness if answer.known else 0.0


def _title(passage: PassageRow) -> str:
    file_name = passage.path.rpartition("/")[2]
    return " > ".join(filter(None, (file_name, passage.heading))).replace("/", " ")


def _one_block(passage: PassageRow) -> bytes:
    """A labelled passage is the unit that is looked for: its blank lines go, so that it stays one passage here too."""
    return "\n".join(line for line in passage.text.split("\n") if line.strip()).encode()


def _ticks(on_progress: Progress, total: int) -> Iterator[None]:
    for done in range(1, total + 1):
        on_progress(done, total)
        yield
