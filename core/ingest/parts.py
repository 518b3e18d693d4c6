"""From the parts a reader found to a document: comments cut out, sections opened, long parts split, places in bytes."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.ingest.comments import Range, merged, outside
from core.ingest.sections import Outline
from core.ingest.splitting import split
from core.model.documents import Block, Document, Link
from core.model.spans import Kind

_SHOWS = re.compile(r"[^\s>|]")
"""What a cut must leave to be worth keeping: more than the marker of a quote or a cell."""


@dataclass(frozen=True, slots=True)
class Part:
    """A block as a reader finds it, at characters [start, end). `level` and `title` are a heading's.

    One with a `row` is short enough to stay whole.
    """

    kind: Kind
    start: int
    end: int
    lead: tuple[str, ...] = ()
    header: str = ""
    title: str = ""
    level: int = 0
    row: str = ""


@dataclass(slots=True)
class Found:
    """What a reader found: parts that do not overlap, ranges nobody sees, and links as (character, target)."""

    parts: list[Part] = field(default_factory=list)
    hidden: list[Range] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)


class _Bytes:
    """Byte offsets of characters that are asked for in ascending order."""

    def __init__(self, text: str) -> None:
        self._text, self._char, self._byte = text, 0, 0

    def at(self, char: int) -> int:
        self._byte += len(self._text[self._char : char].encode())
        self._char = char
        return self._byte


def assemble(
    text: str, found: Found, *, media_type: str, file_name: str, properties: Mapping[str, Any] | None = None
) -> Document:
    outline = Outline()
    places, blocks = _blocks(text, found, outline)
    given = (properties or {}).get("title")
    heading = next((block.path[-1] for block in blocks if block.kind is Kind.HEADING), "")
    return Document(
        text=text,
        media_type=media_type,
        title=(str(given).strip() if isinstance(given, str | int | float) else "") or heading or file_name,
        blocks=tuple(blocks),
        sections=outline.sections,
        links=tuple(_links(found.links, places)),
        properties=properties or {},
    )


def _blocks(text: str, found: Found, outline: Outline) -> tuple[list[Range], list[Block]]:
    """The blocks, and where each stands in characters."""
    byte, hidden = _Bytes(text), merged(found.hidden)
    places: list[Range] = []
    blocks: list[Block] = []
    for part in sorted(found.parts, key=lambda each: each.start):
        pieces = list(_pieces(text, part, hidden))
        if not pieces:
            continue
        section, path = outline.enter(part.level, part.title)
        for start, end in pieces:
            piece = text[start:end]
            place = (byte.at(start), byte.at(end))
            blocks.append(Block(part.kind, *place, piece, path, section, part.header, part.lead, part.row))
        places += pieces
    return places, blocks


def _pieces(text: str, part: Part, hidden: Sequence[Range]) -> Iterator[Range]:
    for start, end in outside(hidden, part.start, part.end):
        if (start, end) == (part.start, part.end) or _SHOWS.search(text, start, end):
            for first, last in split(text[start:end], part.kind):
                yield start + first, start + last


def _links(links: Sequence[tuple[int, str]], places: Sequence[Range]) -> Iterator[Link]:
    for at, target in sorted(links):
        block = bisect_right(places, at, key=lambda place: place[0]) - 1
        if block >= 0 and at < places[block][1]:
            yield Link(target, block)
