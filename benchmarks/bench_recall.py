"""Hybrid recall against one plain numpy product over the same vectors, and the cost of staying in step."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from time import perf_counter
from uuid import UUID

import numpy as np

from core.clock import FOREVER
from core.recall.index import Entry, HybridConfig, RecallIndex
from core.recall.rows import Row

QUICK = {"sizes": (10_000,)}
DIM = 384
CONFIG = HybridConfig(lexical_weight=0.5, bm25_half=10, semantic_min_sim=0.2)
SOURCES = [UUID(int=number + 1) for number in range(60)]
WORDS_A_ROW, WORDS_A_QUESTION = 60, 6

Line = tuple[str, float, str]


def run(sizes: Sequence[int] = (10_000, 100_000)) -> list[Line]:
    return [line for rows in sizes for line in _size(rows)]


def _size(count: int) -> Iterator[Line]:
    random = np.random.default_rng(count)
    vectors = _unit(random, count)
    entries, rows = _contents(random, vectors)
    index = RecallIndex(DIM)
    index.add_entries(entries)
    index.add_rows(rows)
    question, words = _unit(random, 1)[0], _words(random, WORDS_A_QUESTION)
    plain = _time(lambda: _plain(vectors, question))
    for name, readable in (("all readable", None), ("1.7 % readable", SOURCES[:1])):
        took = _time(lambda readable=readable: _search(index, question, words, readable))
        yield f"recall search, {count:,} rows, {name}", took / plain, f"{took:.2f} ms; plain product {plain:.2f} ms"
    yield _step(index, random, count, plain)


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
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _words(random: np.random.Generator, count: int) -> list[str]:
    return [f"w{number}" for number in random.zipf(1.3, count) % 50_000]


def _search(index: RecallIndex, question: np.ndarray, words: list[str], readable: list[UUID] | None) -> None:
    index.search(question, words, readable=readable, valid_t=5, tx_t=5, k=40, config=CONFIG)


def _plain(vectors: np.ndarray, question: np.ndarray) -> None:
    np.argpartition(vectors @ question, -40)


def _time(call: Callable[[], None]) -> float:
    """The fastest of 25 runs in ms: what else the machine does only ever adds."""
    times = []
    for _ in range(25):
        start = perf_counter()
        call()
        times.append((perf_counter() - start) * 1000)
    return min(times)
