"""What a model writes, taken apart: paragraphs, list items, table rows and code; its thoughts are no part of it. Pure.

Models are asked for a few plain sentences and write Markdown all the same. It is read line by line, so that no answer,
however odd, takes longer than it is long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import regex

from core.generate.markers import ONLY_MARKERS
from core.generate.thoughts import without_thoughts
from core.text.rows import header

_FENCE = regex.compile(r"\s{0,3}(?P<marks>`{3,}+|~{3,}+)(?P<kind>[^`]*)")
_HEADING = regex.compile(r"\s{0,3}(?:#{1,6}(?:\s|$)|(?:\*\*|__)[^*_]{1,200}(?:\*\*|__)\s*+$)")
_RULE = regex.compile(r"\s*+(?:[-*_=]\s*+){3,}$")
_DELIMITER = regex.compile(r"\s*+\|?(?:\s*+:?-++:?\s*+\|)*+(?:\s*+:?-++:?\s*+)?$")
_ITEM = regex.compile(r"\s*+(?:[-*+•–]|\d{1,3}[.)])\s++(?=\S)")
_QUOTED = regex.compile(r"(?:\s{0,3}>)++\s?")
_SOURCES = regex.compile(
    r"[\W_]*+(?:sources?|references?|citations?|quellen|fuentes|références)[\W_]*+$", regex.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Piece:
    """`header`: what the cells of a row stand under."""

    text: str
    kind: Literal["prose", "row", "code"] = "prose"
    header: str = ""


def pieces(answer: str) -> list[Piece]:
    """What a reader would see, in order, without headings, rules, and a list of sources at the end."""
    lines = _unfenced(without_thoughts(answer).strip().splitlines())
    return [piece for piece in _Scanner(lines).pieces() if piece.text.strip()]


def _unfenced(lines: Sequence[str]) -> Sequence[str]:
    """An answer that stands as a whole in one fence, as if it were code, is none."""
    fences = [place for place, line in enumerate(lines) if _FENCE.match(line)]
    return lines[1:-1] if len(lines) > 1 and fences == [0, len(lines) - 1] else lines


class _Scanner:
    """One pass over the lines; what is gathered is given when what follows shows that it is complete."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._gathered: list[str] = []

    def pieces(self) -> Iterator[Piece]:
        place = 0
        while place < len(self._lines) and not _SOURCES.fullmatch(self._lines[place]):
            line = self._lines[place]
            if fence := _FENCE.match(line):
                yield from self._given()
                end = self._fence_end(place, fence["marks"])
                yield Piece("\n".join(self._lines[place + 1 : end]), "code")
                place = end + 1
            elif self._heads_table(place):
                yield from self._given()
                end = self._table_end(place)
                yield from self._rows(place, end)
                place = end
            else:
                yield from self._prose(_QUOTED.sub("", line, count=1))
                place += 1
        yield from self._given()

    def _given(self) -> Iterator[Piece]:
        yield Piece("\n".join(self._gathered))
        self._gathered = []

    def _prose(self, line: str) -> Iterator[Piece]:
        """A line that begins something new completes what was before it; markers alone belong to what they follow."""
        if ONLY_MARKERS.fullmatch(line):
            self._gathered.append(line)
        elif not line.strip() or _HEADING.match(line) or _RULE.match(line):
            # A blank line completes nothing yet: the markers of what stands above it may still come.
            self._gathered.append("")
        elif (item := _ITEM.match(line)) or self._gathered[-1:] == [""]:
            yield from self._given()
            self._gathered.append(line[item.end() :] if item else line)
        else:
            self._gathered.append(line)

    def _fence_end(self, place: int, marks: str) -> int:
        later = range(place + 1, len(self._lines))
        return next((end for end in later if self._lines[end].strip().startswith(marks)), len(self._lines))

    def _heads_table(self, place: int) -> bool:
        below = self._lines[place + 1 : place + 2]
        return "|" in self._lines[place] and bool(below) and "-" in below[0] and bool(_DELIMITER.match(below[0]))

    def _table_end(self, place: int) -> int:
        later = range(place + 2, len(self._lines))
        return next((end for end in later if "|" not in self._lines[end]), len(self._lines))

    def _rows(self, place: int, end: int) -> Iterator[Piece]:
        titles = header(self._lines[place])
        for row in self._lines[place + 2 : end]:
            yield Piece(row, "row", titles)
