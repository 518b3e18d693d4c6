"""A text's quantities by value: numbers, amounts, shares, dates, times, and names that hold digits.

`tokens` says what there is to read, in a text that it prepared; here each gets what a comparison needs: a kind, a
value, what the words around make of it (`comparatives`), and what it counts (`units`).
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

import regex

from core.text.fold import plain
from core.text.vocabulary import MONTHS
from core.verify.comparatives import REACH, Bound, Side, bound_of, side_of
from core.verify.currencies import dollars
from core.verify.rates import is_rate, rates, recurring_ahead
from core.verify.tokens import WEEKDAYS, Token, tokens
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
    `size`: one unit in the base measure, in which the points are. `rates`: per what. `digits`: as written, of a plain
    number with a dot; `is_version`: they are what counts.
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
    size: Decimal = Decimal(1)
    rates: frozenset[str] = frozenset()
    side: Side = Side.NEITHER
    digits: str = ""
    is_version: bool = False

    @property
    def unscaled(self) -> "Quantity":
        """In the units that are named: the 18 of 18 years."""
        if self.size == 1:
            return self
        points = tuple(_divided(point, self.size) for point in self.points)
        return replace(self, points=points, until=_divided(self.until, self.size), size=Decimal(1))

    @property
    def ends(self) -> tuple[Point, ...]:
        return (*self.points, self.until) if self.until else self.points

    @property
    def is_year(self) -> bool:
        return self.kind is Kind.DATE and all(point[0] is not None and point[1] is None for point in self.points)


def _divided(point: Point, size: Decimal) -> Point:
    return tuple(part and part / size for part in point)


_NAMED = regex.compile(r"(?<!\p{L})(?:\p{Lu}[\p{L}']++ |\p{L}++-)\d{1,4}+(?![.,:/%]*\d| ?%)")
_RELEASE = regex.compile(r"(?<!\p{L})(?P<name>\p{Lu}[\p{L}']++) (?P<digits>\d++\.\d++)(?![\d.,:/%]*[\d%]| [%€$£])")
_IS_RELEASE = regex.compile(
    r"(?:\b(?:version|release|section|chapter|clause|paragraph|art(?:icle|[.])|sec[.]|v[.]?) |§ ?)$"
)
_OPENERS = (
    "add pay take use drink eat about over under above below nearly almost roughly around only some up costs weighs "
    "measures rated score rating rate average total factor ratio price fee grade gpa"
)
_OPENING = frozenset(_OPENERS.split())
"""Words that open a sentence or title before a number, and name nothing."""

_PLAIN_DOTTED = regex.compile(r"\d++\.\d++")
_AGE = regex.compile(r"\b(?:aged?|ages) $")
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
_ARTICLE = regex.compile(r"\b(?:an?|single)(?= \p{L})(?! (?:half|third|quarter of)\b)")
_LASTING = regex.compile(r"\b(?:within|after|for|takes?|lasts?|every) $")
_HOUR = regex.compile(r"[1-9]|1[0-2]")
_HALF_DAY = Decimal(12 * 60)
_JOINING = frozenset({" and ", " or ", " to ", "-", " - ", " through "})
_SPOKEN = frozenset({" to ", " through "})
_RANGING = frozenset({" to ", "-", " - ", " through "})


def quantities(text: str, folded: str) -> tuple[Quantity, ...]:
    """In the order of a text, given as it is written, by which names are told, and prepared."""
    read = tokens(folded)
    named = (found[0].casefold() for found in _NAMED.finditer(plain(text)))
    series = {name: name.rstrip("0123456789") for name in named}
    releases = frozenset(f"{one['name'].casefold()} {one['digits']}" for one in _RELEASE.finditer(plain(text)))
    found = [_in_series(_released(_quantity(token), token, releases), token, series) for token in read]
    return tuple(_in_zone(_joined(found, read), zone(folded)))


def articles(folded: str) -> tuple[Quantity, ...]:
    """One of each thing that an article stands before: "a week"."""
    return tuple(found for found, _ in _articles(folded))


def durations(folded: str) -> tuple[Quantity, ...]:
    """Those of a measure that is meant as one: "within a week", "over an hour", and not "a day in May"."""
    return tuple(found for found, meant in _articles(folded) if meant and found.measure)


def _articles(folded: str) -> Iterator[tuple[Quantity, bool]]:
    for place in _ARTICLE.finditer(folded):
        ahead, behind = folded[max(0, place.start() - REACH) : place.start()], folded[place.end() : place.end() + REACH]
        if is_rate(ahead, folded[place.start() : place.end() + REACH]):
            continue
        if found := _number(Token("1", "a", ahead, behind, "")):
            bounded = _bounded(found, *bound_of(ahead, ""))
            yield replace(bounded, size=Decimal(1)), bounded.bound is not Bound.EXACT or bool(_LASTING.search(ahead))


def _quantity(token: Token) -> Quantity:
    found = next(found for reading in _KINDS if (found := reading(token)))
    bound, picks = bound_of(token.ahead, token.behind)
    if found.is_year and bound in {Bound.MORE, Bound.LESS, Bound.LEAST, Bound.MOST}:
        found = _number(token) or found
    return _bounded(_rated(found, token), bound, picks)


def _rated(found: Quantity, token: Token) -> Quantity:
    if found.kind in {Kind.DATE, Kind.TIME, Kind.WEEKDAY}:
        return replace(found, side=side_of(token.ahead))
    if found.kind is Kind.TEXT:
        return found
    named = rates(token.ahead, token.behind)
    return replace(found, rates=named if named or " " not in found.text else recurring_ahead(token.ahead))


def _released(found: Quantity, token: Token, releases: Collection[str]) -> Quantity:
    """Of versions and sections 3.10 is not 3.1."""
    if found.kind is not Kind.NUMBER or found.measure or not _PLAIN_DOTTED.fullmatch(token.written):
        return found
    word = _WORD_AHEAD.search(token.ahead)
    named = word is not None and word[0].rstrip() not in _OPENING and word[0] + token.written in releases
    return replace(found, digits=token.written, is_version=named or bool(_IS_RELEASE.search(token.ahead)))


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
    return Quantity(token.value, Kind.DATE, ((first, None, None),), Bound.DURING, (first + 9, None, None))


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
    counts = counted(token.behind, token.ahead)
    short = _SHORT_YEAR.search(token.ahead)
    written = short[1] + token.written if short else token.written
    if counts.measure or not _YEAR.fullmatch(written):
        return None
    return Quantity(written, Kind.DATE, ((Decimal(written), None, None),), nouns=counts.nouns)


def _number(token: Token) -> Quantity | None:
    if not (found := _AMOUNT.fullmatch(token.value)):
        return None
    counts = counted(token.behind, token.ahead)
    if currency := found[1]:
        measure = dollars(currency, token.ahead)
        return Quantity(token.value, Kind.NUMBER, ((Decimal(found[2]),),), measure=measure, nouns=counts.nouns)
    point = (Decimal(found[2]) * counts.size,)
    nouns = frozenset[str]() if _AGE.search(token.ahead) else counts.nouns
    return Quantity(token.value, Kind.NUMBER, (point,), measure=counts.measure, nouns=nouns, size=counts.size)


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
            yield replace(first, text=f"{first.text}–{other.text}", bound=bound, until=other.points[0])


def _by_itself(one: Quantity) -> Quantity:
    return replace(one, bound=Bound.EXACT) if one.bound is Bound.BETWEEN and not one.until else one


def _range_of(one: Quantity, token: Token, other: Quantity) -> Bound | None:
    if one.kind is not other.kind or one.until or other.until or not other.points or one.measure != other.measure:
        return None
    if one.bound is Bound.BETWEEN:
        return Bound.BETWEEN
    # "10 May 1894 - 2 June 1986" may be two dates of a life.
    joining = _SPOKEN if one.kind is Kind.DATE else _RANGING
    return Bound.RANGE if one.bound is Bound.EXACT and token.gap in joining else None


def _like_the_next(one: Quantity, token: Token, other: Quantity, following: Token) -> Quantity:
    """What is written once behind two numbers is meant for both: the days of `3-5 days`, the pm of `3:30-4:30 PM`."""
    if one.kind is Kind.NUMBER and other.kind is Kind.TIME and token.gap in _RANGING:
        return _hour(one, token, other)
    if one.kind is Kind.NUMBER and not (one.measure or one.nouns):
        number = _number(replace(token, behind=following.behind))
        if number is None:
            return one
        return replace(one, points=number.points, measure=number.measure, nouns=number.nouns, size=number.size)
    if one.kind is Kind.TIME and other.kind is Kind.TIME:
        return replace(
            one, points=(_before(one.points[0], token, other.points[0]),), measure=one.measure or other.measure
        )
    return one


def _hour(one: Quantity, token: Token, end: Quantity) -> Quantity:
    """The 2 of `2 to 4 pm`: the last before the end."""
    (last,) = end.points[0]
    if not _HOUR.fullmatch(token.written) or last is None:
        return one
    first = Decimal(token.written) % 12 * 60
    minutes = first + _HALF_DAY if first + _HALF_DAY < last else first
    written = f"{minutes // 60:02}:{minutes % 60:02}"
    return replace(one, text=written, kind=Kind.TIME, points=((minutes,),), nouns=frozenset(), measure=end.measure)


def _before(start: Point, token: Token, end: Point) -> Point:
    (first,), (last,) = start, end
    afternoon = first is not None and last is not None and "m" not in token.written and first + _HALF_DAY <= last
    return (first + _HALF_DAY,) if afternoon and first is not None else start


def _in_zone(found: Iterator[Quantity], only: str | None) -> Iterator[Quantity]:
    """Where a text names one time zone, all its times are in it."""
    for one in found:
        yield replace(one, measure=only) if one.kind is Kind.TIME and not one.measure else one
