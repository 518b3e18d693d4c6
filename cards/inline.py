"""Inline text: a small immutable tree that says what a word is, never how a platform marks it up."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from cards.text import (
    FIRST_STRONG_ISOLATE,
    POP_ISOLATE,
    Measure,
    clean,
    ended,
    is_blank,
    isolate,
    one_line,
    safe_link,
    shown,
    truncate,
    utf16_length,
)

Inline: TypeAlias = "Plain | Bold | Code | Link | Date | Joined"
Words: TypeAlias = "tuple[Inline, ...]"
Leaf: TypeAlias = "Plain | Code | Link | Date | Piece"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST, _LATEST = -62_135_510_400_000_000, 253_402_214_400_000_000  # a day inside year 1 and year 9999
_SPACES = str.maketrans("\n\t", "  ")
DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Plain:
    text: str


@dataclass(frozen=True, slots=True)
class Code:
    text: str


@dataclass(frozen=True, slots=True)
class Link:
    """A label that leads to `url`, or only the label where the URL is not a safe one."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Date:
    """`ts` in microseconds UTC. A moment shows in the reader's zone; a day is the same day for everyone."""

    ts: int
    style: Literal["day", "moment"] = "moment"

    def at(self, zone: tzinfo = UTC) -> datetime:
        bounded = min(max(self.ts, _EARLIEST), _LATEST)
        return (_EPOCH + timedelta(microseconds=bounded)).astimezone(UTC if self.style == "day" else zone)

    def words(self, zone: tzinfo = UTC) -> str:
        moment = self.at(zone)
        day = f"{moment.day} {moment:%b} {moment.year}"
        return day if self.style == "day" else f"{day}, {moment:%H:%M}{' UTC' if zone is UTC else ''}"


@dataclass(frozen=True, slots=True)
class Bold:
    children: Words


@dataclass(frozen=True, slots=True)
class Joined:
    """One text in pieces: where it reads from right to left, it is isolated as a whole."""

    children: Words


@dataclass(frozen=True, slots=True)
class Piece:
    """A leaf that `leaves` makes of a joined text: clean, and isolated by its neighbours."""

    text: str


def when(ts: int) -> Date:
    """A time that falls on midnight UTC to the microsecond was written as a date, and no zone may move it."""
    return Date(ts, "day" if ts % DAY_US == 0 else "moment")


def zone_named(name: str) -> tzinfo:
    """The reader's zone; UTC, which the words then say, where the name is not known."""
    try:
        return UTC if name == "UTC" else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def leaves(words: Words, bold: bool = False) -> Iterator[tuple[Leaf, bool]]:
    """Every leaf that shows something, with whether it is bold; a link that is not safe comes out as plain text."""
    for part in words:
        if isinstance(part, Bold):
            yield from leaves(part.children, True)
        elif isinstance(part, Joined):
            yield from _pieces(list(leaves(part.children, bold)))
        elif isinstance(part, Link) and safe_link(part.url) is None:
            yield from leaves((Plain(part.label),), bold)
        elif isinstance(part, Date) or clean(visible(part)):
            yield part, bold


def _pieces(found: list[tuple[Leaf, bool]]) -> Iterator[tuple[Leaf, bool]]:
    whole = "".join(clean(leaf.text) for leaf, _ in found if isinstance(leaf, Plain))
    if isolate(whole) == whole or not all(isinstance(leaf, Plain) for leaf, _ in found):
        yield from found
        return
    last = len(found) - 1
    for index, (leaf, bold) in enumerate(found):
        opened = FIRST_STRONG_ISOLATE if index == 0 else ""
        closed = POP_ISOLATE if index == last else ""
        yield Piece(f"{opened}{clean(visible(leaf))}{closed}"), bold


def visible(leaf: Leaf) -> str:
    if isinstance(leaf, Date):
        return leaf.words()
    return leaf.label if isinstance(leaf, Link) else leaf.text


def spelled(leaf: Leaf, zone: tzinfo = UTC) -> str:
    """A leaf as plain text that stands safely in a sentence."""
    if isinstance(leaf, Piece):
        return leaf.text
    return leaf.words(zone) if isinstance(leaf, Date) else shown(visible(leaf))


def flat(words: Words, zone: tzinfo = UTC) -> str:
    return "".join(spelled(leaf, zone) for leaf, _ in leaves(words))


def line(words: Words, limit: int, measure: Measure = utf16_length) -> str:
    """`words` as one line of at most `limit`; each right-to-left part stays closed, wherever the cut falls."""
    parts: list[str] = []
    room = limit
    for leaf, _ in leaves(words):
        text = clean(visible(leaf)).translate(_SPACES)
        part = isolate(text)
        if measure(part) > room:
            closed = measure(part) - measure(text)
            parts.append(isolate(truncate(text, room - closed, measure)))
            break
        parts.append(part)
        room -= measure(part)
    return "".join(parts).strip()


def blank(words: Words) -> bool:
    return all(not isinstance(leaf, Date) and is_blank(visible(leaf)) for leaf, _ in leaves(words))


def cut(words: Words, limit: int, measure: Measure = utf16_length) -> Words:
    """The start of `words` whose text measures at most `limit`; the tree keeps its shape up to the cut."""
    return _cut(words, limit, measure)[0]


def _cut(words: Words, room: int, measure: Measure) -> tuple[Words, int]:
    kept: list[Inline] = []
    for part in words:
        if room <= 0:
            break
        smaller, room = _cut_one(part, room, measure)
        kept.append(smaller)
    return tuple(kept), room


def _cut_one(part: Inline, room: int, measure: Measure) -> tuple[Inline, int]:
    if isinstance(part, Bold | Joined):
        children, room = _cut(part.children, room, measure)
        return replace(part, children=children), room
    if isinstance(part, Date):
        return part, room - measure(part.words())
    text = clean(visible(part))
    short = truncate(text, room, measure)
    smaller = replace(part, label=short) if isinstance(part, Link) else replace(part, text=short)
    return smaller, (room - measure(short)) if short == text else 0


def say(text: str) -> Words:
    """Text as one plain run, or nothing where there is nothing to see."""
    shown = clean(text).strip()
    return () if is_blank(shown) else (Plain(shown),)


def sentence(words: Words) -> Words:
    """`words` with a full stop, unless they end in a mark of their own."""
    return words if blank(words) or ended(flat(words)) else (*words, Plain("."))


def spaced(parts: Iterable[Words], by: str = " ") -> Words:
    """The parts that are there, with one space between two."""
    return tuple(part for words in parts if words for part in (Plain(by), *words))[1:]


def name(text: str) -> Words:
    """A name somebody gave: bold, on one line."""
    return () if is_blank(text) else (Bold((Plain(one_line(text)),)),)
