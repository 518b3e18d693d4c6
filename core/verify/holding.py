"""A span's quantities, found by what they equal, so that a list of numbers is not held against each of another list.

A quantity stands under every point that it may be equal to: 8 December 2015 is in December 2015 and in 2015. Of those
that a claim's exact number cannot tell apart one is kept. What is left for a bound, which no point finds, is all.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, product
from typing import TypeVar

from core.verify.comparatives import Bound
from core.verify.comparing import bears_out
from core.verify.quantities import Kind, Point, Quantity
from core.verify.tokens import WEEKDAYS

_Index = Mapping[Point | str, Sequence[Quantity]]
_Key = TypeVar("_Key")
_RANGES_READ = 50
"""Ranges of a span within which a claim's points are sought."""
_DAYS: tuple[Point, ...] = tuple((Decimal(day),) for day in range(len(WEEKDAYS)))


@dataclass(frozen=True, slots=True)
class Holding:
    """`every`: each quantity once. `equal`: by value, one of each kind and measure. `ranges`: likewise, from … to.

    `stated`: the first ranges, within which a point may lie.
    """

    every: Mapping[Quantity, None]
    equal: _Index
    ranges: Mapping[tuple[Point, ...], Sequence[Quantity]]
    series: frozenset[str]
    stated: Sequence[Quantity]

    @classmethod
    def of(cls, found: Iterable[Quantity]) -> "Holding":
        every = dict.fromkeys(found)
        equal: dict[Point | str, dict[object, Quantity]] = {}
        ranges: dict[tuple[Point, ...], dict[object, Quantity]] = {}
        for one in every:
            alike = _told_apart_by(one)
            for value in _values(one):
                equal.setdefault(value, {}).setdefault(alike, one)
            if one.until:
                for ends in dict.fromkeys((one.ends, one.unscaled.ends)):
                    ranges.setdefault(ends, {}).setdefault((alike, one.nouns), one)
        stated = tuple(islice((one for one in every if one.bound.is_range and one.until), _RANGES_READ))
        return cls(every, _listed(equal), _listed(ranges), frozenset(one.series for one in every), stated)

    def bears_out(self, wanted: Quantity) -> bool:
        return wanted in self.every or any(bears_out(one, wanted) for one in self._near(wanted))

    def single(self, wanted: Quantity) -> bool:
        """Whether one that is no range bears it out."""
        return any(not one.until and bears_out(one, wanted) for one in self._near(wanted))

    def _near(self, wanted: Quantity) -> Iterable[Quantity]:
        """Of its quantities those that may bear one out."""
        if wanted.kind is Kind.TEXT:
            return self.equal.get(wanted.text, ())
        if wanted.bound is Bound.RANGE:
            named = dict.fromkeys((wanted.ends, wanted.unscaled.ends))
            return [one for ends in named for one in self.ranges.get(ends, ())]
        if wanted.bound is Bound.EXACT:
            points = dict.fromkeys((*wanted.points, *wanted.unscaled.points))
            return (*(one for point in points for one in self.equal.get(_short(point), ())), *self.stated)
        return self.every


def _told_apart_by(one: Quantity) -> tuple[object, ...]:
    ends = one.ends if one.kind is Kind.WEEKDAY else bool(one.until)
    return one.kind, one.measure, one.is_year, ends, one.size, one.rates, one.side, one.digits, one.is_version


def _values(one: Quantity) -> Iterator[Point | str]:
    if one.kind is Kind.TEXT:
        yield one.text
    elif one.kind is Kind.WEEKDAY and one.until:
        yield from _DAYS
    else:
        for end in dict.fromkeys((*one.ends, *one.unscaled.ends)):
            parts = product(*((part, None) if part is not None else (None,) for part in end))
            yield from (_short(named) for named in parts if any(part is not None for part in named))


def _short(point: Point) -> Point:
    """Without what is not named at the end of it: a year alone is held against a number."""
    return _short(point[:-1]) if point and point[-1] is None else point


def _listed(index: Mapping[_Key, Mapping[object, Quantity]]) -> dict[_Key, Sequence[Quantity]]:
    return {key: tuple(found.values()) for key, found in index.items()}
