"""The words that decide whether a sentence holds: its numbers and dates, its negations, its qualifiers.

Each function counts normalised tokens, so that two texts are compared by value and not by notation. They read enough to
say that something differs, and never claim that two notations they do not know are equal.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import regex

from core.text.fold import STRUCK, fold
from core.text.vocabulary import (
    CURRENCIES,
    LAPSED,
    LIMITED,
    MONTHS,
    NEGATIONS,
    NUMBER_WORDS,
    SCALES,
    TIMED,
    UNSETTLED,
)

_W = r"\p{Latin}\p{Greek}\p{Cyrillic}\d_"
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})\.?"
_DAY = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>[12]\d{3})"
_PLAIN = r"\d++(?:,\d{2,3})*+(?:\.\d++)?+"
_NUMBER_WORD = "|".join(sorted((*NUMBER_WORDS, "hundred", "thousand", "million", "billion"), key=len, reverse=True))
_SCALE = r"(?:[ -]?(?P<scale>hundred|thousand|million|billion|trillion|mn|bn)\b)"
_EDGE = rf"(?<![{_W}.,])"
_SIGN = rf"(?:(?<![{_W})])(?P<sign>[-+]))?"

_CURRENCY = "|".join(regex.escape(unit) for unit in sorted(CURRENCIES, key=len, reverse=True))
_AMOUNT = (
    rf"{_SIGN}(?:(?P<before>{_CURRENCY}) ?)?(?<![{_W}.])(?<!\d,)(?P<number>{_PLAIN})"
    rf"(?:{_SCALE}|(?P<short>[kmb])\b(?<=\d[kmb]))?(?: ?(?P<after>{_CURRENCY})(?![{_W}]))?(?![{_W}]|[.]\d)"
)

_Rule = Callable[["regex.Match[str]"], str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A token by value, and where it stands."""

    value: str
    start: int
    end: int


def _date(found: regex.Match[str]) -> str:
    """ISO, with `--` for a year that is not named."""
    parts = found.groupdict()
    month = parts["month"]
    number = int(month) if month.isdigit() else MONTHS[month]
    day = f"-{int(parts['day']):02}" if parts.get("day") else ""
    return f"{parts.get('year') or '-'}-{number:02}{day}"


def _time(found: regex.Match[str]) -> str:
    hour, half = int(found["hour"]), found["half"]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02}:{found['minute'] or '00'}"


def _amount(found: regex.Match[str]) -> str:
    unit = found["before"] or found["after"]
    mark = f"{CURRENCIES[unit.strip()]} " if unit else ""
    return mark + (found["sign"] or "").replace("+", "") + _value(found["number"], found["scale"] or found["short"])


def _percent(found: regex.Match[str]) -> str:
    return (found["sign"] or "").replace("+", "") + _value(found["number"], None) + "%"


def _value(number: str, scale: str | None) -> str:
    whole, _, part = number.replace(",", "").partition(".")
    factor = SCALES[scale] if scale else 1
    digits = len(str(factor)) - 1
    shifted = (whole + part.ljust(digits, "0")[:digits], part[digits:].rstrip("0"))
    return (shifted[0].lstrip("0") or "0") + (f".{shifted[1]}" if shifted[1] else "")


def _spelled(found: regex.Match[str]) -> str:
    total, current = 0, 0
    for word in regex.split(r"[- ]", found[0].replace(" and ", " ")):
        if word in SCALES:
            current = (current or 1) * SCALES[word]
            total, current = (total, current) if word == "hundred" else (total + current, 0)
        else:
            current += NUMBER_WORDS[word]
    return str(total + current)


def _as_written(found: regex.Match[str]) -> str:
    return found[0]


_RULES: tuple[tuple[str, _Rule], ...] = (
    (rf"{_EDGE}{_YEAR}-(?P<month>0[1-9]|1[0-2])-{_DAY}(?![\d-])", _date),
    (rf"{_EDGE}{_DAY}(?: of)? {_MONTH},?(?: {_YEAR})?\b", _date),
    (rf"\b{_MONTH} {_DAY}(?!\d)(?:,? {_YEAR}\b)?", _date),
    (rf"\b{_MONTH},? {_YEAR}\b", _date),
    (rf"{_EDGE}(?P<hour>[01]?\d|2[0-4]):(?P<minute>[0-5]\d)(?::\d\d)?(?: ?(?P<half>[ap])\.?m\b\.?)?", _time),
    (rf"{_EDGE}(?P<hour>0?[1-9]|1[0-2])(?P<minute>(?!))? ?(?P<half>[ap])\.?m\b\.?", _time),
    (
        rf"(?<![{_W}.])(?:\+?\d{{1,4}}(?:[-.]\d{{2,5}}){{2,}}|\d++(?:\.\d++){{2,}}|\d++(?:/\d++)+)(?![{_W}.]\d)",
        _as_written,
    ),
    (rf"{_SIGN}{_EDGE}(?P<number>{_PLAIN}) ?(?:%|percent\b|per cent\b|pct\b)", _percent),
    (_AMOUNT, _amount),
    (rf"\b(?:{_NUMBER_WORD})(?:[- ](?:and )?(?:{_NUMBER_WORD}))*\b", _spelled),
    (rf"(?<![{_W}])[\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}_]*+\d[{_W}]*+(?:[.,:/-][{_W}]++)*+", _as_written),
)
_TOKEN = regex.compile("|".join(f"(?P<rule{place}>{pattern})" for place, (pattern, _) in enumerate(_RULES)))


def _any(phrases: Sequence[str]) -> str:
    return "|".join(regex.escape(phrase) for phrase in sorted(phrases, key=len, reverse=True))


_NEGATION = regex.compile(rf"\b(?:(?P<clipped>\w+n't|cannot)|{_any(NEGATIONS)}|non(?=-))\b")
_STATUS = regex.compile(rf"\b(?:{_any((*LAPSED, *UNSETTLED))})\b")
_QUALIFIER = regex.compile(rf"\b(?:{_any((*LAPSED, *UNSETTLED, *TIMED, *LIMITED))})\b")


def numbers(text: str) -> Counter[str]:
    """Numbers, percentages, amounts, dates, times, versions and other tokens that hold digits, by value."""
    return Counter(reading.value for reading in readings(_unmarked(text)))


def readings(folded: str) -> Iterator[Reading]:
    """What `numbers` counts, in folded text, with its place."""
    for found in _TOKEN.finditer(folded):
        rule = next(rule for place, (_, rule) in enumerate(_RULES) if found[f"rule{place}"] is not None)
        yield Reading(rule(found), found.start(), found.end())


def polarity(text: str) -> Counter[str]:
    """Negations; contracted and compound ones count as `not`."""
    return Counter("not" if found["clipped"] else found[0] for found in _NEGATION.finditer(_unmarked(text)))


def qualifiers(text: str) -> Counter[str]:
    """Words that say when, whether or for whom a sentence holds."""
    return Counter(found[0] for found in _QUALIFIER.finditer(_unmarked(text)))


def statuses(text: str) -> Counter[str]:
    """The qualifiers that say by themselves that a rule does not hold, or not yet: draft, no longer, former …"""
    return Counter(found[0] for found in _STATUS.finditer(_unmarked(text)))


def _unmarked(text: str) -> str:
    return fold(text).replace(STRUCK, "")
