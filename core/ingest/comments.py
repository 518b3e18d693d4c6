"""Ranges of a text that nobody sees when it is shown: HTML comments, and what is left between them."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

Range = tuple[int, int]

OPENING, CLOSING = "<!--", "-->"


def comments(text: str, start: int = 0, end: int | None = None) -> Iterator[Range]:
    """Comments that open in [start, end), in order. One that is never closed is no comment: its text stays text."""
    end = len(text) if end is None else end
    while (opened := text.find(OPENING, start, end)) >= 0:
        closed = text.find(CLOSING, opened + 2)
        if closed < 0:
            return
        start = closed + len(CLOSING)
        yield opened, start


def merged(ranges: Iterable[Range]) -> list[Range]:
    """The same cover, in order and without overlap."""
    result: list[Range] = []
    for start, end in sorted(ranges):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def outside(hidden: Sequence[Range], start: int, end: int) -> Iterator[Range]:
    """What of [start, end) no range of `hidden` covers; `hidden` is in order and does not overlap."""
    for i in range(bisect_right(hidden, start, key=lambda each: each[1]), len(hidden)):
        opened, closed = hidden[i]
        if opened >= end:
            break
        if opened > start:
            yield start, opened
        start = closed
    if start < end:
        yield start, end
