"""Small worlds of passages for the recall index, and a naive float64 reading of the same rules."""

import math
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from hypothesis import strategies as st

from core.recall.index import Entry, Hit, HybridConfig, RecallIndex
from core.recall.rows import Row

DIM = 4
SOURCES = [UUID(int=number) for number in (7, 1, 4)]
WORDS = ["leave", "paid", "days", "休暇", "laptop"]


@dataclass(frozen=True)
class Passage:
    row: Row
    entry: Entry

    def holds(self, readable: Collection[UUID] | None, valid_t: int, tx_t: int) -> bool:
        row = self.row
        timely = row.valid_start <= valid_t < row.valid_end and row.tx_start <= tx_t < row.tx_end
        return timely and (readable is None or row.source_id in readable)


def unit(numbers: Iterable[float]) -> np.ndarray:
    vector = np.array(list(numbers), dtype=np.float64)
    return (vector / max(float(np.linalg.norm(vector)), 1e-12)).astype(np.float32)


# Few distinct values: equal vectors, equal scores and ties by coordinate must come up often.
vectors = st.lists(st.integers(-1, 2), min_size=DIM, max_size=DIM).map(unit)
term_counts = st.lists(st.sampled_from(WORDS), max_size=6).map(Counter)
instants = st.integers(0, 6)
rights = st.none() | st.sets(st.sampled_from(SOURCES))
configs = st.builds(
    HybridConfig,
    lexical_weight=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    bm25_half=st.sampled_from([0.5, 10.0]),
    semantic_min_sim=st.sampled_from([0.0, 0.2, 0.7]),
)


@st.composite
def passages(draw: st.DrawFn, node_id: UUID) -> Passage:
    valid_start, tx_start = draw(instants), draw(instants)
    row = Row(
        node_id,
        draw(st.sampled_from(SOURCES)),
        entry_tx=3,
        valid_start=valid_start,
        valid_end=valid_start + draw(st.integers(1, 6)),
        tx_start=tx_start,
        tx_end=tx_start + draw(st.integers(1, 6)),
        start=draw(st.integers(0, 2)),
    )
    return Passage(row, Entry(node_id, 3, draw(vectors), draw(term_counts)))


worlds = st.lists(st.integers(0, 2**128 - 1), unique=True, max_size=14).flatmap(
    lambda numbers: st.tuples(*(passages(UUID(int=number)) for number in numbers)).map(list)
)


def indexed(world: Iterable[Passage], batch: int = 1000) -> RecallIndex:
    index, rest = RecallIndex(DIM), list(world)
    while rest:
        now, rest = rest[:batch], rest[batch:]
        index.add_entries(passage.entry for passage in now)
        index.add_rows(passage.row for passage in now)
    return index


def naive_bm25(allowed: list[Passage], terms: Iterable[str]) -> dict[UUID, float]:
    lengths = {passage.row.node_id: sum(passage.entry.terms.values()) for passage in allowed}
    mean = sum(lengths.values()) / max(1, len(lengths))
    scores: Counter[UUID] = Counter()
    for term in set(terms):
        holders = [passage for passage in allowed if passage.entry.terms.get(term)]
        rarity = math.log(1 + (len(allowed) - len(holders) + 0.5) / (len(holders) + 0.5))
        for passage in holders:
            count, node = passage.entry.terms[term], passage.row.node_id
            scores[node] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[node] / mean))
    return {node: round(score, 6) for node, score in scores.items()}


def naive_search(
    allowed: list[Passage], question: np.ndarray, terms: Iterable[str], k: int, config: HybridConfig
) -> list[Hit]:
    words = naive_bm25(allowed, terms) if config.lexical_weight else {}
    cosines = {
        passage.row.node_id: round(math.fsum(passage.entry.vector.astype(float) * question.astype(float)), 6)
        for passage in allowed
    }
    at = {passage.row.node_id: (passage.row.source_id, passage.row.start) for passage in allowed}
    chosen = {
        node
        for score in (cosines, words)
        for node, _ in sorted(score.items(), key=lambda item: (-item[1], at[item[0]], item[0]))[:k]
    }
    hits = [
        Hit(node, config.score(cosines[node], words.get(node, 0.0)), cosines[node], words.get(node, 0.0))
        for node in chosen
        if cosines[node] >= config.semantic_min_sim or node in words
    ]
    return sorted(hits, key=lambda hit: (-hit.score, at[hit.node_id], hit.node_id))
