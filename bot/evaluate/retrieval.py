"""Does the plan put the passage that answers among the first, and does the bot know when nothing answers?

Each passage is taken in as a source of its own, so that a planned span names its passage, and under what the engine
finds a passage by in its document: the file's name, where there is one, and the headings. Questions are planned through
the engine as configured, by meaning alone, and at each point of a grid of the two weights of the words' leg. The
weights are fitted leave-one-out: those that serve all other questions best decide how a question is answered. Questions
that share a passage are left out together, for they ask the same thing in other words.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import floor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import numpy as np

from bot.evaluate.data import Progress, Row, rows
from bot.evaluate.statistics import Estimate, bootstrap, wilson
from core.clock import DAY, ManualClock
from core.config import MemoryConfig
from core.embed.protocol import Embedder, Vectors, embed_question
from core.errors import InsufficientEvidence, InvalidRequest, SemanticUnavailable
from core.memory import DEFAULT_TENANT, Memory
from core.model.principals import EVERYONE, Principal
from core.planner.request import PlanRequest

Weights = tuple[float, float]
"""(lexical_weight, bm25_half)."""
MEANING_ALONE: Weights = (0.0, 10.0)
GRID: tuple[Weights, ...] = (MEANING_ALONE, *product((0.2, 0.3, 0.4, 0.5, 0.6, 0.7), (3.0, 10.0, 30.0)))
_SHOWN = 10
_DEEPEST = 40
_KEPT = 0.9
"""The share of answerable questions that a fitted threshold still answers."""


class PassageRow(Row):
    id: str
    text: str
    path: str = ""
    heading: str = ""


class Query(Row):
    id: str
    query: str
    relevant: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rank`: the place of the first relevant passage, from 1; None beyond the fortieth."""

    rank: int | None
    best_cosine: float

    @property
    def reciprocal(self) -> float:
        return 1 / self.rank if self.rank and self.within(_SHOWN) else 0.0

    def within(self, k: int) -> bool:
        return self.rank is not None and self.rank <= k


@dataclass(frozen=True, slots=True)
class Scores:
    """Recall@k: how often a relevant passage is among the first k; @40 is as far as any second look could reach."""

    questions: int
    recall_at_5: Estimate
    recall_at_10: Estimate
    recall_at_40: Estimate
    mrr_at_10: Estimate


@dataclass(frozen=True, slots=True)
class Refusals:
    """At a threshold of the best cosine: how many of each kind are told that nothing answers."""

    threshold: float
    unanswerable: int
    unanswerable_refused: int
    answerable: int
    answerable_refused: int


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    passages: int
    configured: dict[str, Scores]
    by_meaning: dict[str, Scores]
    fitted: Weights
    held_out: dict[str, Scores]
    refusals: dict[str, Refusals]

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"fitted": {"lexical_weight": self.fitted[0], "bm25_half": self.fitted[1]}}


