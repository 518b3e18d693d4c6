"""A neutral card as a Teams Adaptive Card 1.5 (the card itself, without the attachment around it)."""

import json
from collections.abc import Iterator

from cards import limits
from cards.inline import Bold, Plain, Words, blank, leaves, line
from cards.model import (
    Block,
    Card,
    Change,
    Citation,
    Citations,
    Context,
    Divider,
    Fields,
    Quote,
    Row,
    Rows,
    Text,
    more_words,
)
from cards.teams_controls import controls
from cards.teams_text import Json, escape_markdown, lines, literal, run, runs
from cards.text import is_blank


def to_teams(card: Card) -> Json:
    """A card within Teams' limits for any content."""
    return limits.fitted(card, _adaptive, _within)


def _adaptive(card: Card) -> Json:
    body = [*_title(card), *(item for block in card.shown_blocks for item in _block(block))]
    body += [runs((Bold((Plain(o.words),)),), spacing="Medium") for o in card.outcomes if not is_blank(o.words)]
    actions = controls(card.actions)
    whole = {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": "1.5",
        "fallbackText": escape_markdown(card.fallback_text),
        "body": body,
    }
    return whole | ({"actions": actions} if actions else {})


def _within(card: Json) -> bool:
    size = limits.utf8_length(json.dumps(card, ensure_ascii=False))
    return size <= limits.TEAMS_BYTES and _count_actions(card) <= limits.TEAMS_ACTIONS


def _count_actions(card: Json) -> int:
    """Those one sees before any tap: the second step of a confirmation does not count."""
    sets = [item for item in card["body"] if item["type"] == "ActionSet"]
    return len(card.get("actions", [])) + sum(len(found["actions"]) for found in sets)


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
            for name, value in pairs:
                yield from [] if blank(value) else lines((*name, Plain(": "), *value), spacing="Small")
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
    yield from _set_of(controls(choice for row in rows.rows for choice in limits.choices(row.buttons)))
    yield from lines(more_words(rows), subtle=True)


def _set_of(actions: list[Json]) -> Iterator[Json]:
    if actions:
        yield {"type": "ActionSet", "spacing": "Small", "actions": actions}


def _row(row: Row) -> Iterator[Json]:
    said = limits.said_row(row)
    yield from lines(said.heading, spacing="Medium")
    if isinstance(row, Change):
        yield from _sides(row)
    yield from lines(row.note, subtle=True, spacing="Small")
    yield from _set_of(controls(said.buttons))


def _sides(change: Change) -> list[Json]:
    """Both sides, told apart by their labels; the mark only underlines what the label says."""
    sides = (
        _side(change.before_label, change.before, {"strikethrough": True}),
        _side(change.after_label, change.after, {"weight": "Bolder"}),
    )
    items = [side for side in sides if side]
    return [{"type": "Container", "style": "emphasis", "spacing": "Small", "items": items}] if items else []


def _side(name: str, words: Words, mark: Json) -> Json:
    if blank(words):
        return {}
    shown = [run(leaf, mark if bold else {}) for leaf, bold in leaves(words)]
    name_run = {"type": "TextRun", "text": f"{name}: ", "isSubtle": True}
    return {"type": "RichTextBlock", "spacing": "Small", "inlines": [name_run, *shown]}


def _citation(citation: Citation) -> Iterator[Json]:
    yield from lines((Plain(f"[{citation.number}] "), *citation.source), spacing="Medium")
    if not blank(citation.quote):
        yield _quote(citation.quote)


def _quote(words: Words) -> Json:
    return {"type": "Container", "style": "emphasis", "spacing": "Small", "items": list(lines(words))}
