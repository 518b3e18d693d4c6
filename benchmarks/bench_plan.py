"""`plan` as the memory grows: every question anew, over an index that is in step."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from statistics import quantiles

from benchmarks.support import Bench, Line, cpu, document, opened, progress, question
from core.errors import InsufficientEvidence
from core.planner.request import PlanRequest

QUICK = {"sizes": (1_000, 10_000)}
SIZES = (1_000, 10_000, 100_000)
SECTIONS_A_DOCUMENT = 1_000
QUESTIONS = 40


def run(sizes: Sequence[int] = SIZES) -> list[Line]:
    with opened() as bench:
        return [line for done, size in zip((0, *sizes), sizes, strict=False) for line in _at(bench, done, size)]


def _at(bench: Bench, done: int, size: int) -> Iterator[Line]:
    progress(f"plan: {size:,} sections")
    for number in range(done // SECTIONS_A_DOCUMENT, size // SECTIONS_A_DOCUMENT):
        bench.put(f"{number}.md", document(SECTIONS_A_DOCUMENT, seed=number))
    first, *times = (cpu(partial(_plan, bench, number)) for number in range(QUESTIONS + 1))
    cuts = quantiles(times, n=20)
    yield f"plan, {size:,} sections, p50", cuts[9] * 1e3, "ms"
    yield f"plan, {size:,} sections, p95", cuts[18] * 1e3, "ms"
    yield f"plan, {size:,} sections, the first", first, f"s; takes {size - done:,} sections into the index"


def _plan(bench: Bench, number: int) -> None:
    with suppress(InsufficientEvidence):  # words that stand nowhere are a question too
        bench.memory.plan(PlanRequest(question=question(number)), bench.person)
