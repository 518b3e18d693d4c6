"""Cutting a block that is too long to be one piece of evidence.

Cuts fall after sentences, or after lines where the block is code. A sentence that is too long by itself is cut at white
space, and without any at grapheme boundaries; of the places near the limit the one farthest from any digit is taken,
so that "the limit is 15" or "1 000 000" is not cut in two. Every window is looked at once: time is linear.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

import regex

from core.ingest.comments import Range
from core.model.spans import Kind
from core.text.sentences import sentences

MAX_TOKENS = 1200
_ASCII, _OTHER = 5, 18
"""What a character costs: 3.6 ASCII characters or one other make a token of 18."""
_LIMIT = MAX_TOKENS * _OTHER
_WINDOW = _LIMIT // _ASCII
_CLEAR = 40
"""Characters between a cut and the nearest digit that are enough."""

_SPACE = regex.compile(r"\s++(?![\p{M}\u200d])")
_GRAPHEME = regex.compile(r"\X")
_DIGIT = regex.compile(r"[\p{Nd}\p{Nl}\p{No}]")


def split(text: str, kind: Kind) -> Iterator[Range]:
    """Ranges of `text` without the white space around them, none over MAX_TOKENS; one range if it is not too long."""
    units = [(0, len(text))]
    if not fits(text):
        units = list(_packed(text, _line_starts(text) if kind is Kind.CODE else _sentence_starts(text)))
    for start, end in units:
        piece = text[start:end]
        first = start + len(piece) - len(piece.lstrip())
        last = start + len(piece.rstrip())
        if first < last:
            yield first, last


def fits(text: str) -> bool:
    """Whether `split` leaves the text whole."""
    return _cost(text) <= _LIMIT


def _cost(text: str) -> int:
    ascii_bytes = len(text.encode("ascii", "ignore"))
    return ascii_bytes * _ASCII + (len(text) - ascii_bytes) * _OTHER


def _line_starts(text: str) -> list[int]:
    return [i + 1 for i, char in enumerate(text) if char == "\n"]


def _sentence_starts(text: str) -> list[int]:
    return [start for start, _ in sentences(text)][1:]


def _packed(text: str, starts: Sequence[int]) -> Iterator[Range]:
    """As many units as fit, each time; a unit that does not fit by itself in windows."""
    first, total = 0, 0
    for start, end in zip([0, *starts], [*starts, len(text)], strict=True):
        cost = _cost(text[start:end])
        if total + cost > _LIMIT:
            yield first, start
            first, total = start, 0
        if cost > _LIMIT:
            yield from _windows(text, start, end)
            first = end
        else:
            total += cost
    yield first, len(text)


def _windows(text: str, start: int, end: int) -> Iterator[Range]:
    while (reach := _reach(text, start, end)) < end:
        cut = _cut(text, start, reach)
        yield start, cut
        start = cut
    yield start, end


def _reach(text: str, start: int, end: int) -> int:
    """How far a piece that begins at `start` may go."""
    window = text[start : min(end, start + _WINDOW)]
    if window.isascii():
        return start + len(window)
    costs = list(accumulate(_ASCII if char.isascii() else _OTHER for char in window))
    return start + bisect_right(costs, _LIMIT)


def _cut(text: str, start: int, reach: int) -> int:
    late = start + (reach - start) * 2 // 3
    places = (
        list(_spaces(text, late, reach))
        or list(_spaces(text, start, late))
        or [place for place in _graphemes(text, start, reach) if place >= late]
    )
    digits = [found.start() for found in _DIGIT.finditer(text, start, reach + _CLEAR)]
    return max(places, key=lambda place: (*_distances(digits, place), place), default=reach)


def _spaces(text: str, start: int, end: int) -> Iterator[int]:
    return (found.end() for found in _SPACE.finditer(text, start, end) if found.end() < end)


def _graphemes(text: str, start: int, reach: int) -> Iterator[int]:
    """Boundaries between graphemes. None before a space: the space would be trimmed, and may carry a mark."""
    for found in _GRAPHEME.finditer(text, start, reach):
        if found.end() < reach and not text[found.end()].isspace():
            yield found.end()


def _distances(digits: Sequence[int], place: int) -> tuple[int, int]:
    """Characters between `place` and the digits on its two sides, the nearer first, as far as they matter."""
    i = bisect_left(digits, place)
    before = place - 1 - digits[i - 1] if i else _CLEAR
    after = digits[i] - place if i < len(digits) else _CLEAR
    near, far = sorted((min(before, _CLEAR), min(after, _CLEAR)))
    return near, far
