"""A part of a list: what comes after a place in its order, and how much of it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

_AT_MOST = 1000
"""Rows that are read at once."""

Row = TypeVar("Row")
Item = TypeVar("Item")
Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """At most `limit` items after the place `after`; None: from the first, or to the last."""

    after: Place | None = None
    limit: int | None = None


WHOLE = Part()


def gathered(
    part: Part,
    rows: Callable[[Part], Sequence[Row]],
    place: Callable[[Row], Place],
    shown: Callable[[Sequence[Row]], Sequence[Item]],
) -> list[Item]:
    """A part of a list of which not every row is shown: rows are read until there are as many items as are wanted."""
    found: list[Item] = []
    after, at_once = part.after, part.limit or _AT_MOST
    while part.limit is None or len(found) < part.limit:
        read = rows(Part(after, at_once))
        found += shown(read)
        if len(read) < at_once:
            break
        after, at_once = place(read[-1]), min(2 * at_once, _AT_MOST)
    return found[: part.limit]
