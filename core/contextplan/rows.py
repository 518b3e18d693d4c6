"""Values kept by their fields, and made anew whenever they are looked at.

The collector of cycles goes through every object that could be part of one, over and over as their number grows;
through strings, bytes and numbers it never goes. So what a plan holds of a long session are a few lists of these, and
the collector does no more in a long plan than in a short one (benchmarks/bench_contextplan.py).
"""

from collections.abc import Callable, Iterator, Sequence
from operator import eq
from typing import Any, TypeVar, final, overload

T = TypeVar("T")


@final
class Rows(Sequence[T]):
    """A value of each row of the columns. Equal to any list or tuple of equal values; the columns must not change."""

    __slots__ = ("_columns", "_make")

    def __init__(self, make: Callable[..., T], *columns: Sequence[Any]) -> None:
        self._make = make
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> "Rows[T]": ...
    def __getitem__(self, place: int | slice) -> "T | Rows[T]":
        found = (column[place] for column in self._columns)
        return Rows(self._make, *found) if isinstance(place, slice) else self._make(*found)

    def __iter__(self) -> Iterator[T]:
        return map(self._make, *self._columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rows | list | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))
