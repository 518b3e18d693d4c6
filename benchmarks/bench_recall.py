"""Hybrid recall against a plain numpy product of the same vectors; what rights save; memory; and staying in step."""

import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median
from time import perf_counter
from uuid import UUID

import numpy as np

from core.clock import FOREVER
from core.recall.index import Entry, HybridConfig, RecallIndex
from core.recall.rows import Row

QUICK = {"sizes": (10_000,)}
GOALS = {"recall search, 100,000 rows, all readable": 1.5, "recall filter first": 1}
DIM = 384
CONFIG = HybridConfig(lexical_weight=0.5, bm25_half=10, semantic_min_sim=0.2)
SOURCES = [UUID(int=number + 1) for number in range(60)]
FEW = SOURCES[:1]
WORDS_A_ROW, WORDS_A_QUESTION = 60, 6
MEGABYTE = 1e6
_STOP_WORDS = 70

Line = tuple[str, float, str]


def run(sizes: Sequence[int] = (10_000, 100_000)) -> list[Line]:
    return [line for rows in sizes for line in _size(rows)]


def _size(count: int) -> Iterator[Line]:
    random = np.random.default_rng(count)
    vectors = _unit(random, count)
    index, bytes_ = _loaded(random, vectors)
    yield _memory(count, bytes_)
    question, words = _unit(random, 1)[0], _words(random, WORDS_A_QUESTION)
    plain, all_, few = _times(
        lambda: _plain(vectors, question),
        lambda: _search(index, question, words, None),
        lambda: _search(index, question, words, FEW),
    )
    for name, took in (("all readable", all_), ("1.7 % readable", few)):
        yield f"recall search, {count:,} rows, {name}", took / plain, f"{took:.2f} ms; plain product {plain:.2f} ms"
    note = f"{few:.2f} ms, as a share of the {all_:.2f} ms that scoring all rows first takes"
    yield f"recall filter first, {count:,} rows, 1.7 % readable", few / all_, note
    yield _step(index, random, count, plain)


def _loaded(random: np.random.Generator, vectors: np.ndarray) -> tuple[RecallIndex, int]:
    """The index, and the bytes that it keeps: ids, vectors, postings and intervals; what it was made from is gone."""
    tracemalloc.start()
    entries, rows = _contents(random, vectors)
    index = RecallIndex(DIM)
    index.add_entries(entries)
    index.add_rows(rows)
    del entries, rows
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return index, kept


def _memory(count: int, kept: int) -> Line:
    by_100_000 = 100_000 / count / MEGABYTE
    vectors = count * DIM * np.dtype(np.float32).itemsize
    note = f"MB per 100,000 sections; the vectors are {vectors * by_100_000:.0f} MB, {vectors / kept:.0%} of it"
    return f"recall memory, {count:,} rows", kept * by_100_000, note


def _step(index: RecallIndex, random: np.random.Generator, count: int, plain: float) -> Line:
    """Appends one passage at a time: the cost must not grow with what stands. The first makes room for all."""
    entries, rows = _contents(random, _unit(random, 257), first=count + 1)
    times = []
    for entry, row in zip(entries, rows, strict=True):
        start = perf_counter()
        index.add_entries([entry])
        index.add_rows([row])
        times.append((perf_counter() - start) * 1000)
    took = mean(times[1:])
    return f"recall append, to {count:,} rows", took / plain, f"{took:.2f} ms a passage, the mean of {len(times) - 1}"


def _contents(random: np.random.Generator, vectors: np.ndarray, first: int = 1) -> tuple[list[Entry], list[Row]]:
    nodes = [UUID(int=first + place) for place in range(len(vectors))]
    entries = [
        Entry(node, 1, vector, Counter(_words(random, WORDS_A_ROW)))
        for node, vector in zip(nodes, vectors, strict=True)
    ]
    rows = [Row(node, SOURCES[node.int % len(SOURCES)], 1, 0, FOREVER, 1, FOREVER) for node in nodes]
    return entries, rows


def _unit(random: np.random.Generator, count: int) -> np.ndarray:
    rows = random.standard_normal((count, DIM), dtype=np.float32)
    unit: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _words(random: np.random.Generator, count: int) -> list[str]:
    """By Zipf's law without its commonest words, since stop words are no terms.

    The words of a question are then held by as many rows as in a handbook: together by a quarter of all.
    """
    ranks = _STOP_WORDS * random.random(count) ** (-1 / 0.3)
    return [f"w{rank}" for rank in (ranks % 50_000).astype(int)]


def _search(index: RecallIndex, question: np.ndarray, words: list[str], readable: list[UUID] | None) -> None:
    index.search(question, words, readable=readable, valid_t=5, tx_t=5, k=40, config=CONFIG)


def _plain(vectors: np.ndarray, question: np.ndarray) -> None:
    np.argpartition(vectors @ question, -40)


def _times(*calls: Callable[[], None]) -> list[float]:
    """The median of 61 runs of each in ms, taken in turn, so that what else the machine does meets all alike."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(61):
        for call, took in zip(calls, times, strict=True):
            start = perf_counter()
            call()
            took.append((perf_counter() - start) * 1000)
    return [median(took) for took in times]
