"""The words beside a number: what it counts, in which measure, and the time zone of a time."""

from dataclasses import dataclass
from decimal import Decimal

import regex

from core.text.terms import terms
from core.text.vocabulary import CURRENCIES, NUMBER_WORDS, SCALES, STOP_WORDS
from core.verify.currencies import CODES, code_ahead, whose_dollars
from core.verify.rates import RECURRING


@dataclass(frozen=True, slots=True)
class Counted:
    """`nouns`: stems of up to four words. `measure`: None where none is named; `size`: one unit in the base measure."""

    nouns: frozenset[str] = frozenset()
    measure: str | None = None
    size: Decimal = Decimal(1)


_MEASURES = {
    "second": "second sec s",
    "month": "month",
    "metre": "metre meter",
    "gram": "gram gramme",
    "megabyte": "megabyte mb",
    "litre": "litre liter l",
    "watt": "watt",
    "kilowatt-hour": "kwh",
    "hertz": "hertz hz",
    "celsius": "celsius",
    "fahrenheit": "fahrenheit",
    "pound": "pound lb lbs",
    "cent": "cent penny pence",
    "eur": "euro",
    "usd": "dollar",
    "jpy": "yen",
    "chf": "franc",
    "inr": "rupee",
    "pln": "zloty zł",
    "cny": "yuan renminbi",
    "krone": "kr krone kroner krona kronor",
}
_SIZES = {
    "second": {
        "millisecond ms": "0.001",
        "minute min": "60",
        "hour hr h": "3600",
        "day": "86400",
        "week": "604800",
        "fortnight": "1209600",
    },
    "month": {"quarter": "3", "year": "12", "decade": "120"},
    "metre": {
        "millimetre millimeter mm": "0.001",
        "centimetre centimeter cm": "0.01",
        "kilometre kilometer km": "1000",
        "inch": "0.0254",
        "foot feet ft": "0.3048",
        "yard yd": "0.9144",
        "mile": "1609.344",
    },
    "gram": {
        "milligram mg": "0.001",
        "kilogram kilo kg": "1000",
        "tonne ton": "1000000",
        "ounce oz": "28.349523125",
    },
    "megabyte": {"kilobyte kb": "0.001", "gigabyte gb": "1000", "terabyte tb": "1000000"},
    "litre": {"millilitre milliliter ml": "0.001", "centilitre centiliter cl": "0.01", "gallon": "3.785411784"},
    "watt": {"kilowatt kw": "1000", "megawatt mw": "1000000", "gigawatt gw": "1000000000"},
    "hertz": {"kilohertz khz": "1000", "megahertz mhz": "1000000", "gigahertz ghz": "1000000000"},
}
_BY_STEM = {
    stem: (measure, Decimal(size))
    for measure, base in _MEASURES.items()
    for names, size in {base: "1", **_SIZES.get(measure, {})}.items()
    for stem in terms(names)
}
UNIT_NAMES = (
    frozenset(
        name
        for names in (
            *_MEASURES.values(),
            *(names for sizes in _SIZES.values() for names in sizes),
            "€ £ $ °c °f percent",
        )
        for name in names.split()
    )
    | CODES
)
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


def counted(behind: str, ahead: str = "") -> Counted:
    """Read from the folded text that follows a number, up to the first stop word, sign or digit; a code, ahead too."""
    found = _WORDS.match(behind)
    nouns: list[str] = []
    named: list[tuple[str, Decimal]] = []
    for place, word in enumerate(found[0].replace("-", " ").split() if found else ()):
        if word in STOP_WORDS or word in {"per", "every"}:
            break
        stems = terms(word)
        nouns += stems
        if place == 0 and word in CODES:
            named.append((word, Decimal(1)))
        elif word not in RECURRING:
            named += [_BY_STEM[stem] for stem in stems if stem in _BY_STEM and (len(stem) > 1 or place == 0)]
    measure, size = named[0] if named else (None, Decimal(1))
    return Counted(frozenset(nouns), whose_dollars(behind) or measure or code_ahead(ahead), size)


def zone(folded: str) -> str | None:
    """The time zone that a text names; None if it names none or several."""
    found = {_ZONE_OF[one["behind"] or one["ahead"]] for one in _ZONE.finditer(folded)}
    return found.pop() if len(found) == 1 else None
