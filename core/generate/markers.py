"""Citation markers as models write them: `[1]`, `[1, 2]`, `[1][2]`, `[1-3]`, `【1】`, `[Passage 1]`. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

_NUMBER = r"[0-9０-９]{1,6}"
_RANGE = rf"{_NUMBER}(?:\s?[-–—−]\s?{_NUMBER})?+"
_WORD = r"(?:(?:passages?|sources?|refs?\.?|nos?\.?|quellen?|[#^§])\s?)?+"
_MARKER = (
    rf"(?:\\?[\[［【〔]){{1,2}}\s?{_WORD}{_RANGE}(?:\s?(?:[,;、，；&]|and|und)\s?{_WORD}{_RANGE})*+"
    r"\s?(?:†[^\[\]【】\n]{0,80})?+(?:\\?[\]］】〕]){1,2}(?:\([^()\s]{1,500}\))?+"
)
_CLUSTER = rf"{_MARKER}(?:[ \t]*+(?:[,;、，]|and|und|&)?+[ \t]*+{_MARKER})*+"
_SPACE = r"[ \t\xa0\u3000]"
_FOUND = regex.compile(
    rf"(?<!{_SPACE}){_SPACE}*+"
    rf"(?:\((?:see|cf\.?|siehe)?[ \t]*+(?P<cited>{_CLUSTER})[ \t]*+\)|(?P<cited>{_CLUSTER}))",
    regex.IGNORECASE,
)
"""Looked for where spaces begin and not at each of them, for there may be very many and nothing behind them."""
_PARTS = regex.compile(rf"({_NUMBER})(?:\s?[-–—−]\s?({_NUMBER}))?+")
_ADDRESS = regex.compile(r"\([^()\s]*+\)|†[^\]】]*+")
_ENDS = tuple(".。")
ONLY_MARKERS = regex.compile(rf"[\s(]*+{_CLUSTER}[\s).]*+", regex.IGNORECASE)
"""A line of nothing else."""


@dataclass(frozen=True, slots=True)
class Marker:
    """`at`: where it stood in the text without markers. `cites`: the numbers it names. `leads`: it begins its line."""

    at: int
    cites: tuple[int, ...]
    leads: bool


def without_markers(text: str, highest: int) -> tuple[str, list[Marker]]:
    """The text without its markers, and these; a number that is none of 1 to `highest` is dropped."""
    kept: list[str] = []
    found: list[Marker] = []
    length = done = 0
    for match in _FOUND.finditer(text):
        kept.append(text[done : match.start()])
        length += match.start() - done
        ended = text[match.start() - 1 : match.start()] in _ENDS
        done = match.end() + (ended and text[match.end() : match.end() + 1] in _ENDS)
        leads = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        rest, _, _ = text[done:].partition("\n")
        found.append(Marker(length, tuple(_numbers(match["cited"], highest)), leads and bool(rest.strip(" .)"))))
    return "".join([*kept, text[done:]]), found


def _numbers(cluster: str, highest: int) -> Iterator[int]:
    for part in _PARTS.finditer(_ADDRESS.sub("", cluster)):
        first, last = int(part[1]), int(part[2] or part[1])
        named = range(max(first, 1), min(last, highest) + 1) if first <= last else (first, last)
        yield from (number for number in named if 1 <= number <= highest)
