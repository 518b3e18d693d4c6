"""Phase B: dedup, then greedy packing by density, under a budget and a hard cap per source. Pure and deterministic.

Every order is total: weights and densities compare as IEEE-754 total order does (for numbers that are not negative, the
order of their bits), ties fall to the weight and then to (source_id, source_version_tx, start, end). All sorting starts
from that canonical order and is stable, so ties need no key of their own, and the order of the pool never shows.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidRequest
from core.planner.candidates import MOST_TOKENS, Candidate, Columns, ascending
from core.planner.dedup import survivors
from core.planner.packing import Packing, pack

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SelectStats:
    deduped: int = 0
    unpackable: int = 0
    budget_skipped: int = 0
    cap_skipped: int = 0
    budget_stranded_by_cap: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """`spans` in canonical order: (source_id, source_version_tx, start, end), ascending."""

    spans: tuple[Candidate, ...]
    used: int
    stats: SelectStats


def select(
    pool: Iterable[Candidate],
    *,
    budget: int,
    max_frac_per_source: float,
    dedup_overlap: float,
    max_spans: int | None = None,
) -> Selection:
    """Choose what an answer may cite (page: planner, Phase B). With `max_spans` the scan ends at that many.

    Raises InvalidRequest for a NaN, infinite or negative weight, an empty span, a repeated coordinate, or a bound that
    is out of range.
    """
    _check_bounds(budget, max_frac_per_source, dedup_overlap, max_spans)
    spans = list(pool)
    columns = Columns.of(spans)
    by_weight = _descending(columns.weight)
    stays = survivors(columns.start, columns.end, by_weight, dedup_overlap)
    kept = by_weight[stays[by_weight]]
    tokens = columns.tokens[kept]
    dense = _descending(columns.weight[kept] / np.maximum(tokens, 1))
    cap = math.floor(max_frac_per_source * budget)
    packing = pack(tokens[dense], columns.source[kept][dense], budget=budget, cap=cap, max_spans=max_spans)
    chosen = columns.index[np.sort(kept[dense][packing.packed])]
    return Selection(
        spans=tuple(map(spans.__getitem__, chosen.tolist())),
        used=packing.used,
        stats=_stats(packing, deduped=len(spans) - len(kept), budget=budget),
    )


def _stats(packing: Packing, *, deduped: int, budget: int) -> SelectStats:
    return SelectStats(
        deduped=deduped,
        unpackable=packing.unpackable,
        budget_skipped=packing.budget_skipped,
        cap_skipped=packing.cap_skipped,
        budget_stranded_by_cap=budget - packing.used if packing.cap_skipped else 0,
    )


def _check_bounds(budget: int, max_frac_per_source: float, dedup_overlap: float, max_spans: int | None) -> None:
    if not 0 <= budget <= MOST_TOKENS:
        raise InvalidRequest(f"budget is {budget}; it must be 0 to 2**62 tokens")
    if not 0 < max_frac_per_source <= 1:
        raise InvalidRequest(f"max_frac_per_source is {max_frac_per_source}; it must be above 0 and at most 1")
    if not 0 <= dedup_overlap <= 1:
        raise InvalidRequest(f"dedup_overlap is {dedup_overlap}; it must be 0 to 1")
    if max_spans is not None and max_spans < 1:
        raise InvalidRequest(f"max_spans is {max_spans}; it must be at least 1")


def _descending(values: Floats) -> Ints:
    """Positions from the largest value to the smallest; equal values keep their order, and -0.0 comes after 0.0."""
    return ascending(~values.view(np.int64))
