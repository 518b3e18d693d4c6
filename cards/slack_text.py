"""Text in Slack's blocks: what documents and people wrote is shown literally, wherever it stands.

It goes into rich_text and plain_text, which parse no markup, so `*x*` stays `*x*`; only our own date tokens are
mrkdwn. Everywhere but in rich_text Slack reads `&`, `<`, `>` as control characters, so they are escaped once, and
sizes are measured afterwards. In rich_text they are literal; a sequence that would be a mention if a client ever
flattened the block back to mrkdwn is broken by a word joiner, which nobody sees. A message's top-level text is mrkdwn
whatever one does, so there the marks of styles and emoji are broken too.
"""

from collections.abc import Iterator
from typing import Any

import regex

from cards import limits
from cards.inline import Code, Date, Leaf, Link, Plain, Words, blank, flat, leaves, line, spelled
from cards.text import WORD_JOINER, truncate, utf16_length

Json = dict[str, Any]

_MOMENT = "{date_short_pretty} at {time}"
_MENTION = regex.compile(r"<(?=[!@#]|https?:|mailto:|\Z)")
_MARK = regex.compile(r"[*_~`]|:(?=[\w+'-]+:)")


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped_length(text: str) -> int:
    return utf16_length(escape(text))


def unmarked(text: str) -> str:
    """For a message's top-level text: escaped, and nothing in it begins or ends a style, a fence or an emoji."""
    return _MARK.sub(lambda found: WORD_JOINER + found[0], escape(text))


def plain_text(text: str) -> Json:
    return {"type": "plain_text", "text": escape(text), "emoji": False}


def cut_text(words: Words, limit: int) -> Json:
    """`words` as one line of at most `limit` characters after escaping."""
    return plain_text(line(words, limit, escaped_length))


def said(text: str, limit: int) -> Json:
    return cut_text((Plain(text),), limit)


def rich(elements: list[Json]) -> Json:
    return {"type": "rich_text", "elements": elements}


def sections(words: Words) -> list[Json]:
    return [] if blank(words) else [section(words)]


def section(words: Words, *, bold: bool = False) -> Json:
    return {"type": "rich_text_section", "elements": elements(words, bold=bold)}


def quote(words: Words) -> Json:
    return {"type": "rich_text_quote", "elements": elements(words)}


def bullets(items: list[Words]) -> Json:
    return {"type": "rich_text_list", "style": "bullet", "elements": [section(item) for item in items]}


def elements(words: Words, mark: str = "bold", *, bold: bool = False) -> list[Json]:
    """The leaves of `words`, the bold ones in the style `mark`."""
    return [_element(leaf, {mark: True} if marked else {}) for leaf, marked in leaves(words, bold)]


def _element(leaf: Leaf, style: Json) -> Json:
    if isinstance(leaf, Date) and leaf.style == "moment":
        element = {"type": "date", "timestamp": _seconds(leaf), "format": _MOMENT, "fallback": leaf.words()}
    elif isinstance(leaf, Link):
        element = {"type": "link", "url": leaf.url, "text": _literal(leaf)}
    else:
        element = {"type": "text", "text": _literal(leaf)}
        style = style | ({"code": True} if isinstance(leaf, Code) else {})
    return element | ({"style": style} if style else {})


def _seconds(date: Date) -> int:
    return int(date.at().timestamp())


def _literal(leaf: Leaf) -> str:
    return _MENTION.sub(f"<{WORD_JOINER}", spelled(leaf))


def context(words: Words) -> Json:
    """Small print: dates as mrkdwn tokens of our own, all other text plain. Slack puts a space between elements."""
    if any(isinstance(leaf, Link) for leaf, _ in leaves(words)):
        return rich([section(words)])
    parts = [_context_element(part) for part in _runs(words)]
    if len(parts) <= limits.SLACK_CONTEXT_ELEMENTS:
        return {"type": "context", "elements": parts}
    return {"type": "context", "elements": [_small(flat(words))]}


def _runs(words: Words) -> Iterator[Date | str]:
    text = ""
    for leaf, _ in leaves(words):
        if not (isinstance(leaf, Date) and leaf.style == "moment"):
            text += spelled(leaf)
            continue
        if text.strip():
            yield text
        text = ""
        yield leaf
    if text.strip():
        yield text


def _context_element(part: Date | str) -> Json:
    if isinstance(part, str):
        return _small(part)
    return {"type": "mrkdwn", "text": f"<!date^{_seconds(part)}^{_MOMENT}|{part.words()}>"}


def _small(text: str) -> Json:
    return plain_text(truncate(text.strip(), limits.SLACK_CONTEXT_TEXT, escaped_length))
