"""Does the plan put the passage that answers among the first, and does the bot know when nothing answers?

Questions are planned as configured, by meaning alone, and at each point of a grid of the two weights of the words' leg.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.evaluate.bench import Bench
from bot.evaluate.data import Progress
from bot.evaluate.questions import Labelled
from bot.evaluate.ranking import GRID, MEANING_ALONE, Outcome, Scores, Weights, fit, scores
from bot.evaluate.refusals import RefusalReport, judge
from bot.evaluate.remembering import Remembering
from core.config import MemoryConfig
from core.embed.protocol import Embedder
from core.errors import SemanticUnavailable


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    passages: int
    configured: dict[str, Scores]
    by_meaning: dict[str, Scores]
    fitted: Weights
    held_out: dict[str, Scores]
    refusals: RefusalReport

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"fitted": {"lexical_weight": self.fitted[0], "bm25_half": self.fitted[1]}}


def retrieval(folder: Path, embedder: Embedder | None, config: MemoryConfig, on_progress: Progress) -> RetrievalReport:
    """Judge queries*.jsonl and unanswerable.jsonl by passages.jsonl. Raises InvalidRequest, SemanticUnavailable."""
    if embedder is None:
        raise SemanticUnavailable
    data = Labelled.read(folder)
    with TemporaryDirectory() as scratch:
        bench = Bench(Path(scratch), Remembering(embedder), config, on_progress, len(data.passages) + len(GRID) + 3)
        bench.take_in(data.passages)
        configured = bench.outcomes(data.answerable, None)
        grid = {weights: bench.outcomes(data.answerable, weights) for weights in GRID}
        near, others = bench.nearness(data.answerable), bench.nearness(data.unanswerable)
    standing = (config.planner.lexical_weight, config.planner.bm25_half)
    best, held_out = fit(data.files, {**grid, standing: configured}, standing)
    return RetrievalReport(
        len(data.passages),
        _by_file(data, configured),
        _by_file(data, grid[MEANING_ALONE]),
        best,
        _by_file(data, held_out),
        judge(near, others, config.answers.min_cosine),
    )


def _by_file(data: Labelled, outcomes: Mapping[str, Outcome]) -> dict[str, Scores]:
    return {name: scores([outcomes[query.id] for query in queries]) for name, queries in data.files.items()}
