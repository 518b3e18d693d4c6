"""The Markdown parser: CommonMark with tables, told where its inline constructs stand.

markdown-it gives block tokens their lines and inline tokens no place at all. So the rules for links, code, tags and
pictures are wrapped to note where they matched; emphasis and entities, which nothing here asks about, are off.
Three rules differ from CommonMark, each so that text is not lost: a comment that is never closed is text, `[^1]: word`
is a footnote and not a definition, and a list or quote nested too deep is text, where the parser would drop the rest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, html_block, list_block, reference
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link
from markdown_it.token import Token

from core.ingest.comments import CLOSING, OPENING, comments

_DEEPEST_BLOCK, _DEEPEST_INLINE = 60, 12
"""Lists thirty deep, quotes sixty, brackets twelve: well inside Python's recursion limit, and each level costs time."""

_INTERRUPTS = ("paragraph", "reference")

_InlineRule = Callable[[StateInline, bool], bool]
_BlockRule = Callable[[StateBlock, int, int, bool], bool]


@dataclass(frozen=True, slots=True)
class Mark:
    """An inline construct at [start, end) of the text that was parsed. `target` is a link's, else empty."""

    start: int
    end: int
    rule: str
    target: str = ""


class _Parser(MarkdownIt):
    def normalizeLink(self, url: str) -> str:  # noqa: N802  # the base class's name
        """Targets stay as they were written."""
        return url


def _noted(name: str, rule: _InlineRule) -> _InlineRule:
    def noting(state: StateInline, silent: bool) -> bool:
        start, seen = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        if not silent:
            opened = (token for token in state.tokens[seen:] if token.type == "link_open")
            target = next((str(token.attrs["href"]) for token in opened), "")
            state.env["marks"].append(Mark(start, state.pos, name, target))
        return True

    return noting


def _tag(state: StateInline, silent: bool) -> bool:
    start = state.pos
    if not html_inline(state, silent):
        return False
    if not silent:
        rule = "comment" if state.src.startswith(OPENING, start) else "tag"
        state.env["marks"].append(Mark(start, state.pos, rule))
    return True


def _picture(state: StateInline, silent: bool) -> bool:
    """A picture is passed over silently: its words are parsed apart, without their place, and without end if nested."""
    start = state.pos
    if not image(state, True):
        return False
    if not silent:
        hidden = comments(state.src[start : state.pos])
        state.env["marks"] += [Mark(start + opened, start + closed, "comment") for opened, closed in hidden]
        state.env["marks"].append(Mark(start, state.pos, "picture"))
    return True


def _block_of_html(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.src.startswith(OPENING, start):
        if "last_closing" not in state.env:
            state.env["last_closing"] = state.src.rfind(CLOSING)
        if state.env["last_closing"] < start:
            return False
    return html_block(state, start_line, end_line, silent)


def _definition(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    return not state.src.startswith("[^", start) and reference(state, start_line, end_line, silent)


def _bounded(rule: _BlockRule) -> _BlockRule:
    def bounding(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
        return state.level < _DEEPEST_BLOCK and rule(state, start_line, end_line, silent)

    return bounding


def _parser(nesting: int) -> MarkdownIt:
    parser = _Parser("commonmark", {"maxNesting": nesting, "inline_definitions": True})
    parser.enable("table").disable(["emphasis", "entity", "balance_pairs", "fragments_join"])
    parser.block.ruler.at("blockquote", _bounded(blockquote), {"alt": [*_INTERRUPTS, "blockquote", "list"]})
    parser.block.ruler.at("list", _bounded(list_block), {"alt": [*_INTERRUPTS, "blockquote"]})
    parser.block.ruler.at("html_block", _block_of_html, {"alt": [*_INTERRUPTS, "blockquote"]})
    parser.block.ruler.at("reference", _definition)
    for name, rule in (("link", link), ("autolink", autolink), ("backticks", backtick)):
        parser.inline.ruler.at(name, _noted(name, rule))
    parser.inline.ruler.at("html_inline", _tag)
    parser.inline.ruler.at("image", _picture)
    return parser


_BLOCKS, _INLINE = _parser(_DEEPEST_BLOCK + 3), _parser(_DEEPEST_INLINE)


def parse_blocks(text: str, env: dict[str, Any]) -> list[Token]:
    """Block tokens with their lines, definitions among them. `env` takes up the definitions, for `parse_inline`."""
    tokens: list[Token] = []
    _BLOCKS.block.parse(text, _BLOCKS, env, tokens)
    return tokens


def parse_inline(text: str, env: dict[str, Any]) -> list[Mark]:
    """The inline constructs of a block's content, in order; a link's label may hold others."""
    env["marks"] = []
    _INLINE.inline.parse(text, _INLINE, env, [])
    return sorted(env["marks"], key=lambda mark: (mark.start, -mark.end))
