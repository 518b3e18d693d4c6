"""What a reader sees of a text: its markup blanked out, every character in its place.

One pass from left to right looks only at the characters that can begin markup. Each handler blanks what it recognises
(NUL, which canonical text never holds) and says where to go on, so that offsets into the result are offsets into the
text. A handler never looks further than the next opener of its own kind, or than a closer known to exist: that keeps
hostile text linear. Struck-through words stay visible and are reported, for they no longer say what they said.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from core.text.vocabulary import BLOCK_TAGS, INLINE_TAGS, SILENT_TEMPLATE_TAGS, STRUCK_TAGS, UNSEEN_TAGS

BLANK = "\0"


@dataclass(frozen=True, slots=True)
class Visible:
    """`text` is as long as the source, markup replaced by `BLANK`; `struck` are character ranges.

    `breaks`: where an item, heading or note begins, which ends a sentence. `targets`: link targets as written.
    `unclosed`: a striking tag is open at the end.
    """

    text: str
    struck: tuple[tuple[int, int], ...] = ()
    breaks: tuple[int, ...] = ()
    targets: tuple[str, ...] = ()
    unclosed: bool = False


_SPECIAL = re.compile(r"[\\`<&*_~\[\]{\n]")
_BARE = re.compile(r"(?:[^\W\d_][^\\`<&*_~\[\]{\n]*+)?+")
"""Most titles and sentences: a letter begins no markup of a line, and nothing follows that could begin any."""
_LINE = re.compile(
    r"[ \t]*+(?:>[ \t]?+)*+[ \t]*+(?:"
    r"(?P<rule>[-=:|*_][-=:|*_ \t]++(?=\n|\Z))"
    r"|(?P<fence>`{3,}+(?=[^`\n]*+(?:\n|\Z))|~{3,}+)[^\n]*+"
    r"|(?P<heading>\#{1,6}+(?=[ \t\n]|\Z))"
    r"|(?P<note>\[\^[^\]\n]++\]:)"
    r"|(?P<definition>\[[^\]\n]++\]:[ \t]*+\S[^\n]*+)"
    r"|(?P<item>(?:(?P<bullet>[-*+])|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?+|\[[ xX]\][ \t]++)"
    r")?+"
)
_PREFIX = re.compile(r"[ \t]*+(?:>[ \t]?+)*+")
_HEADING_TAIL = re.compile(r"[ \t]++#++[ \t]*+$")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+|[^\s<>@]++@[^\s<>@]++)>")
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]*+)"
    r"(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+\s*+/?+>"
)
_TARGET = re.compile(
    r"\]\(\s*+(?P<target><[^<>\n]*+>|(?:[^\s()\\]|\\.|\((?:[^\s()\\]|\\.|\([^\s()]*+\))*+\))*+)"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\s*+\)"
)
_REFERENCE = re.compile(r"\]\[[^\[\]\n]*+\]")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,64}+\]")
_TEMPLATE = re.compile(
    r"\{%(?:[^%{]|%(?!\})|\{(?!%))*+%\}"
    r"|\{\{(?:[^{}]|\}(?!\})|\{(?!\{))*+\}\}"
    r"|\{[:#.][^{}\n]*+\}"
)
_SCRIPTLET = re.compile(r"<%(?:[^%<]|%(?!>)|<(?!%))*+%>")
_SPOKEN = re.compile(r"\{[%{]-?\s*+(?:(?P<tag>[\w-]++)\s++)?(?P<quote>[\"'])(?P<name>[^\"']*+)(?P=quote)")
_TAG_NAME = re.compile(r"\{%-?\s*+([\w-]++)")
_SCRIPT_TAGS = {"sup": "^", "sub": "_"}


def visible(text: str, *, struck: str = "") -> Visible:
    """Blank the markup of a Markdown, HTML or plain block. Time is linear in its length.

    `struck`: the name of a striking tag that an earlier block left open.
    """
    if not struck and _BARE.fullmatch(text):
        return Visible(text)
    scan = _Scan(text)
    if struck:
        scan.open_strikes[struck] = 0
    at = scan.line(0)
    while found := _SPECIAL.search(text, at):
        at = _HANDLERS[found[0]](scan, found.start())
    return scan.result()


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.cells = list(text)
        self.struck: list[tuple[int, int]] = []
        self.breaks: list[int] = []
        self.targets: list[tuple[int, str]] = []
        self.brackets: list[int] = []
        self.emphasis: dict[str, list[tuple[int, int]]] = {"*": [], "_": []}
        self.open_strikes: dict[str, int] = {}
        self.in_list = True
        self.absent: set[str] = set()
        self.ticks: dict[int, int] | None = None

    def result(self) -> Visible:
        open_tags = [(at, len(self.text)) for mark, at in self.open_strikes.items() if mark != "~~"]
        return Visible(
            "".join(self.cells),
            _merged(sorted(self.struck + open_tags)),
            tuple(self.breaks),
            tuple(target for _, target in sorted(self.targets)),
            bool(open_tags),
        )

    def blank(self, start: int, end: int, instead: str = "") -> int:
        self.cells[start:end] = [*instead, *(BLANK * (end - start - len(instead)))]
        return end

    def find(self, closer: str, at: int) -> int:
        """Where `closer` next stands, or -1; once missed never sought again, so unclosed openers cost one search."""
        found = None if closer in self.absent else re.compile(re.escape(closer), re.IGNORECASE).search(self.text, at)
        if found is None:
            self.absent.add(closer)
        return found.start() if found else -1

    def line(self, at: int) -> int:
        found = _LINE.match(self.text, at)
        assert found is not None, "every part of the pattern is optional"
        kind = found.lastgroup if found.lastgroup != "bullet" else "item"
        if kind == "item" and not (self.in_list or found["bullet"]):
            kind = None
        self._follow_list(at, kind)
        return self._line_markup(at, kind, found)

    def _follow_list(self, at: int, kind: str | None) -> None:
        """An ordinal is a marker only where a list may stand: a year at the start of a wrapped line is none."""
        first = self.text[at : at + 1]
        if kind == "item" or first in {"", "\n"}:
            self.in_list = True
        elif not first.isspace():
            self.in_list = False

    def _line_markup(self, at: int, kind: str | None, found: re.Match[str]) -> int:
        if kind is None:
            prefix = _PREFIX.match(self.text, at)
            return at if prefix is None or ">" not in prefix[0] else self.blank(at, prefix.end())
        if kind in {"item", "heading", "note"}:
            self.breaks.append(at)
        if kind == "heading":
            self._heading_tail(found.end())
        end = self.blank(at, found.end())
        return self._fenced(end, found["fence"]) if kind == "fence" else end

    def _heading_tail(self, at: int) -> None:
        stop = self.text.find("\n", at)
        stop = len(self.text) if stop < 0 else stop
        self.breaks.append(stop)
        if tail := _HEADING_TAIL.search(self.text[at:stop]):
            self.blank(at + tail.start(), stop)

    def _fenced(self, at: int, fence: str) -> int:
        closing = re.compile(
            rf"\n[ \t]*+(?:>[ \t]?+)*+[ \t]*+{re.escape(fence)}{re.escape(fence[0])}*+[ \t]*+(?=\n|\Z)"
        )
        found = closing.search(self.text, at)
        return len(self.text) if found is None else self.blank(found.start() + 1, found.end())

    def escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "\n":
            return self.blank(at, at + 1)
        if following and following in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~":
            self.blank(at, at + 1)
            return at + 2
        return at + 1

    def code(self, at: int) -> int:
        if self.ticks is None:
            self.ticks = {len(run[0]): run.start() for run in re.finditer("`+", self.text)}
        end = _run_end(self.text, at)
        size = end - at
        if self.ticks.get(size, at) <= at:  # a run that an escape cut short is none that was counted
            return end
        found = re.compile(rf"(?<!`)`{{{size}}}(?!`)").search(self.text, end)
        assert found is not None, "a later run of this length was counted"
        self.blank(at, end)
        return self.blank(found.start(), found.end())

    def angle(self, at: int) -> int:
        if self.text.startswith("<!--", at):
            closed = self.find("-->", at + 2)
            return at + 4 if closed < 0 else self.blank(at, closed + 3)
        if link := _AUTOLINK.match(self.text, at):
            self.targets.append((at, link[1]))
            self.blank(at, at + 1)
            return self.blank(link.end() - 1, link.end())
        if tag := _TAG.match(self.text, at):
            return self._tag(tag)
        scriptlet = _SCRIPTLET.match(self.text, at)
        return self.blank(at, scriptlet.end()) if scriptlet else at + 1

    def _tag(self, tag: re.Match[str]) -> int:
        name, closing = tag["name"].lower(), bool(tag["close"])
        if name not in INLINE_TAGS and name not in BLOCK_TAGS:
            return tag.end()
        if name in STRUCK_TAGS:
            self._strike(name, tag.start(), tag.end(), opens=not closing, closes=closing)
        if name in UNSEEN_TAGS and not closing and (closed := self.find(f"</{name}", tag.end())) > 0:
            return self.blank(tag.start(), closed)
        instead = "" if name in INLINE_TAGS else " "
        return self.blank(tag.start(), tag.end(), instead if closing else _SCRIPT_TAGS.get(name, instead))

    def _strike(self, mark: str, start: int, end: int, *, opens: bool, closes: bool) -> None:
        if closes and mark in self.open_strikes:
            self.struck.append((self.open_strikes.pop(mark), start))
        elif opens:
            self.open_strikes.setdefault(mark, end)

    def entity(self, at: int) -> int:
        found = _ENTITY.match(self.text, at)
        meant = html.unescape(found[0]) if found else ""
        return self.blank(at, found.end(), meant) if found and meant != found[0] else at + 1

    def tilde(self, at: int) -> int:
        end = _run_end(self.text, at)
        if end - at == 2:
            self._strike("~~", at, end, opens=not _space(self.text, end), closes=not _space(self.text, at - 1))
            self.blank(at, end)
        return end

    def emphasise(self, at: int) -> int:
        end = _run_end(self.text, at)
        opens, closes = _flanks(self.text, at, end)
        waiting, start = self.emphasis[self.text[at]], at
        while closes and start < end and waiting:
            opened, size = waiting.pop()
            taken = min(size, end - start)
            self.blank(opened + size - taken, opened + size)
            start = self.blank(start, start + taken)
            if taken < size:
                waiting.append((opened, size - taken))
        if opens and start < end:
            waiting.append((start, end - start))
        return end

    def bracket(self, at: int) -> int:
        if note := _FOOTNOTE.match(self.text, at):
            return self.blank(at, note.end())
        self.brackets.append(at)
        return at + 1

    def unbracket(self, at: int) -> int:
        if not self.brackets:
            return at + 1
        opened = self.brackets.pop()
        link = _TARGET.match(self.text, at)
        end = link or _REFERENCE.match(self.text, at)
        if link:
            self.targets.append((opened, link["target"]))
        if end is None and self.text[opened - 1 : opened].isalnum():
            return at + 1
        pictured = end is not None and self.text.endswith("!", 0, opened) and not self.text.endswith("\\!", 0, opened)
        self.blank(opened - pictured, opened + 1)
        return self.blank(at, end.end() if end else at + 1)

    def brace(self, at: int) -> int:
        found = _TEMPLATE.match(self.text, at)
        if found is None:
            return at + 1
        end = self.blank(at, found.end())
        if (spoken := _SPOKEN.match(found[0])) and spoken["tag"] not in SILENT_TEMPLATE_TAGS:
            start = at + spoken.start("name")
            self.cells[start : start + len(spoken["name"])] = spoken["name"]
        name = _TAG_NAME.match(found[0])
        return self._template_block(end, name[1]) if name and name[1] in {"comment", "raw"} else end

    def _template_block(self, at: int, name: str) -> int:
        closer = self.find(f"end{name}", at)
        opener = max(self.text.rfind("{%", at, closer), at) if closer > 0 else at
        return self.blank(at, opener) if name == "comment" else opener

    def newline(self, at: int) -> int:
        return self.line(at + 1)


def _merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    merged: list[tuple[int, int]] = []
    for start, end in ranges:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _run_end(text: str, at: int) -> int:
    end, mark = at, text[at]
    while text.startswith(mark, end):
        end += 1
    return end


def _space(text: str, at: int) -> bool:
    return at < 0 or at >= len(text) or text[at].isspace()


def _flanks(text: str, start: int, end: int) -> tuple[bool, bool]:
    """Whether a run of `*` or `_` may open and close emphasis; between digits it multiplies, inside a name it joins."""
    before, after = text[start - 1 : start], text[end : end + 1]
    inside = before.isalnum() and after.isalnum()
    if inside and (text[start] == "_" or (before.isdigit() and after.isdigit())):
        return False, False
    opens, closes = not _space(text, end), not _space(text, start - 1)
    return (
        opens and not (text[start] == "_" and before.isalnum()),
        closes and not (text[start] == "_" and after.isalnum()),
    )


_HANDLERS: dict[str, Callable[[_Scan, int], int]] = {
    "\\": _Scan.escape,
    "`": _Scan.code,
    "<": _Scan.angle,
    "&": _Scan.entity,
    "*": _Scan.emphasise,
    "_": _Scan.emphasise,
    "~": _Scan.tilde,
    "[": _Scan.bracket,
    "]": _Scan.unbracket,
    "{": _Scan.brace,
    "\n": _Scan.newline,
}
