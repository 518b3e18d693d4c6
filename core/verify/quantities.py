"""A text's quantities by value: numbers, amounts, shares, dates, times, and names that hold digits.

`core.text.numbers` says what is one token and what it is worth. Here it gets what a comparison needs besides: what the
words around make of it (`comparatives`) and what it counts (`units`). Spelled numbers are turned into digits first.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache

import regex
from text_to_num import alpha2digit

from core.text.fold import STRUCK, fold, plain
from core.text.numbers import readings
from core.text.vocabulary import MONTHS, SCALES
from core.verify.comparatives import REACH, Bound, bound_of
from core.verify.units import counted

Point = tuple[Decimal | None, ...]
"""A number, or minutes of a day, or year, month and day; None for a part that is not named."""


class Kind(StrEnum):
    NUMBER = "number"
    SHARE = "share"
    DATE = "date"
    TIME = "time"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Quantity:
    """`text`: by value, as it is reported. `points`: two where a date can be read in two ways.

    `until`: the other end of `between`. `nouns`: stems of what it counts. `picks`: its bound says which things are
    spoken of. `series`: what it is one of by its name: `covid-` of `covid-19`, `form ` of `Form 12`.
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
        return self.kind is Kind.DATE and all(point[1] is None for point in self.points)


@dataclass(frozen=True, slots=True)
class _Token:
    """A token by value and as written, with the folded text that touches it, and that up to the next one."""

    value: str
    written: str
    ahead: str
    behind: str
    gap: str


_WRITTEN = regex.compile(rf"\d[\d.,]*+[ -]?(?:{'|'.join(sorted(SCALES, key=len, reverse=True))})\b")
_CLOSED_UP = (
    (regex.compile(r"(?<=[\p{L}\d]) (?=,)|(?<=\d) (?='s\b)|(?<=[$€£¥₹]) (?=\d)"), ""),
    (regex.compile(r"(?<=\d) out of (?=\d)"), "/"),
)
_NAMED = regex.compile(r"(?<!\p{L})(\p{Lu}[\p{L}']++ |\p{L}++-)(\d{1,4}+)(?![.,:/%-]*\d|[ ]?%)")
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
_ONE_OF = regex.compile(r"(?:no|each|any|every|which|the|this|that) $")
_JOINING = frozenset({" and ", " to ", " or ", "-", " - ", " through "})


@lru_cache(maxsize=256)
def quantities(text: str) -> tuple[Quantity, ...]:
    """In the text's order."""
    named = {f"{word}{number}".casefold(): word.casefold() for word, number in _NAMED.findall(plain(text))}
    tokens = [token for token in _tokens(_folded(text)) if not _is_pronoun(token)]
    found = [_named(_quantity(token), token, named) for token in tokens]
    return tuple(_joined(found, tokens))


@lru_cache(maxsize=256)
def articles(text: str) -> tuple[Quantity, ...]:
    """One of each thing that an article stands before: "a week", "an hour"."""
    folded = _folded(text)
    ends = (found.end() for found in _ARTICLE.finditer(folded))
    found = (_number(_Token("1", "a", "", folded[end : end + REACH], "")) for end in ends)
    return tuple(one for one in found if one)


@lru_cache(maxsize=256)
def _folded(text: str) -> str:
    folded = fold(text).replace(STRUCK, "")
    for pattern, put in _CLOSED_UP:
        folded = pattern.sub(put, folded)
    parts, at = [], 0
    # `5 million` is read as it is: the library would make `5 1000000` of it.
    for found in _WRITTEN.finditer(folded):
        parts += [alpha2digit(folded[at : found.start()], "en"), found[0]]
        at = found.end()
    return "".join([*parts, alpha2digit(folded[at:], "en")])


def _tokens(folded: str) -> Iterator[_Token]:
    found = list(readings(folded))
    starts = [*(one.start for one in found), len(folded)][1:]
    for one, next_start in zip(found, starts, strict=True):
        ahead, behind = folded[max(0, one.start - REACH) : one.start], folded[one.end : one.end + REACH]
        yield _Token(one.value, folded[one.start : one.end], ahead, behind, folded[one.end : next_start][:REACH])


def _is_pronoun(token: _Token) -> bool:
    return token.written == "one" and (
        bool(_ONE_OF.search(token.ahead)) or token.behind.startswith((" of ", " another"))
    )


def _quantity(token: _Token) -> Quantity:
    found = next(found for reading in _KINDS if (found := reading(token)))
    bound, picks = bound_of(token.ahead, token.behind)
    if found.is_year and bound in {Bound.MORE, Bound.LESS, Bound.LEAST, Bound.MOST} and (number := _number(token)):
        found = number
    if found.bound is not Bound.EXACT or found.kind is Kind.TEXT:
        return found
    if bound in {Bound.BEFORE, Bound.AFTER} and found.kind in {Kind.NUMBER, Kind.SHARE}:
        return found  # "after 3 days" is 3 days
    return replace(found, bound=bound, picks=picks)


