"""Markdown to parts: one pass over the parser's block tokens, which know their lines.

A block is its content in place, without the marker before its first line. An item is its own paragraphs together; what
is nested in it stands apart and carries, as its lead, the paragraph before the list and the words of each parent item.
A paragraph that ends with a colon leads what comes directly after it. The parser drops what is nested too deep, so
every line that no token took and that says something becomes a body part: nothing is lost. Left out on purpose are
comments, front matter, definitions, delimiter rows, rules, bare markers and the info string of a fence.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from markdown_it.token import Token

from core.ingest.comments import comments, outside, without_comments
from core.ingest.front_matter import front_matter
from core.ingest.inline import inline
from core.ingest.lines import Content, Lines
from core.ingest.parser import parse_blocks
from core.ingest.parts import Found, Part, assemble
from core.model.documents import Document
from core.model.spans import Kind
from core.text.fold import plain

_CONTEXT = 1000
"""Characters of a title, header or lead that a block carries: a page-long one must not be copied to every row."""

_TAKE_LINES = frozenset(
    ("heading_open", "paragraph_open", "fence", "code_block", "html_block", "table_open", "hr", "definition")
)
_OWN_WORDS = frozenset(("paragraph_open", "paragraph_close", "heading_open", "heading_close", "inline"))
_BARE_MARKERS = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])(?=\s|\Z)[\s>]*)*")


def read_markdown(text: str, *, media_type: str, file_name: str) -> Document:
    matter = front_matter(text)
    found = _Walk(text, matter.length).found
    return assemble(text, found, media_type=media_type, file_name=file_name, properties=matter.properties)


def _shown(words: str) -> str:
    return plain(without_comments(words)[: 2 * _CONTEXT])[:_CONTEXT]


@dataclass(slots=True)
class _Frame:
    """A list, item or quote that is open. `words`: what was said in it directly before, or by an item so far."""

    lead: tuple[str, ...] = ()
    item: bool = False
    words: str = ""

    def say(self, content: str) -> None:
        if not self.item:
            self.words = content
        elif len(self.words) < _CONTEXT:
            self.words += "\n\n" + content

    def context(self, *, before_list: bool = False) -> tuple[str, ...]:
        """What a block that comes now is to be read with."""
        if self.item or before_list or self.words.rstrip().endswith((":", "：")):
            words = _shown(self.words)
            return (*self.lead, words) if words else self.lead
        return self.lead


class _Walk:
    def __init__(self, text: str, offset: int) -> None:
        self.found = Found()
        self._text = text
        self._lines = Lines(text, offset)
        self._env: dict[str, Any] = {}
        self._tokens = parse_blocks(text[offset:], self._env)
        self._taken = bytearray(len(self._lines.texts))
        self._frames = [_Frame()]
        self._goes_on = False
        self._row_lead: tuple[str, ...] = ()
        self._row_header = ""
        self._run()

    def _run(self) -> None:
        for i, token in enumerate(self._tokens):
            if token.type in _TAKE_LINES and token.map:
                self._taken[token.map[0] : token.map[1]] = b"\1" * (token.map[1] - token.map[0])
            if token.type not in _OWN_WORDS:
                self._goes_on = False
            if handler := _HANDLERS.get(token.type):
                handler(self, i)
        self._rescue()

    @property
    def _frame(self) -> _Frame:
        return self._frames[-1]

    def heading(self, i: int) -> None:
        """Opens a section; inside a list or quote it is no part of the outline, and reads as a paragraph."""
        token, content = self._tokens[i], self._tokens[i + 1]
        if token.level:
            self.paragraph(i)
        elif content.content:
            place, title = self._inline(content), _shown(content.content) or content.content[:_CONTEXT]
            part = Part(Kind.HEADING, place.start, place.end, title=title, level=int(token.tag[1:]))
            self.found.parts.append(part)
            self._interrupt()

    def paragraph(self, i: int) -> None:
        token, frame = self._tokens[i + 1], self._frame
        if not token.content:
            return
        place = self._inline(token)
        if frame.item and self._goes_on:
            self.found.parts[-1] = replace(self.found.parts[-1], end=place.end)
        else:
            self._add(Kind.PARAGRAPH, place)
        frame.say(token.content)
        self._goes_on = True

    def fence(self, i: int) -> None:
        token = self._tokens[i]
        first, end = self._map(token)
        size = token.content.removesuffix("\n").count("\n") + 1
        self._verbatim(Kind.CODE, token, first + 1, min(end, first + 1 + size))

    def code(self, i: int) -> None:
        self._verbatim(Kind.CODE, self._tokens[i], *self._map(self._tokens[i]))

    def html(self, i: int) -> None:
        token = self._tokens[i]
        place = self._lines.find(token.content, *self._map(token))
        hidden = list(comments(self._text, place.start, place.end))
        self.found.hidden += hidden
        if any(self._text[start:end].strip() for start, end in outside(hidden, place.start, place.end)):
            self._add(Kind.BODY, place)
            self._interrupt()

    def table(self, _: int) -> None:
        self._row_lead = self._frame.context()
        self._interrupt()

    def row(self, i: int) -> None:
        line, _ = self._map(self._tokens[i])
        start = self._row_start(line, self._tokens[i + 2].content)
        row = self._lines.texts[line][start - self._lines.starts[line] :].rstrip()
        heads = self._tokens[i - 1].type == "thead_open"
        self._note(row, start.__add__)
        header = "" if heads else self._row_header
        self.found.parts.append(Part(Kind.CELL, start, start + len(row), self._row_lead, header))
        if heads:
            self._row_header = _shown(row)

    def _row_start(self, line: int, first_cell: str) -> int:
        """After the markers of the list or quote around a table: at its first pipe, or at the cell before that."""
        head = self._lines.texts[line].partition("|")[0]
        words = first_cell.partition("|")[0].strip()
        at = head.rfind(words) if words else -1
        return self._lines.starts[line] + (at if at >= 0 else len(head))

    def rule(self, _: int) -> None:
        self._interrupt()

    def open_list(self, _: int) -> None:
        lead = self._frame.context(before_list=True)
        self._interrupt()
        self._frames.append(_Frame(lead))

    def open_item(self, _: int) -> None:
        self._frames.append(_Frame(self._frame.lead, item=True))

    def open_quote(self, _: int) -> None:
        lead = self._frame.context()
        self._interrupt()
        self._frames.append(_Frame(lead))

    def close(self, _: int) -> None:
        self._frames.pop()

    def _map(self, token: Token) -> tuple[int, int]:
        assert token.map is not None, "block tokens know their lines"
        return token.map[0], token.map[1]

    def _interrupt(self) -> None:
        """What was said directly before is so no longer; an item's own words keep leading the rest of it."""
        if not self._frame.item:
            self._frame.words = ""

    def _add(self, kind: Kind, place: Content) -> None:
        self.found.parts.append(Part(kind, place.start, place.end, self._frame.context()))

    def _verbatim(self, kind: Kind, token: Token, first: int, last: int) -> None:
        if token.content.strip():
            self._add(kind, self._lines.find(token.content, first, last))
            self._interrupt()

    def _inline(self, token: Token) -> Content:
        place = self._lines.find(token.content, *self._map(token))
        self._note(token.content, self._lines.locator(token.content, place))
        return place

    def _note(self, content: str, locate: Callable[[int], int]) -> None:
        seen = inline(content, self._env)
        self.found.links += [(locate(at), target) for at, target in seen.links]
        self.found.hidden += [(locate(start), locate(end)) for start, end in seen.comments]

    def _rescue(self) -> None:
        for first, last in self._left():
            start, end = self._lines.starts[first], self._lines.starts[last] - 1
            self._note(self._text[start:end], start.__add__)
            self.found.parts.append(Part(Kind.BODY, start, end))

    def _left(self) -> Iterator[tuple[int, int]]:
        """Runs of lines that no token took and that hold more than markers."""

        def lost(i: int) -> bool:
            return not self._taken[i] and not _BARE_MARKERS.fullmatch(self._lines.texts[i])

        for says, run in groupby(range(len(self._taken)), lost):
            if says:
                lines = list(run)
                yield lines[0], lines[-1] + 1


_HANDLERS: dict[str, Callable[[_Walk, int], None]] = {
    "heading_open": _Walk.heading,
    "paragraph_open": _Walk.paragraph,
    "fence": _Walk.fence,
    "code_block": _Walk.code,
    "html_block": _Walk.html,
    "table_open": _Walk.table,
    "tr_open": _Walk.row,
    "hr": _Walk.rule,
    "bullet_list_open": _Walk.open_list,
    "ordered_list_open": _Walk.open_list,
    "list_item_open": _Walk.open_item,
    "blockquote_open": _Walk.open_quote,
    "bullet_list_close": _Walk.close,
    "ordered_list_close": _Walk.close,
    "list_item_close": _Walk.close,
    "blockquote_close": _Walk.close,
}
