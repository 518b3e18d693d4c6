"""The Markdown parser: CommonMark with tables, told where its inline constructs stand.

markdown-it gives block tokens their lines and inline tokens no place at all. So the rules for links, code, tags and
pictures are wrapped to note where they matched; emphasis and entities, which nothing here asks about, are off.
Three rules differ from CommonMark, each so that text is not lost: a comment that is never closed is text, `[^1]: word`
is a footnote and not a definition, and definitions leave a token with their lines.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, html_block, reference
from markdown_it.rules_inline import StateInline, autolink, backtick, html_inline, image, link
from markdown_it.token import Token

from core.ingest.comments import CLOSING, OPENING, comments

_DEEPEST = 60
"""Lists thirty deep, quotes sixty: well inside Python's recursion limit. What lies deeper becomes body text."""


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


_InlineRule = Callable[[StateInline, bool], bool]


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
        hidden = comments(state.src, start, state.pos)
        state.env["marks"] += [Mark(opened, closed, "comment") for opened, closed in hidden if closed <= state.pos]
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


def _parser() -> MarkdownIt:
    parser = _Parser("commonmark", {"maxNesting": _DEEPEST, "inline_definitions": True})
    parser.enable("table").disable(["emphasis", "entity", "balance_pairs", "fragments_join"])
    parser.block.ruler.at("html_block", _block_of_html, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("reference", _definition)
    for name, rule in (("link", link), ("autolink", autolink), ("backticks", backtick)):
        parser.inline.ruler.at(name, _noted(name, rule))
    parser.inline.ruler.at("html_inline", _tag)
    parser.inline.ruler.at("image", _picture)
    return parser


_PARSER = _parser()


def parse_blocks(text: str, env: dict[str, Any]) -> list[Token]:
    """Block tokens with their lines. `env` takes up the reference definitions, for `parse_inline`."""
    tokens: list[Token] = []
    _PARSER.block.parse(text, _PARSER, env, tokens)
    return tokens


def parse_inline(text: str, env: dict[str, Any]) -> list[Mark]:
    """The inline constructs of a block's content, in order; a link's label may hold others."""
    env["marks"] = []
    _PARSER.inline.parse(text, _PARSER, env, [])
    return sorted(env["marks"], key=lambda mark: (mark.start, -mark.end))
