"""A text's quantities by value: numbers, amounts, shares, dates, times, and names that hold digits.

`tokens` says what there is to read; here each gets what a comparison needs: a kind, a value, what the words around make
of it (`comparatives`), and what it counts (`units`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

import regex

from core.text.fold import plain
from core.text.vocabulary import MONTHS
from core.verify.comparatives import REACH, Bound, bound_of
from core.verify.tokens import WEEKDAYS, Token, prepared, tokens
from core.verify.units import counted, zone

Point = tuple[Decimal | None, ...]
"""A number, minutes of a day, a day of the week, or year, month and day; None for a part that is not named."""


class Kind(StrEnum):
    NUMBER = "number"
    SHARE = "share"
    DATE = "date"
    WEEKDAY = "weekday"
    TIME = "time"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text`: by value, as it is reported. `points`: two where a date can be read in two ways.

    `until`: the other end of a range. `nouns`: stems of what it counts. `picks`: its bound says which things are spoken
    of. `series`: what it is one of: `covid-` for `covid-19`, `form ` for `Form 12`, the weekdays for `Monday`.
    """

    text: str
    kind: Kind
    points: tuple[Point, ...] = ()
    bound: Bound = Bound.EXACT
    until: Point = ()
    measure: str | None = None
    nouns: frozenset[str] = frozenset()
    picks: bool = False
    series: str = ""

    @property
    def ends(self) -> tuple[Point, ...]:
        return (*self.points, self.until) if self.until else self.points

    @property
    def is_year(self) -> bool:
        return self.kind is Kind.DATE and all(point[0] is not None and point[1] is None for point in self.points)


_NAMED = regex.compile(r"(?<!\p{L})(?:\p{Lu}[\p{L}']++ |\p{L}++-)\d{1,4}+(?![.,:/%]*\d| ?%)")
_WORD_AHEAD = regex.compile(r"[\p{L}']++[ -]$")
_DATE = regex.compile(r"(\d{4}|-)-(\d\d)(?:-(\d\d))?")
_NUMERIC_DATE = regex.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})")
_DECADE = regex.compile(r"([12]\d\d0)'?s")
_TIME = regex.compile(r"(\d\d):(\d\d)")
_SHARE = regex.compile(r"(-?\d++(?:\.\d++)?)%|(\d{1,9})/([1-9]\d{0,8})")
_AMOUNT = regex.compile(r"(?:(\p{L}{3}) )?(-?\d++(?:\.\d++)?)")
_YEAR = regex.compile(r"[12]\d{3}")
_SHORT_YEAR = regex.compile(r"(?<![\d.,-])([12]\d)\d\d-$")
_SERIES = regex.compile(r"(\p{L}[\p{L}-]*\p{L}-?)\d++\p{L}?")
_ARTICLE = regex.compile(r"\b(?:an?|single)(?= \p{L})")
_LASTING = regex.compile(r"\b(?:within|after|for|takes?|lasts?|every) $")
_HALF_DAY = Decimal(12 * 60)
_JOINING = frozenset({" and ", " or ", " to ", "-", " - ", " through "})
_RANGING = frozenset({" to ", "-", " - ", " through "})


@lru_cache(maxsize=256)
def quantities(text: str) -> tuple[Quantity, ...]:
    """In the text's order."""
    read = tokens(text)
    named = (found[0].casefold() for found in _NAMED.finditer(plain(text)))
    series = {name: name.rstrip("0123456789") for name in named}
    found = [_in_series(_quantity(token), token, series) for token in read]
    return tuple(_in_zone(_joined(found, read), zone(prepared(text))))


@lru_cache(maxsize=256)
def articles(text: str) -> tuple[Quantity, ...]:
    """One of each thing that an article stands before: "a week"."""
    return tuple(found for found, _ in _articles(prepared(text)))


@lru_cache(maxsize=256)
def durations(text: str) -> tuple[Quantity, ...]:
    """Those of a measure that is meant as one: "within a week", "over an hour", and not "a day in May"."""
    return tuple(found for found, meant in _articles(prepared(text)) if meant and found.measure)


def _articles(folded: str) -> Iterator[tuple[Quantity, bool]]:
    for place in _ARTICLE.finditer(folded):
        ahead, behind = folded[max(0, place.start() - REACH) : place.start()], folded[place.end() : place.end() + REACH]
        if found := _number(Token("1", "a", ahead, behind, "")):
            bounded = _bounded(found, *bound_of(ahead, ""))
            yield bounded, bounded.bound is not Bound.EXACT or bool(_LASTING.search(ahead))


def _quantity(token: Token) -> Quantity:
    found = next(found for reading in _KINDS if (found := reading(token)))
    bound, picks = bound_of(token.ahead, token.behind)
    if found.is_year and bound in {Bound.MORE, Bound.LESS, Bound.LEAST, Bound.MOST}:
        found = _number(token) or found
    return _bounded(found, bound, picks)


def _bounded(found: Quantity, bound: Bound, picks: bool) -> Quantity:
    if found.bound is not Bound.EXACT or found.kind in {Kind.TEXT, Kind.WEEKDAY}:
        return found
    if bound in {Bound.BEFORE, Bound.AFTER} and found.kind in {Kind.NUMBER, Kind.SHARE}:
        return found  # "after 3 days" is 3 days
    return replace(found, bound=bound, picks=picks)


def _date(token: Token) -> Quantity | None:
    if not (found := _DATE.fullmatch(token.value)):
        return None
    year, month, day = (Decimal(part) if part and part != "-" else None for part in found.groups())
    return Quantity(token.value, Kind.DATE, ((year, month, day),))


