"""A neutral card as Slack Block Kit: `{"blocks": […], "text": …}`.

What documents and people wrote goes into rich_text and plain_text, which parse no markup, so `*x*` stays `*x*`; only
our own date tokens are mrkdwn. Everywhere but in rich_text Slack reads `&`, `<`, `>` as control characters, so they
are escaped once, and sizes are measured afterwards. In rich_text they are literal; a sequence that would be a mention
if a client ever flattened the block back to mrkdwn is broken by a word joiner, which nobody sees.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import regex

from cards import limits
from cards.actions import Action, Button, label, payload, question
from cards.inline import Code, Date, Leaf, Link, Plain, Words, blank, flat, leaves, line, spelled
from cards.model import (
    Block,
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Divider,
    Fields,
    Item,
    Quote,
    Row,
    Rows,
    Text,
    more_words,
)
from cards.text import WORD_JOINER, safe_link, truncate, utf16_length

Json = dict[str, Any]

_MOMENT = "{date_short_pretty} at {time}"
_MENTION = regex.compile(r"<(?=[!@#]|https?:|mailto:|\Z)")


def to_slack(card: Card) -> Json:
    """A message within Slack's limits for any card."""
    return limits.fitted(card, _message, _within)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escaped_length(text: str) -> int:
    return utf16_length(escape(text))


def _message(card: Card) -> Json:
    numbers = count(1)
    blocks = [*_header(card.title), *(slack for block in card.shown_blocks for slack in _block(block, numbers))]
    blocks += [_rich([_section((Plain(o.words),))]) for o in card.outcomes if not blank((Plain(o.words),))]
    blocks += _buttons(card.actions, numbers)
    named = [block | {"block_id": f"b{index}"} for index, block in enumerate(blocks, start=1)]
    return {"blocks": named, "text": escape(card.fallback_text)}


def _within(message: Json) -> bool:
    blocks = message["blocks"]
    whole = utf16_length(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")))
    return whole <= limits.SLACK_TOTAL and len(blocks) <= limits.SLACK_BLOCKS and all(map(_short_enough, blocks))


def _short_enough(block: Json) -> bool:
    if block["type"] != "rich_text":
        return True
    return sum(utf16_length(_text_of(part)) for part in block["elements"]) <= limits.SLACK_RICH_TEXT


def _text_of(part: Json) -> str:
    return "".join(leaf.get("text", leaf.get("fallback", "")) for leaf in part["elements"])


def _header(title: Words) -> list[Json]:
    text = line(title, limits.SLACK_HEADER, escaped_length)
    return [{"type": "header", "text": _plain_text(text)}] if text else []


def _plain_text(text: str) -> Json:
    return {"type": "plain_text", "text": escape(text), "emoji": False}


def _block(block: Block, numbers: Iterator[int]) -> Iterator[Json]:
    match block:
        case Text(words):
            yield _rich([_section(words)])
        case Quote(words, source):
            yield _rich([_quote(words), *_sections(source)])
        case Rows():
            yield from _rows(block, numbers)
        case Fields(pairs):
            yield _rich([_section((*name, Plain(": "), *value)) for name, value in pairs if not blank(value)])
        case Citations(items, more):
            rest = _sections((Plain(f"and {more} more"),) if more else ())
            yield _rich([part for item in items for part in _citation(item)] + rest)
        case Context(words):
            yield _context(words)
        case Divider():
            yield {"type": "divider"}


def _rows(rows: Rows, numbers: Iterator[int]) -> Iterator[Json]:
    if not blank(rows.title):
        yield _rich(_sections(rows.title))
    for row in rows.rows:
        parts = _row(row)
        if parts:
            yield _rich(parts)
        yield from _buttons(row.buttons, numbers)
    if rows.more:
        yield _rich(_sections(more_words(rows)))


def _row(row: Row) -> list[Json]:
    if isinstance(row, Item):
        return [*_sections(row.heading), *_sections(row.note)]
    return [*_sections(row.heading), *_sides(row), *_sections(row.note)]


def _sides(change: Change) -> list[Json]:
    """Both sides in one quote, told apart by their labels; the mark only underlines what the label says."""
    before = _side(change.before_label, change.before, "strike")
    after = _side(change.after_label, change.after, "bold")
    between = [{"type": "text", "text": "\n"}] if before and after else []
    return [{"type": "rich_text_quote", "elements": before + between + after}] if before or after else []


def _side(name: str, words: Words, mark: str) -> list[Json]:
    if blank(words):
        return []
    marked = [_element(leaf, {mark: True} if bold else {}) for leaf, bold in leaves(words)]
    return [{"type": "text", "text": f"{name}: "}, *marked]


def _citation(citation: Citation) -> list[Json]:
    source = _section((Plain(f"[{citation.number}] "), *citation.source))
    return [source] if blank(citation.quote) else [source, _quote(citation.quote)]


def _rich(elements: list[Json]) -> Json:
    return {"type": "rich_text", "elements": elements}


def _sections(words: Words) -> list[Json]:
    return [] if blank(words) else [_section(words)]


def _section(words: Words) -> Json:
    return {"type": "rich_text_section", "elements": _elements(words)}


def _quote(words: Words) -> Json:
    return {"type": "rich_text_quote", "elements": _elements(words)}


def _elements(words: Words) -> list[Json]:
    return [_element(leaf, {"bold": True} if bold else {}) for leaf, bold in leaves(words)]


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


def _context(words: Words) -> Json:
    """Small print: dates as mrkdwn tokens of our own, all other text plain. Slack puts a space between elements."""
    if any(isinstance(leaf, Link) for leaf, _ in leaves(words)):
        return _rich([_section(words)])
    elements = [_context_element(part) for part in _runs(words)]
    if len(elements) <= limits.SLACK_CONTEXT_ELEMENTS:
        return {"type": "context", "elements": elements}
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
    return _plain_text(truncate(text.strip(), limits.SLACK_CONTEXT_TEXT, escaped_length))


def _buttons(actions: Iterable[Action], numbers: Iterator[int]) -> Iterator[Json]:
    elements = [element for action in actions for element in _action(action, numbers)]
    for start in range(0, len(elements), limits.SLACK_ACTIONS):
        yield {"type": "actions", "elements": elements[start : start + limits.SLACK_ACTIONS]}


def _action(action: Action, numbers: Iterator[int]) -> Iterator[Json]:
    common = {"type": "button", "text": _cut_text(label(action), limits.SLACK_BUTTON)}
    if isinstance(action, Button):
        yield common | {"action_id": f"{action.kind}:{next(numbers)}", **_tap(action)}
    elif safe_link(action.url):
        yield common | {"action_id": f"open_link:{next(numbers)}", "url": action.url}


def _tap(button: Button) -> Json:
    asked = question(button)
    tap: Json = {"value": json.dumps(payload(button), separators=(",", ":"))}
    if button.style == "primary":
        tap["style"] = "primary"
    return tap if asked is None else tap | {"confirm": _confirm(asked, label(button))}


def _confirm(asked: str, yes: str) -> Json:
    return {
        "title": _cut_text(f"{yes}?", limits.SLACK_CONFIRM_TITLE),
        "text": _cut_text(asked, limits.SLACK_CONFIRM_TEXT),
        "confirm": _cut_text(yes, limits.SLACK_CONFIRM_BUTTON),
        "deny": _plain_text("Not now"),
    }


def _cut_text(text: str, limit: int) -> Json:
    return _plain_text(line((Plain(text),), limit, escaped_length))
