"""Whether a quantity of a span bears out a quantity of a claim."""

from dataclasses import replace
from decimal import Decimal

from core.verify.comparatives import Bound, Side
from core.verify.currencies import same_measure
from core.verify.quantities import Kind, Point, Quantity

_ROUGHLY = Decimal("0.1")
"""How far from a round "about N" a number may lie, as a share of N."""


def bears_out(held: Quantity, wanted: Quantity) -> bool:
    if not _comparable(held, wanted):
        return False
    if wanted.kind is Kind.TEXT:
        return wanted.text == held.text
    if wanted.digits and held.digits and (wanted.is_version or held.is_version) and wanted.digits != held.digits:
        return False
    if _names_one_unit(held, wanted):
        held, wanted = held.unscaled, wanted.unscaled
    if wanted.bound is Bound.RANGE:
        return held.ends == wanted.ends
    return _equals(held, wanted) if wanted.bound is Bound.EXACT else _falls_within(held, wanted)


def _equals(held: Quantity, wanted: Quantity) -> bool:
    if wanted.kind is Kind.WEEKDAY and held.until:
        return _on_day(held, wanted)
    if any(_equal(end, point) for end in held.ends for point in wanted.points):
        return True
    return held.bound.is_range and bool(held.until) and _lies_within(wanted, held)


def _names_one_unit(held: Quantity, wanted: Quantity) -> bool:
    """Who is 18 is 18 years old; but 3 meetings are not 3 weeks."""
    bare = wanted if held.measure else held
    return not (bare.measure or bare.nouns)


def _lies_within(wanted: Quantity, held: Quantity) -> bool:
    """A point of a stated range of the same things: 5 of 3 to 6. Years and months lie in too many."""
    if (wanted.kind is Kind.DATE and None in wanted.points[0][1:]) or (
        held.nouns and wanted.nouns and not held.nouns & wanted.nouns
    ):
        return False
    return any(_in_bound(point, held.points[0], replace(held, bound=Bound.BETWEEN)) for point in wanted.points)


def _falls_within(held: Quantity, wanted: Quantity) -> bool:
    if held.bound.is_range and held.until and wanted.bound is Bound.BETWEEN:
        return held.ends == wanted.ends
    if held.until:
        return all(_within(end, wanted) for end in held.ends)
    if held.bound in {Bound.EXACT, Bound.ABOUT} or wanted.bound in {Bound.ABOUT, Bound.BETWEEN, Bound.DURING}:
        return any(_within(point, wanted) for point in held.points)
    return _implies(held, wanted)


def _on_day(held: Quantity, wanted: Quantity) -> bool:
    """From Friday to Monday the week turns over."""
    (first,), (last,) = held.ends
    (day,) = wanted.points[0]
    if first is None or last is None or day is None:
        return False
    return first <= day <= last if first <= last else not last < day < first


def _comparable(held: Quantity, wanted: Quantity) -> bool:
    if held.kind is not wanted.kind:
        return _year_and_number(held, wanted)
    if held.rates and wanted.rates and held.rates.isdisjoint(wanted.rates):
        return False
    if {held.side, wanted.side} == {Side.START, Side.END} and not (held.until or wanted.until):
        return False
    if wanted.kind is Kind.SHARE:
        return held.measure == wanted.measure
    if held.measure and wanted.measure:
        return same_measure(held.measure, wanted.measure)
    # Of an exact number the value is evidence enough, whatever noun is used; nearly all numbers are "more than 5".
    return wanted.bound is Bound.EXACT or not (held.nouns and wanted.nouns) or bool(held.nouns & wanted.nouns)


def _year_and_number(held: Quantity, wanted: Quantity) -> bool:
    """1500 without a comma may be a year or a count."""
    year, number = (held, wanted) if held.is_year else (wanted, held)
    if not year.is_year or number.kind is not Kind.NUMBER or number.measure:
        return False
    return wanted.bound is Bound.EXACT or bool(held.nouns & wanted.nouns)


def _equal(held: Point, wanted: Point) -> bool:
    """What the claim names, the span must name: 8 December 2015 is in 2015, but 2015 is not on 8 December."""
    return all(part is None or part == other for part, other in zip(wanted, held, strict=False))


def _order(one: Point, other: Point) -> int | None:
    """The sign of one - other by the first part in which they differ, of those that both name; None without any."""
    named = [(a, b) for a, b in zip(one, other, strict=False) if a is not None and b is not None]
    return next(((a > b) - (a < b) for a, b in named if a != b), 0) if named else None


def _within(at: Point, wanted: Quantity) -> bool:
    return any(_in_bound(at, point, wanted) for point in wanted.points)


def _in_bound(at: Point, point: Point, wanted: Quantity) -> bool:
    order = _order(at, point)
    if order is None:
        return False
    if wanted.bound is Bound.ABOUT:
        return order == 0 or (wanted.kind in {Kind.NUMBER, Kind.SHARE} and _near(at, point))
    if wanted.bound in {Bound.BETWEEN, Bound.DURING}:
        return order >= 0 and (_order(at, wanted.until) or 0) <= 0
    return order == _direction(wanted) or (order == 0 and wanted.bound.is_closed)


def _near(at: Point, point: Point) -> bool:
    (one, *_), (other, *_) = at, point
    return one is not None and other is not None and abs(one - other) <= _ROUGHLY * abs(other)


def _direction(wanted: Quantity) -> int:
    return 1 if wanted.bound.is_above else -1


def _implies(held: Quantity, wanted: Quantity) -> bool:
    """Of two bounds on one side: the same number, or a tighter one unless a limit is what is spoken of."""
    if held.bound.is_above is not wanted.bound.is_above:
        return False
    order = _order(held.points[0], wanted.points[0])
    if order == 0:
        return True
    speaks_of_limit = held.bound.is_limit or wanted.bound.is_limit or held.picks or wanted.picks
    return order == _direction(wanted) and not speaks_of_limit
