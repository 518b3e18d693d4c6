"""What selection chooses from, and its door: candidates become columns in canonical order, or an error names one."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Self
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
        raw = _read(pool)
        start, end, tokens = (_numbers(raw, name, np.int64) for name in ("start", "end", "tokens"))
        weight = _numbers(raw, "weight", np.float64)
        _refuse(pool, ~((weight >= 0) & (weight < np.inf)), "its weight must be finite and not negative")
        _refuse(pool, (tokens < 0) | (tokens > MOST_TOKENS), "its tokens must be 0 to 2**62")
        _refuse(pool, (start < 0) | (end <= start) | (end > LONGEST), "its span must hold 0 <= start < end <= 2**53")
        source, base = _line(raw, int(end.max(initial=0)) + 1)
        start, end = start + base, end + base
        index = np.lexsort((end, start))
        start, end = start[index], end[index]
        _refuse_repeats(pool, index, start, end)
        return cls(index, source[index], start, end, weight[index], tokens[index])


class _Raw(NamedTuple):
    """The fields of a pool as lists."""

    start: list[int]
    end: list[int]
    tokens: list[int]
    weight: list[float]
    source: list[int]
    moment: list[int]


def _read(pool: Sequence[Candidate]) -> _Raw:
    """One pass for all fields: candidates lie all over memory, and each visit costs."""
    raw = _Raw([], [], [], [], [], [])
    start, end, tokens, weight, source, moment = raw
    for candidate in pool:
        start.append(candidate.start)
        end.append(candidate.end)
        tokens.append(candidate.tokens)
        weight.append(candidate.weight)
        source.append(candidate.source_id.int)
        moment.append(candidate.source_version_tx)
    return raw


def _numbers(raw: _Raw, name: str, dtype: type[np.generic]) -> NDArray[Any]:
    try:
        return np.array(getattr(raw, name), dtype)
    except OverflowError as error:
        raise InvalidRequest(f"a candidate's {name} does not fit in 64 bits") from error


def _line(raw: _Raw, width: int) -> tuple[Ints, Ints]:
    """Each candidate's source number, and where its source version begins on the line; each version is `width` wide."""
    source, _ = _ordinals(raw.source)
    moment, moments = _ordinals(raw.moment)
    version = source * moments + moment
    if int(version.max(initial=0)) >= LINE // width:
        version = np.unique(version, return_inverse=True)[1]
    if int(version.max(initial=0)) >= LINE // width:
        raise InvalidRequest(f"source versions up to {width - 1} bytes long, and so many of them, cannot be told apart")
    return source, version * width


def _ordinals(values: list[int]) -> tuple[Ints, int]:
    rank = {value: number for number, value in enumerate(sorted(set(values)))}
    return np.fromiter(map(rank.__getitem__, values), np.int64, len(values)), len(rank)


def _refuse(pool: Sequence[Candidate], bad: NDArray[np.bool_], rule: str) -> None:
    if bad.any():
        place = int(bad.argmax())
        c = pool[place]
        found = f"weight {c.weight}, tokens {c.tokens}, bytes {c.start} to {c.end}"
        raise InvalidRequest(f"candidate {place} of the pool: {rule}; it has {found}")


def _refuse_repeats(pool: Sequence[Candidate], index: Ints, start: Ints, end: Ints) -> None:
    same = (start[1:] == start[:-1]) & (end[1:] == end[:-1])
    if same.any():
        at = int(same.argmax())
        one, other = sorted((int(index[at]), int(index[at + 1])))
        raise InvalidRequest(
            f"candidates {one} and {other} of the pool are the same span, {pool[one].span}; pool each coordinate once"
        )
