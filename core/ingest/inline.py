"""What stands inside a block's content: its links, written out, referenced or bare, and its comments."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.ingest.comments import Range, merged, outside
from core.ingest.parser import Mark, parse_inline

_WORTH_PARSING = re.compile(r"[\[<]|://")
_BARE = re.compile(r"\bhttps?://[^\s<>\[\]\"`|]+")
_TRAILING = "?!.,:;*_~'"


@dataclass(frozen=True, slots=True)
class Inline:
    links: tuple[tuple[int, str], ...] = ()
    comments: tuple[Range, ...] = ()


def inline(content: str, env: dict[str, Any]) -> Inline:
    """Places count characters of `content`; `env` is what the blocks were parsed with."""
    if not _WORTH_PARSING.search(content):
        return Inline()
    marks = parse_inline(content, env)
    links = [(mark.start, mark.target) for mark in marks if mark.target]
    comments = ((mark.start, mark.end) for mark in marks if mark.rule == "comment")
    return Inline((*links, *_bare(content, marks)), tuple(comments))


def _bare(content: str, marks: list[Mark]) -> Iterator[tuple[int, str]]:
    taken = merged((mark.start, mark.end) for mark in marks)
    for start, end in outside(taken, 0, len(content)):
        for found in _BARE.finditer(content, start, end):
            yield found.start(), _trimmed(found[0])


def _trimmed(url: str) -> str:
    """Without the punctuation of the sentence around it, or a `)` that opened before it."""
    url = url.rstrip(_TRAILING)
    closing = len(url) - len(url.rstrip(")"))
    unopened = url.count(")") - url.count("(")
    return url[: len(url) - max(0, min(closing, unopened))].rstrip(_TRAILING)
