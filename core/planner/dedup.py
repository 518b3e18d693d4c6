"""Which spans survive dedup: heaviest first, a span goes when it repeats one that stayed.

Two spans of a source version clash when intersection / shorter length > overlap, or when one holds the other (= 1).
1. Survivors never hold one another, so their starts and their ends rise together: they stand in a row.
2. Let y reach over the left edge of x by i bytes and begin o bytes before x. Their overlap is i / min(|x|, i + o). It
   rises with i and falls with o, and the survivor next to x on that side has the largest i and the smallest o (1), so
   when that one does not clash, none on its side does. A survivor held by x, or holding it, is next to it likewise.
3. So two neighbours decide, whatever the overlap: an ordered set answers in place of a walk over all survivors.
4. Of spans that may hold one another, take on the left the largest start and the largest end, on the right the
   smallest, as if one span had both: by (2) a span that clashes with neither of these phantoms clashes with nothing.
Spans go in batches, heaviest first, each larger than all before. Those that clash with earlier survivors (3) or with
nothing in their batch (4) are decided at once by arrays; the rest one by one. Rounding keeps the order in (2).
"""

import math

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

BELOW_ONE = math.nextafter(1.0, 0.0)
"""A ratio above it is 1 or more: one span holds the other."""
NOWHERE = np.array([[2**62], [-1], [1]])
"""Start, end and length of the neighbour at -1, where there is none: after everything, and before everything."""
FIRST_BATCH = 128
GROWTH = 3
NEAR = 4095
"""The low bits of a number within the stretch where its neighbours are looked for first, without a call of Python's."""


def survivors(start: Ints, end: Ints, order: Ints, overlap: float) -> Flags:
    """Flags of the spans that stay. Spans are given by (start, end), ascending, no two alike; `order`: heaviest first.

    Source versions are laid end to end on one line, so that spans of different ones never meet.
    """
    return _Dedup(start, end, order, overlap).run()


class _Dedup:
    def __init__(self, start: Ints, end: Ints, order: Ints, overlap: float) -> None:
        self.spans = np.concatenate(((start, end, end - start), NOWHERE), axis=1)
        self.order = order
        self.limit = min(overlap, BELOW_ONE)
        self.place = np.empty_like(order)
        self.place[order] = np.arange(len(order))
        self.stays = np.zeros(len(start) + 1, np.bool_)
        self.stays[-1] = True

    def run(self) -> Flags:
        at, size = 0, FIRST_BATCH
        while at < len(self.order):
            batch = np.sort(self.order[at : at + size])
            self.decide(batch[~self.clashes_with_survivors(batch)] if at else batch)
            at, size = at + size, size * GROWTH
        return self.stays[:-1]

    def decide(self, batch: Ints) -> None:
        doubtful = self.clashes_within(batch)
        self.stays[batch] = ~doubtful
        rest = batch[doubtful]
        self.stays[rest] = self.one_by_one(rest)

    def clashes_with_survivors(self, batch: Ints) -> Flags:
        kept = self.stays.nonzero()[0]
        at = kept.searchsorted(batch)
        start, end, length = self.spans.take(batch, axis=1)
        starts, ends, lengths = self.spans.take(kept[np.array((at - 1, at))], axis=1)
        left, right = self.clash(np.minimum(ends, end) - np.maximum(starts, start), lengths, length)
        return np.asarray(left | right)

    def clashes_within(self, batch: Ints) -> Flags:
        start, end, length = self.spans.take(batch, axis=1)
        farthest = np.maximum.accumulate(end)[:-1]
        nearest = np.minimum.accumulate(end[::-1])[-2::-1]
        found = np.zeros(len(batch), np.bool_)
        found[1:] = self.clash(farthest - start[1:], farthest - start[:-1], length[1:])
        found[:-1] |= self.clash(end[:-1] - start[1:], length[:-1], nearest - start[1:])
        return found

    def clash(self, shared: Ints, length: Ints, next_length: Ints) -> Flags:
        return np.asarray(shared / np.minimum(length, next_length) > self.limit)

    def one_by_one(self, batch: Ints) -> Flags:
        start, end, length = columns = self.spans.take(batch, axis=1).tolist()
        for column, (nowhere,) in zip(columns, NOWHERE.tolist(), strict=True):
            column.append(nowhere)
        row, limit = _Row(len(batch)), self.limit
        look_back, look_on, stretch = row.marks.rfind, row.marks.find, ~NEAR
        for i in self.place[batch].argsort().tolist():
            left = look_back(1, i & stretch, i)
            if left < 0:
                left = row.before(i)
            shared = end[left] - start[i]
            if shared / length[i] > limit or shared / length[left] > limit:
                continue
            right = look_on(1, i, i | NEAR)
            if right < 0:
                right = row.after(i)
            shared = end[i] - start[right]
            if shared / length[i] > limit or shared / length[right] > limit:
                continue
            row.add(i)
        return np.frombuffer(row.marks, np.bool_)


class _Row:
    """Numbers below `size`, each found from its neighbours: a byte for each, and one for every block of about √size."""

    def __init__(self, size: int) -> None:
        self.shift = max(12, size.bit_length() // 2)
        self.marks = bytearray(size)
        self.blocks = bytearray((size >> self.shift) + 1)

    def add(self, number: int) -> None:
        self.marks[number] = 1
        self.blocks[number >> self.shift] = 1

    def before(self, number: int) -> int:
        """The largest number of the row below `number`, or -1."""
        block = number >> self.shift
        found = self.marks.rfind(1, block << self.shift, number)
        if found < 0:
            block = self.blocks.rfind(1, 0, block)
            if block >= 0:
                found = self.marks.rfind(1, block << self.shift, (block + 1) << self.shift)
        return found

    def after(self, number: int) -> int:
        """The smallest number of the row above `number`, or -1."""
        block = number >> self.shift
        found = self.marks.find(1, number, (block + 1) << self.shift)
        if found < 0:
            block = self.blocks.find(1, block + 1)
            if block >= 0:
                found = self.marks.find(1, block << self.shift, (block + 1) << self.shift)
        return found
