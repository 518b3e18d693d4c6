"""What a page shows, block by block, set out as Markdown between the markers of the items and quotes it stands in."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import takewhile

_TICKS = re.compile(r"`+")
_CLOSING_HASHES = re.compile(r"(?:(?<=[ \t])|^)(?=#+$)")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""What YAML does not take as it stands."""
_LONGEST_TITLE = 1000


class Shape(Enum):
    WORDS = auto()
    HEADING = auto()
    CODE = auto()
    TABLE = auto()
    RULE = auto()


@dataclass(slots=True, eq=False)
class Frame:
    """An item or quote: what its first line begins with, and every other. `lists`: those that were opened in it."""

    first: str = ""
    rest: str = ""
    begun: bool = False
    lists: int = 0


@dataclass(frozen=True, slots=True)
class PageBlock:
    """`inline`: how it is said among other words, where that differs from its text."""

    shape: Shape
    text: str
    frames: tuple[Frame, ...]
    inline: str = ""


def heading(text: str, level: int) -> str:
    line = " ".join(text.split("\n"))
    return "#" * level + " " + _CLOSING_HASHES.sub(r"\\", line)


def code(text: str) -> str:
    """A fence that nothing inside can close."""
    fence = "`" * max([3, *(len(run) + 1 for run in _TICKS.findall(text))])
    return f"{fence}\n{text}\n{fence}"


def page(title: str, blocks: Iterable[PageBlock]) -> str:
    """The Markdown of a page; its title is front matter."""
    named = _UNPRINTABLE.sub("", " ".join(title.split()))[:_LONGEST_TITLE]
    matter = ["---", f"title: {json.dumps(named, ensure_ascii=False)}", "---", ""] if named else []
    return "".join(f"{line}\n" for line in (*matter, *_lines(blocks)))


def _lines(blocks: Iterable[PageBlock]) -> Iterator[str]:
    before: Sequence[Frame] | None = None
    for block in blocks:
        if before is not None:
            shared = takewhile(lambda pair: pair[0] is pair[1], zip(before, block.frames, strict=False))
            yield "".join(frame.rest for frame, _ in shared).rstrip()
        before = block.frames
        for line in block.text.split("\n"):
            yield "".join(map(_mark, block.frames)) + line if line else "".join(map(_mark, block.frames)).rstrip()


def _mark(frame: Frame) -> str:
    mark = frame.rest if frame.begun else frame.first
    frame.begun = True
    return mark
