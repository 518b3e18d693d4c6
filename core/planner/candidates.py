"""What selection chooses from, and its door: candidates become columns in canonical order, or an error names one."""

import struct
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from typing import Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from core.errors import InvalidRequest
from core.model.spans import SpanRef

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LONGEST = 2**53
"""The largest byte offset: up to it a float holds every length exactly."""
MOST_TOKENS = 2**62
LINE = 2**62
ROW = struct.Struct("5qd")


class SpanClass(StrEnum):
    """`truth`: verbatim text of a source. `cache`: derived from one; never evidence for a claim."""

    TRUTH = "truth"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A weighed span, before and after selection; `start` and `end` are bytes of the canonical text."""

    source_id: UUID
    source_version_tx: int
    start: int
    end: int
    kind: str
    span_class: SpanClass
    weight: float
    tokens: int
    text: str = ""

    @property
    def span(self) -> SpanRef:
        return SpanRef(self.source_id, self.source_version_tx, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Columns:
    """Candidates in canonical order. `index`: where each stood in the pool; `source`: a number for its source.

    `start` and `end` lie on one line on which the source versions follow one another, so that spans of different
    versions never meet.
    """

    index: Ints
    source: Ints
    start: Ints
    end: Ints
    weight: Floats
    tokens: Ints

    @classmethod
    def of(cls, pool: Sequence[Candidate]) -> Self:
        """Raises InvalidRequest, naming the candidate by its place in the pool."""
        source, moment, start, end, tokens, bits = _read(pool)
        weight = bits.view(np.float64)
        _refuse(pool, ~((weight >= 0) & (weight < np.inf)), "its weight must be finite and not negative")
        _refuse(pool, (tokens < 0) | (tokens > MOST_TOKENS), "its tokens must be 0 to 2**62")
        _refuse(pool, (start < 0) | (end <= start) | (end > LONGEST), "its span must hold 0 <= start < end <= 2**53")
        base = _line(source, moment, int(end.max(initial=0)) + 1)
        start, end = start + base, end + base
        index = ascending(end, start)
        start, end = start[index], end[index]
        _refuse_repeats(pool, index, start, end)
        return cls(index, source[index], start, end, weight[index], tokens[index])


def ascending(*keys: Ints) -> Ints:
    """As np.lexsort. Where no two last keys are alike, an unstable sort finds the same order several times as fast."""
    last = keys[-1]
    order = last.argsort()
    ranked = last[order]
    return np.lexsort(keys) if (ranked[1:] == ranked[:-1]).any() else order


def _read(pool: Sequence[Candidate]) -> NDArray[np.int64]:
    """Rows: the rank of the source, source_version_tx, start, end, tokens, the bits of the weight.

    One pass for all fields: candidates lie all over memory, and each visit costs.
    """
    number: defaultdict[int, int] = defaultdict(count().__next__)
    rows = bytearray()
    pack = ROW.pack
    try:
        for c in pool:
            rows += pack(number[c.source_id.int], c.source_version_tx, c.start, c.end, c.tokens, c.weight)
    except struct.error as error:
        rule = "its source_version_tx, start, end and tokens must be whole numbers of 64 bits, its weight a float"
        raise _refusal(pool, len(rows) // ROW.size, rule) from error
    table = np.frombuffer(rows, np.int64).reshape(-1, 6).T.copy()
    rank = dict(zip(sorted(number), count(), strict=False))
    table[0] = np.array([rank[source] for source in number], np.int64)[table[0]]
    return table


def _line(source: Ints, moment: Ints, width: int) -> Ints:
    """Where each candidate's source version begins on the line; each version is `width` wide."""
    version = source * len(moment) + np.sort(moment).searchsorted(moment)
    if int(version.max(initial=0)) >= LINE // width:
        version = np.unique(version, return_inverse=True)[1]
    if int(version.max(initial=0)) >= LINE // width:
        raise InvalidRequest(f"source versions up to {width - 1} bytes long, and so many of them, cannot be told apart")
    return version * width


def _refuse(pool: Sequence[Candidate], bad: NDArray[np.bool_], rule: str) -> None:
    if bad.any():
        raise _refusal(pool, int(bad.argmax()), rule)


def _refusal(pool: Sequence[Candidate], place: int, rule: str) -> InvalidRequest:
    c = pool[place]
    found = f"version {c.source_version_tx}, weight {c.weight}, tokens {c.tokens}, bytes {c.start} to {c.end}"
    return InvalidRequest(f"candidate {place} of the pool: {rule}; it has {found}")


def _refuse_repeats(pool: Sequence[Candidate], index: Ints, start: Ints, end: Ints) -> None:
    same = (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    if same.any():
        at = int(same.argmax())
        one, other = sorted((int(index[at]), int(index[at + 1])))
        raise InvalidRequest(
            f"candidates {one} and {other} of the pool are the same span, {pool[one].span}; pool each coordinate once"
        )
