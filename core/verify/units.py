"""The words behind a number: what it counts, in which measure, and the time zone of a time."""

from dataclasses import dataclass
from decimal import Decimal

import regex

from core.text.terms import terms
from core.text.vocabulary import CURRENCIES, NUMBER_WORDS, SCALES, STOP_WORDS


@dataclass(frozen=True, slots=True)
class Counted:
    """`nouns`: stems of up to four words. `measure`: None where none is named; `size`: one unit in the base measure."""

    nouns: frozenset[str] = frozenset()
    measure: str | None = None
    size: Decimal = Decimal(1)


_MEASURES = {
    "second": "second sec",
    "month": "month",
    "metre": "metre meter",
    "mile": "mile",
    "foot": "foot feet ft",
    "gram": "gram gramme",
    "megabyte": "megabyte mb",
    "eur": "euro eur",
    "usd": "dollar usd",
    "gbp": "gbp",
    "jpy": "yen jpy",
    "chf": "franc chf",
    "inr": "rupee inr",
}
_SIZES = {
    "second": {"minute min": "60", "hour hr": "3600", "day": "86400", "week": "604800"},
    "month": {"quarter": "3", "year": "12", "decade": "120"},
    "metre": {
        "millimetre millimeter mm": "0.001",
        "centimetre centimeter cm": "0.01",
        "kilometre kilometer km": "1000",
    },
    "gram": {"kilogram kilo kg": "1000", "tonne ton": "1000000"},
    "megabyte": {"gigabyte gb": "1000", "terabyte tb": "1000000"},
}
_BY_STEM = {
    stem: (measure, Decimal(size))
    for measure, base in _MEASURES.items()
    for names, size in {base: "1", **_SIZES.get(measure, {})}.items()
    for stem in terms(names)
}
_ZONES = {
    "eastern": "eastern et est edt",
    "central": "central ct cst cdt",
    "mountain": "mountain mt mst mdt",
    "pacific": "pacific pt pst pdt",
    "utc": "utc gmt",
    "cet": "cet cest",
    "bst": "bst",
    "ist": "ist",
}
_ZONE_OF = {name: zone for zone, names in _ZONES.items() for name in names.split()}
_ZONE_NAMES = "|".join(_ZONE_OF)
_ZONE = regex.compile(
    rf"(?<=(?:\d|[ap]\.?m\.?|\btimes?|\btimes? in) )(?P<behind>{_ZONE_NAMES})\b"
    rf"|\b(?P<ahead>{_ZONE_NAMES})(?= (?:standard |daylight )?time\b)"
)
_WORDS = regex.compile(r"(?:[ -](?!\d)[\p{L}\p{N}][\p{L}\p{M}\p{N}']*+){1,4}+")

# One letter may be a name: plan B.
_NUMBER_TERMS = frozenset(term for term in terms(" ".join((*NUMBER_WORDS, *SCALES, *CURRENCIES))) if len(term) > 2)


def is_of_number(term: str) -> bool:
    """Whether a term is a number or a part of one, and so compared by value rather than as a word."""
    return term[0].isdigit() or term in _NUMBER_TERMS


def counted(behind: str) -> Counted:
    """Read from the folded text that follows a number, up to the first stop word, sign or digit."""
    found = _WORDS.match(behind)
    nouns: list[str] = []
    for word in found[0].replace("-", " ").split() if found else ():
        if word in STOP_WORDS:
            break
        nouns += terms(word)
    measure, size = next((_BY_STEM[noun] for noun in nouns if noun in _BY_STEM), (None, Decimal(1)))
    return Counted(frozenset(nouns), measure, size)


def zone(folded: str) -> str | None:
    """The time zone that a text names; None if it names none or several."""
    found = {_ZONE_OF[one["behind"] or one["ahead"]] for one in _ZONE.finditer(folded)}
    return found.pop() if len(found) == 1 else None
