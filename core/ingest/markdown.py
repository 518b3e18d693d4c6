"""Markdown to parts: one pass over the parser's block tokens, which know their lines.

A block is its content in place, without the marker before its first line. An item is its own paragraphs together; what
is nested in it stands apart and carries, as its lead, the paragraph before the list and the words of each parent item.
A paragraph that ends with a colon leads what comes directly after it. Left out on purpose, and nothing else, are front
matter, comments, definitions, delimiter rows, empty header rows, rules, markers and the info string of a fence. A
comment that opens in a block of HTML may run on over later blocks; what it covers is hidden, and lends no words to a
title or a lead.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from markdown_it.token import Token

from core.ingest.comments import CLOSING, Range, comments, merged, outside
from core.ingest.front_matter import front_matter
from core.ingest.inline import inline
from core.ingest.leads import Frame, shown
from core.ingest.lines import Content, Lines
from core.ingest.parser import parse_blocks
from core.ingest.parts import Found, Part, assemble
from core.model.documents import Document
from core.model.spans import Kind
from core.text.rows import header

_OWN_WORDS = frozenset(("paragraph_open", "paragraph_close", "heading_open", "heading_close", "inline"))


def read_markdown(text: str, *, media_type: str, file_name: str) -> Document:
    matter = front_matter(text)
    found = _Walk(text, matter.length).found
    return assemble(text, found, media_type=media_type, file_name=file_name, properties=matter.properties)


class _Walk:
    def __init__(self, text: str, offset: int) -> None:
        self.found = Found()
        self._text = text
        self._lines = Lines(text, offset)
        self._env: dict[str, Any] = {}
        self._tokens = parse_blocks(text[offset:], self._env)
        self._frames = [Frame()]
        self._goes_on = False
        self._running: Range = (0, 0)
        self._last_closed = text.rfind(CLOSING) + len(CLOSING)
        self._row_lead: tuple[str, ...] = ()
        self._row_header = ""
        self._run()

    def _run(self) -> None:
        for i, token in enumerate(self._tokens):
            if token.type not in _OWN_WORDS:
                self._goes_on = False
            if handler := _HANDLERS.get(token.type):
                handler(self, i)

    @property
    def _frame(self) -> Frame:
        return self._frames[-1]

    def heading(self, i: int) -> None:
        """Opens a section; inside a list or quote it is no part of the outline, and reads as a paragraph."""
        token = self._tokens[i]
        if token.level:
            self.paragraph(i)
        elif self._tokens[i + 1].content.strip():
            place, words = self._inline(self._tokens[i + 1])
            title, level = shown(words) or words.strip(), int(token.tag[1:])
            self.found.parts.append(Part(Kind.HEADING, place.start, place.end, title=title, level=level))
            self._frame.interrupt()

    def paragraph(self, i: int) -> None:
        if not self._tokens[i + 1].content.strip():
            return
        place, words = self._inline(self._tokens[i + 1])
        if self._frame.item and self._goes_on:
            self.found.parts[-1] = replace(self.found.parts[-1], end=place.end)
        else:
            self._add(Kind.PARAGRAPH, place)
        if words.strip():
            self._frame.say(words)
        self._goes_on = True

    def fence(self, i: int) -> None:
        content = self._tokens[i].content
        first, end = _map(self._tokens[i])
        size = content.removesuffix("\n").count("\n") + 1
        self._verbatim(Kind.CODE, content, first + 1, min(end, first + 1 + size))

    def code(self, i: int) -> None:
        self._verbatim(Kind.CODE, self._tokens[i].content, *_map(self._tokens[i]))

    def html(self, i: int) -> None:
        place = self._lines.find(self._tokens[i].content, *_map(self._tokens[i]))
        hidden = list(self._comments(place))
        self.found.hidden += hidden
        if "".join(self._outside([self._running, *hidden], place.start, place.end)).strip():
            self._add(Kind.BODY, place)
            self._frame.interrupt()
        self._running = max([self._running, *hidden])

    def _comments(self, place: Content) -> Iterator[Range]:
        start = max(place.start, self._running[1])
        return comments(self._text, start, min(place.end, self._last_closed))

    def table(self, _: int) -> None:
        self._row_lead = self._frame.context()
        self._frame.interrupt()

    def row(self, i: int) -> None:
        line, _ = _map(self._tokens[i])
        start = self._row_start(line, self._tokens[i + 2].content)
        row = self._lines.texts[line][start - self._lines.starts[line] :].rstrip()
        words = self._note(row, start.__add__, start, start + len(row))
        heads = self._tokens[i - 1].type == "thead_open"
        above = "" if heads else self._row_header
        if heads:
            self._row_header = header(words)
        if not heads or self._row_header:
            self.found.parts.append(Part(Kind.CELL, start, start + len(row), self._row_lead, above))

    def _row_start(self, line: int, first_cell: str) -> int:
        """After the markers of the list or quote around a table: at its first pipe, or at the cell before that."""
        head = self._lines.texts[line].partition("|")[0]
        words = first_cell.partition("|")[0].strip()
        at = head.rfind(words) if words else -1
        return self._lines.starts[line] + (at if at >= 0 else len(head))

    def rule(self, _: int) -> None:
        self._frame.interrupt()

    def open_list(self, _: int) -> None:
        self._open(self._frame.context(before_list=True))

    def open_quote(self, _: int) -> None:
        self._open(self._frame.context())

    def _open(self, lead: tuple[str, ...]) -> None:
        self._frame.interrupt()
        self._frames.append(Frame(lead))

    def open_item(self, _: int) -> None:
        self._frames.append(Frame(self._frame.lead, item=True))

    def close(self, _: int) -> None:
        self._frames.pop()

    def _add(self, kind: Kind, place: Content) -> None:
        self.found.parts.append(Part(kind, place.start, place.end, self._frame.context()))

    def _verbatim(self, kind: Kind, content: str, first: int, last: int) -> None:
        if content.strip():
            self._add(kind, self._lines.find(content, first, last))
            self._frame.interrupt()

    def _inline(self, token: Token) -> tuple[Content, str]:
        """Where a token's content stands, and what of it is seen."""
        content = token.content.strip()
        place = self._lines.find(content, *_map(token))
        return place, self._note(content, self._lines.locator(content, place), place.start, place.end)

    def _note(self, content: str, locate: Callable[[int], int], start: int, end: int) -> str:
        """Note links and comments of `content`, which stands at [start, end). What of that is seen."""
        inside = inline(content, self._env)
        hidden = [(locate(opened), locate(closed)) for opened, closed in inside.comments]
        self.found.links += [(locate(at), target) for at, target in inside.links]
        self.found.hidden += hidden
        return "".join(self._outside([self._running, *hidden], start, end))

    def _outside(self, hidden: list[Range], start: int, end: int) -> Iterator[str]:
        return (self._text[first:last] for first, last in outside(merged(hidden), start, end))


def _map(token: Token) -> tuple[int, int]:
    assert token.map is not None, "tokens of blocks know their lines"
    return token.map[0], token.map[1]


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
