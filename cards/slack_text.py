"""Text in Slack's blocks: what documents and people wrote is shown literally, wherever it stands.

It goes into rich_text and plain_text, which parse no markup, so `*x*` stays `*x*`; only our own date tokens are
mrkdwn, alone or among letters that mean nothing there. Everywhere but in rich_text Slack reads `&`, `<`, `>` as
control characters, so they are escaped once, and sizes are measured afterwards. In rich_text they are literal; a
sequence that would be a mention if a client ever flattened the block back to mrkdwn is broken by a word joiner, which
nobody sees. A message's top-level text is mrkdwn whatever one does, so there the marks of styles and emoji are broken
too.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import regex

from cards import limits
from cards.inline import Code, Date, Leaf, Link, Plain, Words, blank, flat, leaves, line, spelled
from cards.text import WORD_JOINER, truncate, utf16_length

Json = dict[str, Any]

_MOMENT = "{date_short_pretty} at {time}"
_MENTION = regex.compile(r"<(?=[!@#]|https?:|mailto:|\Z)")
_MARK = regex.compile(r"[*_~`]|:(?=[\w+'-]+:)")
_MEANS_NOTHING = regex.compile(r"(?:[^<>&*_~`:@#|\\\n.]|\.(?!\w))*")


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
    if date := _moment(leaf):
        element = {"type": "date", "timestamp": _seconds(date), "format": _MOMENT, "fallback": date.words()}
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
    """Small print: dates as mrkdwn tokens of our own, and text that could mean anything there as plain text."""
    if any(isinstance(leaf, Link) for leaf, _ in leaves(words)):
        return rich([section(words)])
    return {"type": "context", "elements": _small_print(list(_runs(words)), words)}


def _small_print(runs: list[Date | str], words: Words) -> list[Json]:
    """One element where it can be, for Slack puts a space between two."""
    if all(isinstance(run, Date) or _MEANS_NOTHING.fullmatch(run) for run in runs):
        whole = "".join(_token(run) if isinstance(run, Date) else run for run in runs).strip()
        if any(isinstance(run, Date) for run in runs) and utf16_length(whole) <= limits.SLACK_CONTEXT_TEXT:
            return [_markdown(whole)]
    shown = [run for run in runs if isinstance(run, Date) or run.strip()]
    parts = [_markdown(_token(run)) if isinstance(run, Date) else _small(run) for run in shown]
    return parts if len(parts) <= limits.SLACK_CONTEXT_ELEMENTS else [_small(flat(words))]


def _runs(words: Words) -> Iterator[Date | str]:
    """Every moment, and the text between two as one."""
    for date, group in groupby((leaf for leaf, _ in leaves(words)), _moment):
        found = list(group)
        yield from [date] * len(found) if date else ["".join(map(spelled, found))]


def _moment(leaf: Leaf) -> Date | None:
    return leaf if isinstance(leaf, Date) and leaf.style == "moment" else None


def _token(date: Date) -> str:
    return f"<!date^{_seconds(date)}^{_MOMENT}|{date.words()}>"


def _markdown(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def _small(text: str) -> Json:
    return plain_text(truncate(text.strip(), limits.SLACK_CONTEXT_TEXT, escaped_length))
