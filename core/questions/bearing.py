"""Which places in documents overlap which others, and what a place is part of. Pure.

A sweep over both sides in the order of their starts: what is still open on the other side overlaps whatever begins
next, so that the cost is that of sorting, and of the pairs that are found.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar
from uuid import UUID

from core.model.spans import SpanRef

A = TypeVar("A", bound=Hashable)
B = TypeVar("B", bound=Hashable)


def overlaps(ones: Iterable[tuple[A, SpanRef]], others: Iterable[tuple[B, SpanRef]]) -> Iterator[tuple[A, B]]:
    """Every pair whose places, in the same version of the same source, share a byte; a pair may come twice."""
    left, right = list(ones), list(others)
    places = [(span, 0, number) for number, (_, span) in enumerate(left)]
    places += [(span, 1, number) for number, (_, span) in enumerate(right)]
    open_: tuple[list[tuple[SpanRef, int]], list[tuple[SpanRef, int]]] = ([], [])
    for span, side, number in sorted(place for place in places if place[0].start < place[0].end):
        across = open_[1 - side]
        across[:] = [(before, index) for before, index in across if _reaches(before, span)]
        for _, index in across:
            yield (left[number][0], right[index][0]) if side == 0 else (left[index][0], right[number][0])
        open_[side].append((span, number))


def around(
    nodes: Collection[UUID], wholes: Callable[[Collection[UUID]], Sequence[tuple[UUID, UUID]]]
) -> dict[UUID, set[UUID]]:
    """Each node with itself and all that it is part of, outward: as many looks as headings are deep.

    `wholes`: of some nodes, each with what it is part of.
    """
    found = {node: {node} for node in nodes}
    outermost = {node: {node} for node in nodes}
    while reach := set().union(*outermost.values()):
        of: dict[UUID, set[UUID]] = {}
        for part, whole in wholes(sorted(reach)):
            of.setdefault(part, set()).add(whole)
        for node, known in found.items():
            outermost[node] = {whole for part in outermost[node] for whole in of.get(part, ())} - known
            known.update(outermost[node])
    return found


def _reaches(before: SpanRef, span: SpanRef) -> bool:
    """Whether a place that begins no later goes on where another begins."""
    same = (before.source_id, before.source_version_tx) == (span.source_id, span.source_version_tx)
    return same and before.end > span.start
