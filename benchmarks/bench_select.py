"""`select` against one `sorted()` of the same pool, by keys made beforehand: what a plan costs beyond bare ordering.

The keys are (-weight, coordinates), the order that dedup begins with, each source as the UUID a candidate holds. They
are sorted by themselves: the least that ordering the pool can cost.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from uuid import UUID

from core.planner import Candidate, SpanClass, select

GOALS = {"select/sorted": 4.0}
QUICK = {"sizes": (1_000, 10_000)}
SIZES = (1_000, 10_000, 100_000, 1_000_000)
OVERLAPS = (0.0, 0.8, 1.0)
SPANS_A_SOURCE = 100


def scattered(dice: random.Random, size: int) -> Iterator[tuple[int, int, int]]:
    """Many sources, spans that seldom meet."""
    for start in dice.sample(range(size * SPANS_A_SOURCE), size):
        yield start % (size // SPANS_A_SOURCE), start, start + dice.randint(1, 500)


def crowded(dice: random.Random, size: int) -> Iterator[tuple[int, int, int]]:
    """One source, spans that lie over, in and across one another."""
    for start in dice.sample(range(size * 20), size):
        yield 0, start, start + dice.randint(1, 500)


def staggered(_: random.Random, size: int) -> Iterator[tuple[int, int, int]]:
    """One source, each span over the next nine."""
    for number in range(size):
        yield 0, 10 * number, 10 * number + 100


def pool(shape: Callable[[random.Random, int], Iterator[tuple[int, int, int]]], size: int) -> list[Candidate]:
    dice = random.Random(size)
    spans = [
        Candidate(UUID(int=source), 1, start, end, "paragraph", SpanClass.TRUTH, dice.random(), dice.randint(1, 200))
        for source, start, end in shape(dice, size)
    ]
    dice.shuffle(spans)
    return spans


def best(size: int, *acts: Callable[[], object]) -> list[float]:
    """Seconds of processor time of each, the best of several turns in which they run one after the other."""
    repeats = max(1, 20_000 // size)
    turns = [[_timed(act, repeats) for act in acts] for _ in range(9 if size < 1_000_000 else 2)]
    return [min(taken) for taken in zip(*turns, strict=True)]


def _timed(act: Callable[[], object], repeats: int) -> float:
    begun = time.process_time()
    for _ in range(repeats):
        act()
    return (time.process_time() - begun) / repeats


def run(sizes: Sequence[int] = SIZES) -> list[tuple[str, float, str]]:
    return [
        row
        for size in sizes
        for shape in (scattered, crowded, staggered)
        for row in _rows(shape.__name__, pool(shape, size))
    ]


def _rows(name: str, spans: list[Candidate]) -> Iterator[tuple[str, float, str]]:
    size = len(spans)
    keys = [(-c.weight, (c.source_id, c.source_version_tx, c.start, c.end)) for c in spans]
    picks = [
        partial(select, spans, budget=6000, max_frac_per_source=0.4, dedup_overlap=overlap) for overlap in OVERLAPS
    ]
    bare, *times = best(size, partial(sorted, keys), *picks)
    for overlap, taken in zip(OVERLAPS, times, strict=True):
        note = f"select {taken * 1e3:.1f} ms, sorted {bare * 1e3:.1f} ms"
        yield f"select/sorted, {size:,} {name}, overlap {overlap}", taken / bare, note
