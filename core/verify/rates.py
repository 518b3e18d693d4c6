"""What an amount is for each of: per month, a day, annually, /km."""

import regex

_RATES = {
    "second": "second sec",
    "minute": "minute min",
    "hour": "hour hr hourly",
    "day": "day daily diem",
    "night": "night nightly",
    "week": "week weekly",
    "month": "month monthly",
    "quarter": "quarter quarterly",
    "year": "year yearly annum annual annually",
    "kilometre": "kilometre kilometer km",
    "metre": "metre meter",
    "mile": "mile",
    "kilogram": "kilogram kg",
    "litre": "litre liter",
    "gallon": "gallon",
    "gigabyte": "gigabyte gb",
    "megabyte": "megabyte mb",
}
_OF_NAME = {name: rate for rate, names in _RATES.items() for name in names.split()}
RECURRING = frozenset(name for name in _OF_NAME if name.endswith("ly")) | {"annual"}
"""Adjectives and adverbs that name a rate by themselves, and count nothing."""

_NAMES, _RECURRING = "|".join(_OF_NAME), "|".join(RECURRING)
_EDGE = regex.compile(r"[.;:|·—](?!\d)|,(?!\d)|\b(?:and|or|but|than)\b|(?<![\p{L}\d])\d")
_RATE = regex.compile(rf"(?:\b(?:per|an?|each|every) |/ ?)(?P<name>{_NAMES})\b|\b(?P<name>{_RECURRING})\b")
_TITLE = regex.compile(rf"\bper (?P<name>{_NAMES})\b[^.;|·\d]{{0,20}}: ?$")
_TITLE_RECURRING = regex.compile(rf"\b(?P<name>{_RECURRING})(?: [\p{{L}}'-]++){{1,5}}:? $")
_COUNT_AHEAD = regex.compile(r"\d[\p{L}\d.,%€$£]*+(?: [\p{L}-]++){0,3} $")
_PERIOD = regex.compile(rf"an? (?:{_NAMES})\b")


def rates(ahead: str, behind: str) -> frozenset[str]:
    """Of the number between two folded texts; empty where none is named."""
    edge = _EDGE.search(behind)
    found = [one["name"] for one in _RATE.finditer(behind[: edge.start()] if edge else behind)]
    if not found and (title := _TITLE.search(ahead)):
        found = [title["name"]]
    return frozenset(_OF_NAME[name] for name in found)


def recurring_ahead(ahead: str) -> frozenset[str]:
    """Of an amount of money: "the monthly fee is EUR 5"."""
    found = _TITLE_RECURRING.search(ahead)
    return frozenset({_OF_NAME[found["name"]]}) if found else frozenset()


def is_rate(ahead: str, at: str) -> bool:
    """Whether the article with which a text goes on is that of a rate: 100 requests a minute."""
    return bool(_PERIOD.match(at)) and bool(_COUNT_AHEAD.search(ahead))
