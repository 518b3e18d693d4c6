"""A document as it was read: its canonical text, cut into blocks that keep their place and their context."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.model.spans import Kind


@dataclass(frozen=True, slots=True)
class Block:
    """One citable piece. `start` and `end` are UTF-8 byte offsets; `text` is exactly those bytes of the canonical text.

    `path`: plain titles of the enclosing headings, outermost first; a heading block's own title is its last.
    `section`: index into `Document.sections`. `header`: a table row's header row, plain. `lead`: what introduces the
    block, plain, outermost first: the paragraph before its list, or one that ends in a colon, then the own words of
    each parent item. `row`: a table row that is not written between pipes, as it would be.
    """

    kind: Kind
    start: int
    end: int
    text: str
    path: tuple[str, ...]
    section: int
    header: str = ""
    lead: tuple[str, ...] = ()
    row: str = ""

    @property
    def markup(self) -> str:
        """What the block says, as core.text reads it."""
        return self.row or self.text


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks under it up to the next heading; section 0 (path `()`) is what stands before the first.

    `repeat` counts earlier sections of the same document with an equal path.
    """

    path: tuple[str, ...]
    repeat: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link's target as written, and the block that holds it."""

    target: str
    block: int


@dataclass(frozen=True, slots=True)
class Document:
    """`text` is canonical: LF newlines, no BOM, no NUL, nothing else touched, and `media_type` says how to read it.

    A page of HTML is the Markdown that says what it shows. Blocks are in order and never overlap.
    """

    text: str
    media_type: str
    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    links: tuple[Link, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
