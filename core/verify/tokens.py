"""What of a text holds a quantity, with the words that touch it.

The tokens are those of `core.text.numbers`, and besides the names of months and weekdays that stand alone. Spelled
numbers are turned into digits before, `twenty-one` and `the third` too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import regex
from text_to_num import alpha2digit

from core.text.fold import STRUCK, fold
from core.text.numbers import Reading, readings
from core.text.vocabulary import MONTHS, SCALES
from core.verify.comparatives import REACH
from core.verify.notations import respelled, shares

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class Token:
    """By value and as written, with the folded text on both sides, and that up to the next token."""

    value: str
    written: str
    ahead: str
    behind: str
    gap: str


_ALSO_WORDS = ("march", "mar", "may")
_MONTH = "|".join(sorted(MONTHS.keys() - {*_ALSO_WORDS}, key=len, reverse=True))
_AHEAD_OF_MONTHS = "in|on|by|of|until|since|from|before|after|early|late|mid|each|every"
_CALENDAR = regex.compile(
    rf"\b(?:(?P<month>{_MONTH}|(?<=\b(?:{_AHEAD_OF_MONTHS})[ -])(?:{'|'.join(_ALSO_WORDS)}))"
    rf"|(?P<day>{'|'.join(WEEKDAYS)})s?)\b"
)
_REWRITTEN = (
    (regex.compile(r"(?<=[\p{L}\d]) (?=,)|(?<=\d) (?='s\b)|(?<=[$€£¥₹]) (?=\d)"), ""),
    (regex.compile(r"(?<=\d) out of (?=\d)"), "/"),
    (regex.compile(r"\b(?:an?|one) dozen\b"), "12"),
    (regex.compile(r"\bonce(?= (?:an?|per|each|every) )"), "1 time"),
    (regex.compile(r"\btwice\b"), "2 times"),
    (regex.compile(rf"(?<=\b(?:{'|'.join(MONTHS)})) of (?=[12]\d{{3}}\b)"), " "),
)
_WRITTEN = regex.compile(rf"(?<![\d.,])\d[\d.,]*+[ -]?(?:{'|'.join(sorted(SCALES, key=len, reverse=True))})\b")
_NOT_ONE = regex.compile(r"(?:no|each|any|every|which|the|this|that) $")


def tokens(folded: str) -> list[Token]:
    """Of a prepared text, in its order."""
    return [token for token in _tokens(folded) if not _is_pronoun(token)]


def prepared(text: str) -> str:
    """Folded, with spaces as they are in print and spelled numbers in digits."""
    folded = respelled(fold(text).replace(STRUCK, ""))
    for pattern, put in _REWRITTEN:
        folded = pattern.sub(put, folded)
    parts, at = [], 0
    # `5 million` is read as it is: the library would make `5 1000000` of it.
    for found in _WRITTEN.finditer(folded):
        parts += [alpha2digit(folded[at : found.start()], "en"), found[0]]
        at = found.end()
    return shares("".join([*parts, alpha2digit(folded[at:], "en")]))


def _tokens(folded: str) -> Iterator[Token]:
    found = _with_calendar(list(readings(folded)), folded)
    starts = [*(one.start for one in found), len(folded)][1:]
    for one, next_start in zip(found, starts, strict=True):
        ahead, behind = folded[max(0, one.start - REACH) : one.start], folded[one.end : one.end + REACH]
        yield Token(one.value, folded[one.start : one.end], ahead, behind, folded[one.end : next_start][:REACH])


def _with_calendar(found: list[Reading], folded: str) -> list[Reading]:
    ends = {one.start: one.end for one in found}
    names = [one for one in _calendar(folded) if one.start not in ends]
    reached, free = 0, []
    for one in sorted([*found, *names], key=lambda one: (one.start, -one.end)):
        if one.start >= reached:
            free.append(one)
            reached = one.end
    return free


def _calendar(folded: str) -> Iterator[Reading]:
    for found in _CALENDAR.finditer(folded):
        value = found["day"] or f"--{MONTHS[found['month']]:02}"
        yield Reading(value, found.start(), found.end())


def _is_pronoun(token: Token) -> bool:
    if token.written != "one":
        return False
    return bool(_NOT_ONE.search(token.ahead)) or token.behind.startswith((" of ", " another"))