def _numeric_date(token: Token) -> Quantity | None:
    """Day first or month first: nobody can tell, so that both readings count."""
    if not (found := _NUMERIC_DATE.fullmatch(token.value)):
        return None
    one, other, year = (Decimal(found[group]) for group in (1, 3, 4))
    return Quantity(token.value, Kind.DATE, tuple(sorted({(year, one, other), (year, other, one)})))


def _decade(token: Token) -> Quantity | None:
    owner = "'s" if token.behind.startswith("'s") else ""
    if not (found := _DECADE.fullmatch(token.value + owner)):
        return None
    first = Decimal(found[1])
    return Quantity(token.value, Kind.DATE, ((first, None, None),), Bound.BETWEEN, (first + 9, None, None))


def _weekday(token: Token) -> Quantity | None:
    if token.value not in WEEKDAYS:
        return None
    return Quantity(token.value, Kind.WEEKDAY, ((Decimal(WEEKDAYS.index(token.value)),),), series="weekday")


def _time(token: Token) -> Quantity | None:
    if not (found := _TIME.fullmatch(token.value)):
        return None
    minutes = Decimal(found[1]) * 60 + Decimal(found[2])
    return Quantity(token.value, Kind.TIME, ((minutes,),), measure=zone(token.behind[:12]))


def _share(token: Token) -> Quantity | None:
    """`54%`, `54 out of 100`; of another whole than a hundred, a share compares with its like alone."""
    if not (found := _SHARE.fullmatch(token.value)):
        return None
    part, whole = (found[1], "100") if found[1] else (found[2], found[3])
    return Quantity(token.value, Kind.SHARE, ((Decimal(part),),), measure=whole)


def _year(token: Token) -> Quantity | None:
    counts = counted(token.behind)
    short = _SHORT_YEAR.search(token.ahead)
    written = short[1] + token.written if short else token.written
    if counts.measure or not _YEAR.fullmatch(written):
        return None
    return Quantity(written, Kind.DATE, ((Decimal(written), None, None),), nouns=counts.nouns)


def _number(token: Token) -> Quantity | None:
    if not (found := _AMOUNT.fullmatch(token.value)):
        return None
    counts = counted(token.behind)
    if currency := found[1]:
        return Quantity(token.value, Kind.NUMBER, ((Decimal(found[2]),),), measure=currency, nouns=counts.nouns)
    point = (Decimal(found[2]) * counts.size,)
    return Quantity(token.value, Kind.NUMBER, (point,), measure=counts.measure, nouns=counts.nouns)


def _text(token: Token) -> Quantity:
    found = _SERIES.fullmatch(token.value)
    return Quantity(token.value, Kind.TEXT, series=found[1] if found else "")


_KINDS: tuple[Callable[[Token], Quantity | None], ...] = (
    _date,
    _numeric_date,
    _decade,
    _weekday,
    _time,
    _share,
    _year,
    _number,
    _text,
)


def _in_series(found: Quantity, token: Token, series: dict[str, str]) -> Quantity:
    """A number behind a capital or a hyphen may be part of a name, unless something makes it a quantity."""
    word = _WORD_AHEAD.search(token.ahead)
    name = series.get(word[0] + token.written, "") if word else ""
    if found.kind is not Kind.NUMBER or found.measure or found.bound is not Bound.EXACT or name.strip() in MONTHS:
        return found
    return replace(found, series=name)


def _joined(found: list[Quantity], read: list[Token]) -> Iterator[Quantity]:
    """`3-5 days` is one quantity, and the 3 of it counts days too; so is `between 3 and 5`."""
    rest = iter(zip(found, read, [*found, None][1:], [*read, None][1:], strict=True))
    for one, token, other, following in rest:
        if other is None or following is None or token.gap not in _JOINING:
            yield _by_itself(one)
            continue
        first = _like_the_next(one, token, other, following)
        bound = _range_of(first, token, other)
        if bound is None:
            yield _by_itself(first)
        else:
            next(rest)
            yield replace(first, text=f"{one.text}–{other.text}", bound=bound, until=other.points[0])


def _by_itself(one: Quantity) -> Quantity:
    return replace(one, bound=Bound.EXACT) if one.bound is Bound.BETWEEN and not one.until else one


def _range_of(one: Quantity, token: Token, other: Quantity) -> Bound | None:
    if one.kind is not other.kind or one.until or other.until or not other.points or one.measure != other.measure:
        return None
    if one.bound is Bound.BETWEEN:
        return Bound.BETWEEN
    ranges = one.bound is Bound.EXACT and one.kind in {Kind.NUMBER, Kind.WEEKDAY} and token.gap in _RANGING
    return Bound.RANGE if ranges else None


def _like_the_next(one: Quantity, token: Token, other: Quantity, following: Token) -> Quantity:
    """What is written once behind two numbers is meant for both: the days of `3-5 days`, the pm of `3:30-4:30 PM`."""
    if one.kind is Kind.NUMBER and not (one.measure or one.nouns):
        number = _number(replace(token, behind=following.behind))
        return replace(number, bound=one.bound, picks=one.picks, series=one.series) if number else one
    if one.kind is Kind.TIME and other.kind is Kind.TIME:
        return replace(
            one, points=(_before(one.points[0], token, other.points[0]),), measure=one.measure or other.measure
        )
    return one


def _before(start: Point, token: Token, end: Point) -> Point:
    (first,), (last,) = start, end
    afternoon = first is not None and last is not None and "m" not in token.written and first + _HALF_DAY <= last
    return (first + _HALF_DAY,) if afternoon and first is not None else start


def _in_zone(found: Iterator[Quantity], only: str | None) -> Iterator[Quantity]:
    """Where a text names one time zone, all its times are in it."""
    for one in found:
        yield replace(one, measure=only) if one.kind is Kind.TIME and not one.measure else one
