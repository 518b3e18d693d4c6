"""How far down the passage that answers stands, and under which weights of the words it stands best.

The weights are fitted leave-one-out: those that serve all other questions best decide how a question is answered.
Questions that share a passage are left out together, for they ask the same thing in other words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from bot.evaluate.questions import Query
from bot.evaluate.statistics import Estimate, bootstrap, wilson

Weights = tuple[float, float]
"""(lexical_weight, bm25_half)."""
MEANING_ALONE: Weights = (0.0, 10.0)
GRID: tuple[Weights, ...] = (MEANING_ALONE, *product((0.2, 0.3, 0.4, 0.5, 0.6, 0.7), (3.0, 10.0, 30.0)))
_SHOWN = 10
DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Outcome:
    """`rank`: the place of the first relevant passage, from 1; None beyond the fortieth."""

    rank: int | None

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


def scores(outcomes: Sequence[Outcome]) -> Scores:
    n = len(outcomes)
    return Scores(
        n,
        wilson(sum(outcome.within(5) for outcome in outcomes), n),
        wilson(sum(outcome.within(_SHOWN) for outcome in outcomes), n),
        wilson(sum(outcome.within(DEEPEST) for outcome in outcomes), n),
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
