"""HTML to the Markdown that says what a browser shows; read_markdown does the rest.

So headings, items, rows, links and their context follow one set of rules, and a stored version can be read again from
its text alone. Never text is what no browser shows: script, style, template, noscript, comments, `hidden`, `display:
none`. The title becomes front matter; words outside any block are a paragraph, as a browser lays them out. Items and
quotes nested deeper than `_DEEPEST` go on in the innermost.

The parser hands out elements as events, so nothing recurses. It looks through all open elements for each end tag;
those deeper than `_DEEPEST_ELEMENT` are closed between two chunks, which keeps hostile pages linear and loses no words.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from lxml import etree

from core.ingest.html_blocks import Frame, PageBlock, Shape, code, heading, page
from core.ingest.html_tables import Cell, Table
from core.ingest.html_tags import BLOCKS, Attributes, is_bold, is_struck, is_unseen, styles
from core.ingest.html_words import Style, Words, target
from core.text.literal import literal

_CHUNK, _DEEPEST_ELEMENT = 4096, 512
_DEEPEST = 12

_PLAIN = Style()
_APART = ("button", "select", "textarea", "text", "tspan", "mn")
"""Words that a browser sets apart without a block, among them those of drawings and the numbers of formulas."""


class _Mode(Enum):
    WORDS = auto()
    VERBATIM = auto()
    TITLE = auto()
    UNSEEN = auto()


@dataclass(slots=True)
class _Items:
    """A list. `term`: where its last `dt` stands, under which the `dd` go."""

    frames: tuple[Frame, ...]
    mark: str = "-"
    ordered: bool = False
    count: int = 0
    term: tuple[Frame, ...] = ()

    def next_mark(self) -> str:
        self.count += 1
        return f"{self.count}{self.mark} " if self.ordered else f"{self.mark} "


@dataclass(frozen=True, slots=True)
class _State:
    """What an element means for all that is in it. `level`: of a heading; `cell`: the innermost one around it."""

    mode: _Mode = _Mode.WORDS
    frames: tuple[Frame, ...] = ()
    items: _Items | None = None
    style: Style = _PLAIN
    level: int = 0
    cell: Cell | None = None
    bold: bool = False


def page_markdown(text: str) -> str:
    return _read(text, _Page())


def _read(text: str, found: "_Page") -> str:
    parser = etree.HTMLParser(target=found, encoding="utf-8", huge_tree=True)
    at = 0
    while at < len(text):
        end = text.find(">", at + _CHUNK) + 1 or len(text)
        parser.feed(text[at:end].encode())
        parser.feed(found.end_tags(_DEEPEST_ELEMENT).encode())
        at = end
    parser.feed(b" ")
    return str(parser.close())


class _Page:
    """The parser's target: told of each element as it begins and ends, always in pairs."""

    def __init__(self) -> None:
        self._opened: list[tuple[str, _State]] = []
        self._state = _State()
        self._title: list[str] = []
        self._words = Words()
        self._verbatim: list[str] = []
        self._blocks: list[PageBlock] = []
        self._sinks = [self._blocks]
        self._tables: list[Table] = []
        self._links = 0
        self._root = Frame()

    def end_tags(self, deepest: int) -> str:
        """What closes the inner half of more open elements than that."""
        surplus = self._opened[deepest // 2 :] if len(self._opened) > deepest else []
        return "".join(f"</{tag}>" for tag, _ in reversed(surplus))

    def start(self, tag: str, attributes: Attributes) -> None:
        self._opened.append((tag, self._state))
        if self._state.mode is _Mode.UNSEEN:
            return
        declared = styles(attributes)
        if is_unseen(tag, attributes, declared):
            self._state = replace(self._state, mode=_Mode.UNSEEN)
            return
        if tag in BLOCKS:
            self._flush()
        if opening := _OPENING.get(tag):
            opening(self, tag, attributes)
        if is_struck(declared):
            self.strike(tag, attributes)
        if (bold := is_bold(declared)) is not None:
            self._state = replace(self._state, bold=bold)

    def end(self, tag: str) -> None:
        before = self._opened.pop()[1]
        if self._state.mode is not _Mode.UNSEEN:
            if tag in BLOCKS:
                self._flush()
            if self._state.mode is _Mode.VERBATIM and before.mode is not _Mode.VERBATIM:
                self._end_verbatim()
            if closing := _CLOSING.get(tag):
                closing(self, tag)
        self._state = before

    def data(self, text: str) -> None:
        match self._state.mode:
            case _Mode.WORDS:
                self._words.add(text, self._state.style)
                if self._state.cell and not self._state.bold and text.strip():
                    self._state.cell.plain = True
            case _Mode.VERBATIM:
                self._verbatim.append(text.replace("\r", "\n"))
            case _Mode.TITLE:
                self._title.append(text)

    def close(self) -> str:
        self._flush()
        return page("".join(self._title), self._blocks)

    def _flush(self) -> None:
        """A block begins or ends here."""
        if self._state.mode is _Mode.VERBATIM:
            if self._verbatim and not self._verbatim[-1].endswith("\n"):
                self._verbatim.append("\n")
            return
        level = 0 if self._state.frames else self._state.level
        for text in self._words.paragraphs():
            if level:
                self._say(Shape.HEADING, heading(text, level))
            else:
                self._say(Shape.WORDS, text)

    def _say(self, shape: Shape, text: str, inline: str = "") -> None:
        self._sinks[-1].append(PageBlock(shape, text, self._state.frames, inline))

    # ── lists and quotes ──

    def items(self, tag: str, _: Attributes) -> None:
        """Two lists side by side have different marks, or Markdown would take them for one."""
        frames = self._state.frames
        owner = frames[-1] if frames else self._root
        owner.lists += 1
        ordered = tag == "ol"
        mark = (".)" if ordered else "-*")[owner.lists % 2]
        self._state = replace(self._state, items=_Items(frames, mark, ordered))

    def item(self, tag: str, _: Attributes) -> None:
        items = self._state.items or _Items(self._state.frames)
        mark = "- " if tag == "dd" and items.term else items.next_mark()
        self._frame(items.term if tag == "dd" and items.term else items.frames, mark, " " * len(mark))
        if tag == "dt":
            items.term = self._state.frames

    def quote(self, *_: object) -> None:
        self._frame(self._state.frames, "> ", "> ")
        self._state = replace(self._state, items=None)

    def _frame(self, frames: tuple[Frame, ...], first: str, rest: str) -> None:
        self._state = replace(self._state, frames=(*frames[: _DEEPEST - 1], Frame(first, rest)))

    # ── tables ──

    def table(self, _: str, attributes: Attributes) -> None:
        self._tables.append(Table(attributes.get("role") in {"presentation", "none"}))
        self._state = replace(self._state, bold=False)

    def end_table(self, _: str) -> None:
        self._sinks[-1] += self._tables.pop().blocks(self._state.frames)

    def head(self, *_: object) -> None:
        self._in_head(True)

    def end_head(self, _: str) -> None:
        self._in_head(False)

    def _in_head(self, holds: bool) -> None:
        if self._tables:
            self._tables[-1].in_head = holds

    def row(self, *_: object) -> None:
        if self._tables:
            self._tables[-1].open_row()

    def cell(self, tag: str, attributes: Attributes) -> None:
        if self._tables:
            cell = self._tables[-1].open_cell(tag, attributes)
            self._sinks.append(cell.blocks)
            self._state = replace(self._state, items=None, level=0, cell=cell)

    def end_cell(self, _: str) -> None:
        if self._tables:
            self._sinks.pop()

    # ── the rest ──

    def title(self, *_: object) -> None:
        """The first title of the page; a drawing has titles of its own."""
        drawn = any(tag == "svg" for tag, _ in self._opened)
        self._state = replace(self._state, mode=_Mode.UNSEEN if drawn or self._title else _Mode.TITLE)

    def heading(self, tag: str, _: Attributes) -> None:
        self._state = replace(self._state, level=int(tag[1]))

    def verbatim(self, *_: object) -> None:
        self._state = replace(self._state, mode=_Mode.VERBATIM)

    def _end_verbatim(self) -> None:
        text = "".join(self._verbatim).strip("\n")
        self._verbatim = []
        if text.strip():
            self._say(Shape.CODE, code(text), literal(" ".join(text.split())))

    def link(self, _: str, attributes: Attributes) -> None:
        self._links += 1
        leads = target(attributes.get("href", ""))
        if leads:
            self._state = replace(self._state, style=replace(self._state.style, target=leads, link=self._links))

    def embolden(self, *_: object) -> None:
        self._state = replace(self._state, bold=True)

    def strike(self, *_: object) -> None:
        self._state = replace(self._state, style=replace(self._state.style, struck=True))

    def rule(self, *_: object) -> None:
        if not self._state.frames and self._state.mode is _Mode.WORDS:
            self._say(Shape.RULE, "***")

    def end_line(self, *_: object) -> None:
        if self._state.mode is _Mode.WORDS:
            self._words.end_line()
        else:
            self.data("\n")

    def picture(self, _: str, attributes: Attributes) -> None:
        self.data(f" {attributes.get('alt', '')} ")

    def apart(self, *_: object) -> None:
        self.data(" ")

    def quotation(self, *_: object) -> None:
        self.data('"')

    def raised(self, *_: object) -> None:
        self.data("^")

    def lowered(self, *_: object) -> None:
        self.data("_")


_OPENING: dict[str, Callable[[_Page, str, Attributes], None]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Page.heading),
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), _Page.items),
    **dict.fromkeys(("li", "dt", "dd"), _Page.item),
    **dict.fromkeys(("td", "th"), _Page.cell),
    **dict.fromkeys(("pre", "listing", "plaintext", "xmp"), _Page.verbatim),
    **dict.fromkeys(("del", "s", "strike"), _Page.strike),
    **dict.fromkeys(("b", "strong"), _Page.embolden),
    **dict.fromkeys(_APART, _Page.apart),
    "a": _Page.link,
    "blockquote": _Page.quote,
    "br": _Page.end_line,
    "hr": _Page.rule,
    "img": _Page.picture,
    "q": _Page.quotation,
    "sub": _Page.lowered,
    "sup": _Page.raised,
    "table": _Page.table,
    "thead": _Page.head,
    "title": _Page.title,
    "tr": _Page.row,
}
_CLOSING: dict[str, Callable[[_Page, str], None]] = {
    **dict.fromkeys(("td", "th"), _Page.end_cell),
    **dict.fromkeys(_APART, _Page.apart),
    "q": _Page.quotation,
    "table": _Page.end_table,
    "thead": _Page.end_head,
}