class Remembering:
    """An embedder that embeds no text twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}
        self._asked: dict[str, Vectors] = {}
        self.model = embedder.model

    @property
    def dim(self) -> int | None:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dim or 0)

    def embed_question(self, text: str) -> Vectors:
        if text not in self._asked:
            self._asked[text] = embed_question(self._embedder, text)
        return self._asked[text]


def retrieval(folder: Path, embedder: Embedder | None, config: MemoryConfig, on_progress: Progress) -> RetrievalReport:
    """Judge queries*.jsonl and unanswerable.jsonl by passages.jsonl. Raises InvalidRequest, SemanticUnavailable."""
    if embedder is None:
        raise SemanticUnavailable
    data = _Data.read(folder)
    with TemporaryDirectory() as scratch:
        bench = _Bench(Path(scratch), Remembering(embedder), config, on_progress, len(data.passages) + len(GRID) + 1)
        bench.take_in(data.passages)
        configured = bench.outcomes(data.all_queries, None)
        grid = {weights: bench.outcomes(data.answerable, weights) for weights in GRID}
    standing = (config.planner.lexical_weight, config.planner.bm25_half)
    best, held_out = fit(data.files, {**grid, standing: configured}, standing)
    return RetrievalReport(
        len(data.passages),
        data.scores(configured),
        data.scores(grid[MEANING_ALONE]),
        best,
        data.scores(held_out),
        _refusals(data, configured, config.answers.min_cosine),
    )


@dataclass(frozen=True, slots=True)
class _Data:
    passages: list[PassageRow]
    files: dict[str, list[Query]]
    unanswerable: list[Query]

    @classmethod
    def read(cls, folder: Path) -> "_Data":
        passages = rows(folder / "passages.jsonl", PassageRow)
        files = {file.name: rows(file, Query) for file in sorted(folder.glob("queries*.jsonl"))}
        if not files:
            raise InvalidRequest(f"{folder} holds no queries*.jsonl; each is a file of questions to judge by itself")
        _check({passage.id for passage in passages}, files)
        none = folder / "unanswerable.jsonl"
        data = cls(passages, files, rows(none, Query) if none.exists() else [])
        if twice := [name for name, count in Counter(query.id for query in data.all_queries).items() if count > 1]:
            raise InvalidRequest(f"{folder}: two questions have the id {twice[0]!r}; each needs an id of its own")
        return data

    def scores(self, outcomes: Mapping[str, Outcome]) -> dict[str, Scores]:
        return {name: scores([outcomes[query.id] for query in queries]) for name, queries in self.files.items()}

    @property
    def answerable(self) -> list[Query]:
        return [query for queries in self.files.values() for query in queries]

    @property
    def all_queries(self) -> list[Query]:
        return self.answerable + self.unanswerable


def _check(known: set[str], files: Mapping[str, Sequence[Query]]) -> None:
    for name, queries in files.items():
        for query in queries:
            if not query.relevant or not set(query.relevant) <= known:
                raise InvalidRequest(f"{name}: {query.id}: relevant must name passages that passages.jsonl holds")


_AMPLE = 1_000_000
"""Tokens: the order of what was recalled is measured here, not what fits beside an answer."""


class _Bench:
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

    def _open(self, weights: Weights | None) -> Memory:
        config = self._config
        if weights is not None:
            changed = {"lexical_weight": weights[0], "bm25_half": weights[1]}
            config = config.model_copy(update={"planner": config.planner.model_copy(update=changed)})
        return Memory(self._url, embedder=self._embedder, config=config, clock=ManualClock(DAY))

    def take_in(self, passages: Sequence[PassageRow]) -> None:
        with self._open(None) as memory:
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
        with self._open(weights) as memory:
            next(self._tick)
            return {query.id: self._outcome(memory, query) for query in queries}

    def _outcome(self, memory: Memory, query: Query) -> Outcome:
        assert self._reader is not None
        try:
            planned = memory.plan(PlanRequest(question=query.query, budget_tokens=_AMPLE), self._reader)
        except InsufficientEvidence:
            return Outcome(None, 0.0)
        ordered = sorted(planned.spans, key=lambda span: (-span.weight, span.span))
        found = list(dict.fromkeys(self._passage_of[span.span.source_id] for span in ordered))[:_DEEPEST]
        rank = next((place for place, passage in enumerate(found, 1) if passage in query.relevant), None)
        return Outcome(rank, planned.best_cosine)


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


def scores(outcomes: Sequence[Outcome]) -> Scores:
    n = len(outcomes)
    return Scores(
        n,
        wilson(sum(outcome.within(5) for outcome in outcomes), n),
        wilson(sum(outcome.within(_SHOWN) for outcome in outcomes), n),
        wilson(sum(outcome.within(_DEEPEST) for outcome in outcomes), n),
        bootstrap([outcome.reciprocal for outcome in outcomes]),
    )


def fit(
    files: Mapping[str, Sequence[Query]], grid: Mapping[Weights, Mapping[str, Outcome]], standing: Weights
) -> tuple[Weights, dict[str, Outcome]]:
    """The weights that serve all questions best, and each question's outcome under those that serve the others best.

    The `standing` weights are left only for some that gain more than one question of the smallest file: less is noise.
    """
    queries = [query for group in files.values() for query in group]
    held_out = {query.id: grid[_best(files, grid, standing, frozenset(query.relevant))][query.id] for query in queries}
    return _best(files, grid, standing, frozenset()), held_out


def _best(
    files: Mapping[str, Sequence[Query]],
    grid: Mapping[Weights, Mapping[str, Outcome]],
    standing: Weights,
    left_out: frozenset[str],
) -> Weights:
    """By recall@5 and MRR@10 alike, each file counting the same; the first of equals."""

    def worth(weights: Weights) -> float:
        means = []
        for queries in files.values():
            outcomes = [grid[weights][query.id] for query in queries if left_out.isdisjoint(query.relevant)]
            worths = [outcome.within(5) + outcome.reciprocal for outcome in outcomes]
            means.append(sum(worths) / len(worths) if worths else 0.0)
        return sum(means)

    best = max(grid, key=worth)
    noise = 1 / min(len(queries) for queries in files.values())
    return standing if worth(best) - worth(standing) <= noise else best


def _refusals(data: _Data, outcomes: Mapping[str, Outcome], configured: float) -> dict[str, Refusals]:
    answerable = sorted(outcomes[query.id].best_cosine for query in data.answerable)
    unanswerable = [outcomes[query.id].best_cosine for query in data.unanswerable]
    fitted = answerable[floor((1 - _KEPT) * len(answerable) + 1e-9)]
    return {
        name: Refusals(
            threshold,
            len(unanswerable),
            sum(cosine < threshold for cosine in unanswerable),
            len(answerable),
            sum(cosine < threshold for cosine in answerable),
        )
        for name, threshold in (("configured", configured), ("keeping nine in ten", fitted))
    }