def _date(token: _Token) -> Quantity | None:
    if not (found := _DATE.fullmatch(token.value)):
        return None
    point = tuple(Decimal(part) if part and part != "-" else None for part in found.groups())
    return Quantity(token.value, Kind.DATE, (point,))


def _numeric_date(token: _Token) -> Quantity | None:
    """Day first or month first: nobody can tell, so that both readings count."""
    if not (found := _NUMERIC_DATE.fullmatch(token.value)):
        return None
    one, other, year = (Decimal(found[group]) for group in (1, 3, 4))
    points = sorted({(year, one, other), (year, other, one)})
    return Quantity(token.value, Kind.DATE, tuple(points))


def _decade(token: _Token) -> Quantity | None:
    owner = "'s" if token.behind.startswith("'s") else ""
    if not (found := _DECADE.fullmatch(token.value + owner)):
        return None
    first = Decimal(found[1])
    return Quantity(token.value, Kind.DATE, ((first, None, None),), Bound.BETWEEN, (first + 9, None, None))


def _time(token: _Token) -> Quantity | None:
    if not (found := _TIME.fullmatch(token.value)):
        return None
    return Quantity(token.value, Kind.TIME, ((Decimal(found[1]) * 60 + Decimal(found[2]),),))


def _share(token: _Token) -> Quantity | None:
    """`54%`, `54 out of 100`; of another whole than a hundred a share compares with its like alone."""
    if not (found := _SHARE.fullmatch(token.value)):
        return None
    part, whole = (found[1], "100") if found[1] else (found[2], found[3])
    return Quantity(token.value, Kind.SHARE, ((Decimal(part),),), measure=whole)


def _year(token: _Token) -> Quantity | None:
    counts = counted(token.behind)
    short = _SHORT_YEAR.search(token.ahead) if len(token.written) == 2 else None
    written = short[1] + token.written if short and token.written.isdigit() else token.written
    if counts.measure or not _YEAR.fullmatch(written):
        return None
    return Quantity(written, Kind.DATE, ((Decimal(written), None, None),), nouns=counts.nouns)


def _number(token: _Token) -> Quantity | None:
    if not (found := _AMOUNT.fullmatch(token.value)):
        return None
    counts = counted(token.behind)
    if currency := found[1]:
        return Quantity(token.value, Kind.NUMBER, ((Decimal(found[2]),),), measure=currency, nouns=counts.nouns)
    point = (Decimal(found[2]) * counts.size,)
    return Quantity(token.value, Kind.NUMBER, (point,), measure=counts.measure, nouns=counts.nouns)


def _text(token: _Token) -> Quantity | None:
    found = _SERIES.fullmatch(token.value)
    return Quantity(token.value, Kind.TEXT, series=found[1] if found else "")


_KINDS: tuple[Callable[[_Token], Quantity | None], ...] = (
    _date,
    _numeric_date,
    _decade,
    _time,
    _share,
    _year,
    _number,
    _text,
)


def _named(found: Quantity, token: _Token, named: dict[str, str]) -> Quantity:
    """A number behind a capital or a hyphen may be part of a name, unless something makes it a quantity."""
    word = token.ahead[token.ahead.rstrip(" -").rfind(" ") + 1 :]
    series = named.get(word + token.written, "")
    if not series or series.strip() in MONTHS or found.kind is not Kind.NUMBER:
        return found
    return found if found.measure or found.bound is not Bound.EXACT else replace(found, series=series)


def _joined(found: list[Quantity], tokens: list[_Token]) -> Iterator[Quantity]:
    """`3-5 days` are 3 days and 5 days; `between 3 and 5` is one quantity."""
    rest = iter(zip(found, tokens, [*found, None][1:], [*tokens, None][1:], strict=True))
    for first, token, other, following in rest:
        one = first
        if other is None or following is None or token.gap not in _JOINING:
            yield replace(one, bound=Bound.EXACT) if one.bound is Bound.BETWEEN and not one.until else one
            continue
        one = _with_unit_of(following, one, token)
        if one.bound is not Bound.BETWEEN or one.until:
            yield one
        elif one.kind is other.kind and other.points:
            next(rest)
            yield replace(one, text=f"{one.text}–{other.text}", until=other.points[0])
        else:
            yield replace(one, bound=Bound.EXACT)


def _with_unit_of(following: _Token, one: Quantity, token: _Token) -> Quantity:
    if one.kind is not Kind.NUMBER or one.measure or one.nouns:
        return one
    number = _number(replace(token, behind=following.behind))
    return replace(number, bound=one.bound, picks=one.picks) if number else one
