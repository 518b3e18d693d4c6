"""What a write does to the versions of one thing (a node, an edge). Pure.

A version says: over [valid_start, valid_end) this is so; and: over [tx_start, tx_end) that was believed. Think of a
plane with valid time across and tx time upwards; each version is a rectangle, and no two of one thing overlap. Those
still open at the top (tx_end = FOREVER) are current: what is believed now. A write at tx T over the valid interval V
ends every current rectangle that meets V at height T. Above T it opens a new one over V, and opens the parts that stuck
out to the left and right of V again, as they were. Below T nothing changes: what was believed then can always be asked.
A tombstone is a version like any other; it says that over V there is nothing. T lies above where each rectangle it ends
began, or one would be left without height, believed at no time.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.clock import FOREVER
from core.errors import InvalidRequest


@dataclass(frozen=True, slots=True)
class Version:
    """All four bounds are Ts; both intervals are half-open. `body` is whatever holds over them."""

    valid_start: int
    valid_end: int
    tx_start: int
    tx_end: int
    tombstone: bool
    body: object


@dataclass(frozen=True, slots=True)
class Change:
    """`close`: current versions, as they stood, whose belief ends at the write's tx. `insert`: versions it opens."""

    close: tuple[Version, ...]
    insert: tuple[Version, ...]


def write(
    current: Sequence[Version], new_body: object, valid: tuple[int, int], tx: int, tombstone: bool = False
) -> Change:
    """Let `new_body` hold over `valid` from `tx` on. `current` may hold closed versions too; they stay closed.

    Raises InvalidRequest for an empty valid interval, or a tx that is not later than that of every version it closes.
    """
    start, end = valid
    if start >= end:
        raise InvalidRequest(f"valid interval [{start}, {end}) is empty; its end must be later than its start")
    close = tuple(row for row in current if row.tx_end == FOREVER and row.valid_start < end and start < row.valid_end)
    latest = max((row.tx_start for row in close), default=tx - 1)
    if tx <= latest:
        raise InvalidRequest(f"a write at tx {tx} cannot change what was written at tx {latest}; a tx must be later")
    kept = tuple(part for row in close for part in _outside(row, start, end, tx))
    return Change(close, (*kept, Version(start, end, tx, FOREVER, tombstone, new_body)))


def _outside(row: Version, start: int, end: int, tx: int) -> Iterator[Version]:
    """The parts of `row` before `start` and from `end` on, believed anew from `tx`."""
    if row.valid_start < start:
        yield replace(row, valid_end=start, tx_start=tx)
    if end < row.valid_end:
        yield replace(row, valid_start=end, tx_start=tx)


def as_of(rows: Iterable[Version], valid_t: int, tx_t: int) -> Version | None:
    """The one version that held at `valid_t`, as was believed at `tx_t`; a tombstone is returned as such."""
    held = (r for r in rows if r.valid_start <= valid_t < r.valid_end and r.tx_start <= tx_t < r.tx_end)
    return next(held, None)
