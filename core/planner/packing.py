"""Greedy packing: densest first, whatever still fits goes in, and the scan goes on past what does not.

Room only shrinks, in the budget and in every source. So what does not fit when a chunk begins never fits later, and
only the rest of the chunk is looked at one by one. Why a span stayed out follows afterwards from what was used before.
"""

from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

FIRST_CHUNK = 256
GROWTH = 2


@dataclass(frozen=True, slots=True)
class Packing:
    """`packed`: positions of what went in, ascending. The last three: how many stayed out, and why."""

    packed: Ints
    used: int
    unpackable: int
    budget_skipped: int
    cap_skipped: int


def pack(tokens: Ints, source: Ints, *, budget: int, cap: int, max_spans: int | None) -> Packing:
    """Pack spans, given densest first. `source`: a number for each one's source; `cap`: the most tokens of a source."""
    packed = np.array(_scan(tokens, source, budget, cap, max_spans), np.int64)
    seen = len(tokens) if max_spans is None or len(packed) < max_spans else int(packed[-1]) + 1
    return _account(tokens[:seen], packed, budget)


def _scan(tokens: Ints, source: Ints, budget: int, cap: int, max_spans: int | None) -> list[int]:
    room = array("q", [cap]) * (int(source.max(initial=-1)) + 1)
    shared_room = np.frombuffer(room, np.int64)
    packed: list[int] = []
    at, size = 0, FIRST_CHUNK
    while at < len(tokens):
        chunk = slice(at, at + size)
        hopeful = at + np.flatnonzero(tokens[chunk] <= np.minimum(shared_room[source[chunk]], budget))
        columns = hopeful.tolist(), tokens[hopeful].tolist(), source[hopeful].tolist()
        for position, need, of in zip(*columns, strict=True):
            if need <= budget and need <= room[of]:
                packed.append(position)
                budget -= need
                room[of] -= need
                if len(packed) == max_spans:
                    return packed
        at, size = at + size, size * GROWTH
    return packed


def _account(tokens: Ints, packed: Ints, budget: int) -> Packing:
    taken = np.zeros_like(tokens)
    taken[packed] = tokens[packed]
    used_before = taken.cumsum() - taken
    unpackable = np.count_nonzero(tokens > budget)
    over = np.count_nonzero(tokens > budget - used_before)
    return Packing(
        packed=packed,
        used=int(taken.sum()),
        unpackable=int(unpackable),
        budget_skipped=int(over - unpackable),
        cap_skipped=len(tokens) - len(packed) - int(over),
    )
