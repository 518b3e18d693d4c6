"""Which entries hold a term, and how often.

Postings stand in segments, each a column-compressed matrix (entry × term) with a vocabulary of its own. A segment never
changes, so a reader needs no lock. Appending makes a small segment and merges it with those before it that are less
than twice its size: sizes then fall by half from segment to segment, a query looks into few of them, and an entry is
copied at most a logarithmic number of times. With a vocabulary in each, an erased source takes its words with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from core.recall.rows import Places


@dataclass(frozen=True, slots=True)
class Segment:
    vocabulary: Mapping[str, int]
    matrix: Any
    """scipy CSC array of counts: rows are entries, columns are terms."""

    @property
    def size(self) -> int:
        return int(self.matrix.shape[0])


Segments = tuple[Segment, ...]
"""Together they cover all entries, in order."""


def appended(segments: Segments, texts: Sequence[Mapping[str, int]]) -> Segments:
    """`segments` with one more entry for each of `texts`, which are counts by term."""
    first, size = len(segments), len(texts)
    while first and segments[first - 1].size < 2 * size:
        first -= 1
        size += segments[first].size
    return (*segments[:first], _merged((*segments[first:], _segment(texts))))


def kept(segments: Segments, stay: npt.NDArray[np.bool_]) -> Segments:
    """`segments` with only the entries that `stay`, and only the terms these hold."""
    ends = np.cumsum([segment.size for segment in segments], dtype=np.int64)
    parts = (_kept(segment, flags) for segment, flags in zip(segments, np.split(stay, ends), strict=False))
    return tuple(part for part in parts if part.size)


def holders(segments: Segments, term: str, allowed: npt.NDArray[np.bool_]) -> tuple[Places, npt.NDArray[np.int32]]:
    """Places of the `allowed` entries that hold `term`, and its count in each."""
    found = list(_columns(segments, term, allowed))
    if not found:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)
    return np.concatenate([places for places, _ in found]), np.concatenate([counts for _, counts in found])


def _columns(
    segments: Segments, term: str, allowed: npt.NDArray[np.bool_]
) -> Iterator[tuple[Places, npt.NDArray[np.int32]]]:
    start = 0
    for segment in segments:
        column = segment.vocabulary.get(term)
        if column is not None:
            part = slice(segment.matrix.indptr[column], segment.matrix.indptr[column + 1])
            rows = segment.matrix.indices[part]
            here = np.flatnonzero(allowed[start : start + segment.size][rows])
            yield rows[here].astype(np.int64) + start, segment.matrix.data[part][here]
        start += segment.size


def _segment(texts: Sequence[Mapping[str, int]]) -> Segment:
    vocabulary: dict[str, int] = {}
    columns = [vocabulary.setdefault(term, len(vocabulary)) for text in texts for term in text]
    counts = [count for text in texts for count in text.values()]
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    return Segment(vocabulary, _matrix(counts, rows, columns, (len(texts), len(vocabulary))))


def _merged(segments: Segments) -> Segment:
    if len(segments) == 1:
        return segments[0]
    vocabulary = dict(segments[0].vocabulary)
    rows, columns, counts, start = [], [], [], 0
    for segment in segments:
        renumbered = [vocabulary.setdefault(term, len(vocabulary)) for term in segment.vocabulary]
        triples = segment.matrix.tocoo()
        rows.append(triples.row.astype(np.int64) + start)
        columns.append(np.array(renumbered, dtype=np.int64)[triples.col])
        counts.append(triples.data)
        start += segment.size
    shape = (start, len(vocabulary))
    return Segment(vocabulary, _matrix(np.concatenate(counts), np.concatenate(rows), np.concatenate(columns), shape))


def _kept(segment: Segment, stay: npt.NDArray[np.bool_]) -> Segment:
    if stay.all():
        return segment
    matrix = segment.matrix[np.flatnonzero(stay)]
    held = np.flatnonzero(np.diff(matrix.indptr))
    terms = list(segment.vocabulary)
    return Segment({terms[column]: place for place, column in enumerate(held)}, matrix[:, held])


def _matrix(counts: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    return sparse.coo_array((np.asarray(counts, dtype=np.int32), (rows, columns)), shape=shape).tocsc()
