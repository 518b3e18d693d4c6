"""The recall index of one tenant: what may be read is settled first, then words and meaning are scored.

Entries (a vector, term counts) are appended and never change; rows say when an entry holds and whose it is. A search
takes the standing arrays under the lock and scores them outside it, while others append.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from uuid import UUID

import numpy as np
import numpy.typing as npt

from core.recall import bm25, dense
from core.recall.growth import Growing
from core.recall.postings import Segments, appended, kept
from core.recall.ranking import Coordinate, first, shortlist
from core.recall.rows import Closure, Held, Places, Row, RowTable

_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Entry:
    """What is scored of a passage: a unit vector and how often each term stands in its text."""

    node_id: UUID
    version_tx: int
    vector: npt.NDArray[np.float32]
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class HybridConfig:
    """score = (1 − λ) × max(0, cosine) + λ × b / (b + bm25_half), with λ = lexical_weight (page: planner, Phase A)."""

    lexical_weight: float
    bm25_half: float
    semantic_min_sim: float

    def score(self, cosine: float, lexical: float) -> float:
        meaning = (1 - self.lexical_weight) * max(0.0, cosine)
        return round(meaning + self.lexical_weight * lexical / (lexical + self.bm25_half), 6)


@dataclass(frozen=True, slots=True)
class Hit:
    node_id: UUID
    score: float
    cosine: float
    bm25: float


@dataclass(frozen=True, slots=True)
class _View:
    """What one search reads: the standing entries, which of them are allowed, and by which row each of these is."""

    vectors: npt.NDArray[np.float32]
    lengths: npt.NDArray[np.int64]
    nodes: Sequence[UUID]
    segments: Segments
    allowed: npt.NDArray[np.bool_]
    held: Held
    row: Places

    def coordinate(self, entry: int) -> Coordinate:
        return *self.held.place(self.row[entry]), self.nodes[entry]

    def lexical(self, terms: Iterable[str]) -> npt.NDArray[np.float64]:
        return bm25.scores(self.segments, self.lengths, self.allowed, terms)


class RecallIndex:
    def __init__(self, dim: int) -> None:
        self._dim = dim
        self._lock = Lock()
        self._rows = RowTable()
        self._known: dict[tuple[UUID, int], int] = {}
        self._nodes: list[UUID] = []
        self._vectors = Growing(np.empty((0, dim), dtype=np.float32))
        self._lengths = Growing(np.empty(0, dtype=np.int64))
        self._segments: Segments = ()

    def add_entries(self, entries: Iterable[Entry]) -> None:
        """Entries that are known already are passed over. Raises ValueError for a vector that cannot be compared."""
        with self._lock:
            new = {(entry.node_id, entry.version_tx): entry for entry in entries}
            fresh = [entry for key, entry in new.items() if key not in self._known]
            if fresh:
                self._append(fresh)

    def _append(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            self._check(entry.vector, f"the vector of node {entry.node_id}")
        for entry in entries:
            self._known[entry.node_id, entry.version_tx] = len(self._nodes)
            self._nodes.append(entry.node_id)
        self._vectors.extend(np.array([entry.vector for entry in entries]))
        self._lengths.extend(np.array([sum(entry.terms.values()) for entry in entries]))
        self._segments = appended(self._segments, [entry.terms for entry in entries])

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Raises ValueError for a row whose entry was never added."""
        with self._lock:
            self._rows.add([(row, self._entry(row)) for row in rows])

    def _entry(self, row: Row) -> int:
        entry = self._known.get((row.node_id, row.entry_tx))
        if entry is None:
            raise ValueError(f"a row of node {row.node_id} names entry {row.entry_tx}; add the entry first")
        return entry

    def close_rows(self, closures: Iterable[Closure]) -> None:
        """Closures of nodes that are not in the index, sections and documents, pass by."""
        with self._lock:
            for closure in closures:
                self._rows.close(closure)

    def drop_source(self, source_id: UUID) -> None:
        """Erasure: rows, vectors, counts and the words that only this source held go. Costs one copy of the index."""
        with self._lock:
            stay = np.ones(len(self._nodes), dtype=np.bool_)
            stay[self._rows.entries_of(source_id)] = False
            self._rows.keep(stay)
            self._segments = kept(self._segments, stay)
            self._vectors = Growing(self._vectors.view[stay])
            self._lengths = Growing(self._lengths.view[stay])
            self._nodes = [node for node, stays in zip(self._nodes, stay, strict=True) if stays]
            keys = [key for key, place in self._known.items() if stay[place]]
            self._known = {key: place for place, key in enumerate(keys)}

    def search(
        self,
        question_vector: npt.NDArray[np.float32],
        question_terms: Iterable[str],
        *,
        readable: Collection[UUID] | None,
        valid_t: int,
        tx_t: int,
        k: int,
        config: HybridConfig,
    ) -> list[Hit]:
        """The hybrid leg: the union of the k best by meaning and the k best by words, best first.

        `readable` names the sources that may be read; None: all. With lexical_weight 0 words play no part.
        """
        self._check(question_vector, "the question's vector")
        view = self._view(readable, valid_t, tx_t)
        words = view.lexical(question_terms if config.lexical_weight > 0 else ())
        near = dense.candidates(view.vectors, view.allowed, question_vector, k)
        nearest = first(near, dense.cosines(view.vectors, near, question_vector), view.coordinate, k)
        union = np.array(sorted({*nearest, *_wordiest(words, view, k)}, key=view.coordinate), dtype=np.int64)
        cosines = dense.cosines(view.vectors, union, question_vector)
        hits = [
            _hit(view.nodes[place], float(cosine), float(words[place]), config)
            for place, cosine in zip(union, cosines, strict=True)
            if cosine >= config.semantic_min_sim or words[place] > 0
        ]
        return sorted(hits, key=lambda hit: -hit.score)

    def nearest(
        self,
        vector: npt.NDArray[np.float32],
        *,
        readable: Collection[UUID] | None,
        valid_t: int,
        tx_t: int,
        k: int,
        among: Collection[tuple[UUID, int]] | None = None,
    ) -> list[Hit]:
        """The k best by meaning alone, best first; with `among`, of these entries only: (node id, its version tx)."""
        self._check(vector, "the vector")
        view = self._view(readable, valid_t, tx_t)
        allowed = view.allowed if among is None else view.allowed & self._of(among, len(view.allowed))
        near = dense.candidates(view.vectors, allowed, vector, k)
        cosines = dict(zip(near.tolist(), dense.cosines(view.vectors, near, vector).tolist(), strict=True))
        chosen = first(near, np.array(list(cosines.values())), view.coordinate, k)
        return [Hit(view.nodes[place], cosines[place], cosines[place], 0.0) for place in chosen]

    def rarity(
        self, terms: Collection[str], *, readable: Collection[UUID] | None, valid_t: int, tx_t: int
    ) -> dict[str, float]:
        """Each term's inverse document frequency over what may be read."""
        view = self._view(readable, valid_t, tx_t)
        return bm25.rarities(view.segments, view.allowed, terms)

    def match(
        self, terms: Iterable[str], *, readable: Collection[UUID] | None, valid_t: int, tx_t: int
    ) -> dict[UUID, float]:
        """BM25 of every node that holds one of `terms`, in no order."""
        view = self._view(readable, valid_t, tx_t)
        words = view.lexical(terms)
        return {view.nodes[place]: round(float(words[place]), 6) for place in np.flatnonzero(words > 0).tolist()}

    def _of(self, keys: Collection[tuple[UUID, int]], size: int) -> npt.NDArray[np.bool_]:
        """Which of the first `size` entries these are."""
        with self._lock:
            places = [self._known[key] for key in keys if key in self._known]
        flags = np.zeros(max([size, *(place + 1 for place in places)]), dtype=np.bool_)
        flags[places] = True
        return flags[:size]

    def _view(self, readable: Collection[UUID] | None, valid_t: int, tx_t: int) -> _View:
        with self._lock:
            held = self._rows.allowed(readable, valid_t, tx_t)
            allowed, row = np.zeros(len(self._nodes), dtype=np.bool_), np.zeros(len(self._nodes), dtype=np.int64)
            allowed[held.entries], row[held.entries] = True, held.rows
            return _View(self._vectors.view, self._lengths.view, self._nodes, self._segments, allowed, held, row)

    def _check(self, vector: npt.NDArray[np.float32], what: str) -> None:
        if vector.shape != (self._dim,) or not np.isfinite(vector).all():
            raise ValueError(f"{what} has shape {vector.shape}; must be {self._dim} finite numbers")


def _wordiest(words: npt.NDArray[np.float64], view: _View, k: int) -> list[int]:
    holding: Places = np.flatnonzero(words > 0)
    short = holding[shortlist(words[holding], k, _ROUNDING)]
    return first(short, words[short], view.coordinate, k)


def _hit(node_id: UUID, cosine: float, words: float, config: HybridConfig) -> Hit:
    lexical = round(words, 6)
    return Hit(node_id, config.score(cosine, lexical), cosine, lexical)
