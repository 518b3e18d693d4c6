"""A neutral card as a Teams message: an Adaptive Card 1.5 in its attachment, and what a notification says.

Teams keeps buttons side by side and may cut off those that a phone has no room for, so each line of them is a set of
its own. A row's one button stands beside its heading, where it takes no line; not a question's, which opens beneath.
A message has no text of its own: Teams would show it above the card.
"""

import json
from collections.abc import Iterator

from cards import limits
from cards.inline import Bold, Plain, Words, blank, line
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
from cards.teams_controls import column, controls, sets, settings, stands_beside
from cards.teams_text import Json, escape_markdown, lines, literal, paragraphs, run, unmarked

CARD = "application/vnd.microsoft.card.adaptive"


def to_teams_message(card: Card) -> Json:
    """The whole activity, less whom it is for, within Teams' limits for any content."""
    return limits.fitted(card, _message, _within)


def to_teams(card: Card) -> Json:
    """The Adaptive Card alone, as the answer to a tap takes it."""
    shown: Json = to_teams_message(card)["attachments"][0]["content"]
    return shown


def _message(card: Card) -> Json:
    attachment = {"contentType": CARD, "content": _adaptive(card)}
    return {"type": "message", "summary": unmarked(card.fallback_text), "attachments": [attachment]}


def _adaptive(card: Card) -> Json:
    body = [*_title(card), *(item for block in card.shown_blocks for item in _block(block))]
    body += [item for o in card.outcomes for item in lines((Bold((Plain(o.words),)),), spacing="Medium")]
    own = ((), limits.choices(card.actions))
    body += sets([*controls(card.actions), *settings([own])], spacing="Medium")
    return {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": "1.5",
        "fallbackText": escape_markdown(card.fallback_text),
        "body": body,
    }


def _within(message: Json) -> bool:
    size = limits.utf8_length(json.dumps(message, ensure_ascii=False))
    return size <= limits.TEAMS_BYTES and _count_actions(message["attachments"][0]["content"]) <= limits.TEAMS_ACTIONS


def _count_actions(element: Json) -> int:
    """Those one sees before any tap: what a button opens does not count."""
    inner = (part for key in ("body", "items", "columns") for part in element.get(key, ()))
    return len(element.get("actions", ())) + sum(map(_count_actions, inner))


def _title(card: Card) -> list[Json]:
    text = line(card.title, limits.TEAMS_TITLE)
    large = {"type": "TextRun", "text": literal(text), "size": "Large", "weight": "Bolder"}
    return [{"type": "RichTextBlock", "inlines": [large]}] if text else []


def _block(block: Block) -> Iterator[Json]:
    match block:
        case Text(words, title):
            yield from lines((Bold(title),), spacing="Large")
            yield from lines(words, spacing="Small" if title else "Medium")
        case Quote(words, source):
            yield _quote(words)
            yield from lines(source, subtle=True, spacing="Small")
        case Rows():
            yield from _rows(block)
        case Fields(pairs):
            shown = [(*name, Plain(": "), *value) for name, value in pairs if not blank(value)]
            for index, words in enumerate(shown):
                yield from lines(words, spacing="Small" if index else "Medium")
        case Citations(items, more):
            for item in items:
                yield from _citation(item)
            yield from lines((Plain(f"and {more} more"),) if more else (), subtle=True)
        case Context(words):
            yield from lines(words, subtle=True, spacing="Medium")
        case Divider():
            yield {"type": "RichTextBlock", "separator": True, "inlines": [{"type": "TextRun", "text": " "}]}


def _rows(rows: Rows) -> Iterator[Json]:
    yield from lines((Bold(rows.title),), spacing="Large")
    for row in rows.rows:
        yield from _row(row)
    yield from sets(settings((row.heading, limits.choices(row.buttons)) for row in rows.rows))
    yield from lines(more_words(rows), subtle=True)


def _row(row: Row) -> Iterator[Json]:
    heading, actions = list(lines(_heading(row), spacing="Medium")), controls(row.buttons)
    beside = isinstance(row, Item) and bool(heading) and stands_beside(actions)
    yield from [_beside(heading, actions)] if beside else heading
    if isinstance(row, Change):
        yield from _sides(row)
    yield from lines(row.note, subtle=True, spacing="Small")
    yield from [] if beside else sets(actions)


def _heading(row: Row) -> Words:
    """With what is chosen, unless the row has a name and a note, which says it."""
    return limits.said_row(row).heading if blank(row.heading) or blank(row.note) else row.heading


def _beside(words: list[Json], actions: list[Json]) -> Json:
    name = column("stretch", words) | {"verticalContentAlignment": "Center"}
    return {"type": "ColumnSet", "spacing": "Medium", "columns": [name, column("auto", list(sets(actions)))]}


def _sides(change: Change) -> list[Json]:
    """Both sides, told apart by their labels; the mark only underlines what the label says."""
    items = [
        *_side(change.before_label, change.before, {"strikethrough": True}),
        *_side(change.after_label, change.after, {"weight": "Bolder"}),
    ]
    return [{"type": "Container", "style": "emphasis", "spacing": "Small", "items": items}] if items else []


def _side(name: str, words: Words, mark: Json) -> Iterator[Json]:
    """Line by line, its name before the first."""
    lead = [{"type": "TextRun", "text": f"{name}: ", "isSubtle": True}]
    for paragraph in paragraphs(words):
        shown = [run(leaf, mark if bold else {}) for leaf, bold in paragraph]
        yield {"type": "RichTextBlock", "spacing": "Small", "inlines": [*lead, *shown]}
        lead = []


def _citation(citation: Citation) -> Iterator[Json]:
    yield from lines((Plain(f"[{citation.number}] "), *citation.source), spacing="Medium")
    if not blank(citation.quote):
        yield _quote(citation.quote)


def _quote(words: Words) -> Json:
    return {"type": "Container", "style": "emphasis", "spacing": "Small", "items": list(lines(words))}
