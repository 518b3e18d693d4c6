"""A neutral card as a Teams Adaptive Card 1.5 (the card itself, without the attachment around it).

TextRun parses no Markdown, so all text goes there, but Teams expands no dates in it; a line with a moment therefore
becomes one TextBlock, whose Markdown characters are escaped. Three things no escape covers are broken by a word
joiner, which nobody sees: `{{` (date functions, read in every text), `<` before a letter (tags), `&` (entities);
at the end of a piece too, because the next piece may go on with what was begun.
"""

import json
from collections.abc import Iterator
from typing import Any

import regex

from cards import limits
from cards.actions import Action, Button, label, payload, question
from cards.inline import Code, Date, Leaf, Link, Piece, Plain, Words, blank, leaves, line, spelled
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
from cards.text import WORD_JOINER, clean, is_blank, safe_link

Json = dict[str, Any]

_FUNCTION = regex.compile(r"[{$](?=\{|\Z)")
_TAG_OR_ENTITY = regex.compile(r"<(?=[\p{L}/!?]|\Z)|&(?=[#\p{L}]|\Z)")
_MARKDOWN = regex.compile(r"[\\*_\[\]~`]")
_LINE_START = regex.compile(r"^(?=[#>+-]|\d+[.)])", regex.MULTILINE)


def to_teams(card: Card) -> Json:
    """A card within Teams' limits for any content."""
    return limits.fitted(card, _adaptive, _within)


def literal(text: str) -> str:
    """For a TextRun or a label: nothing in it is expanded."""
    return _FUNCTION.sub(lambda found: found[0] + WORD_JOINER, text)


def escape_markdown(text: str) -> str:
    """For a TextBlock: nothing in it is markup, an entity, a tag or a function."""
    joined = _TAG_OR_ENTITY.sub(lambda found: found[0] + WORD_JOINER, literal(text))
    return _LINE_START.sub(WORD_JOINER, _MARKDOWN.sub(r"\\\g<0>", joined))


def _adaptive(card: Card) -> Json:
    body = [*_title(card), *(item for block in card.shown_blocks for item in _block(block))]
    body += [_runs((Plain(o.words),), spacing="Medium") for o in card.outcomes if not blank((Plain(o.words),))]
    actions = [element for action in card.actions for element in _action(action)]
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
    run = {"type": "TextRun", "text": literal(text), "size": "Large", "weight": "Bolder"}
    return [{"type": "RichTextBlock", "inlines": [run]}] if text else []


def _block(block: Block) -> Iterator[Json]:
    match block:
        case Text(words):
            yield from _lines(words, spacing="Medium")
        case Quote(words, source):
            yield _quote(words)
            yield from _lines(source, subtle=True, spacing="Small")
        case Rows():
            yield from _rows(block)
        case Fields(pairs):
            for name, value in pairs:
                yield from [] if blank(value) else _lines((*name, Plain(": "), *value), spacing="Small")
        case Citations(items, more):
            for item in items:
                yield from _citation(item)
            yield from _lines((Plain(f"and {more} more"),) if more else (), subtle=True)
        case Context(words):
            yield from _lines(words, subtle=True, spacing="Medium")
        case Divider():
            yield {"type": "RichTextBlock", "separator": True, "inlines": [{"type": "TextRun", "text": " "}]}


def _rows(rows: Rows) -> Iterator[Json]:
    yield from _lines(rows.title, spacing="Large")
    for row in rows.rows:
        yield from _row(row)
        actions = [element for action in row.buttons for element in _action(action)]
        if actions:
            yield {"type": "ActionSet", "spacing": "Small", "actions": actions}
    yield from _lines(more_words(rows), subtle=True)


def _row(row: Row) -> Iterator[Json]:
    yield from _lines(row.heading, spacing="Medium")
    if isinstance(row, Change):
        yield from _sides(row)
    yield from _lines(row.note, subtle=True, spacing="Small")


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
    runs = [_run(leaf, mark if bold else {}) for leaf, bold in leaves(words)]
    name_run = {"type": "TextRun", "text": f"{name}: ", "isSubtle": True}
    return {"type": "RichTextBlock", "spacing": "Small", "inlines": [name_run, *runs]}


def _citation(citation: Citation) -> Iterator[Json]:
    yield from _lines((Plain(f"[{citation.number}] "), *citation.source), spacing="Medium")
    if not blank(citation.quote):
        yield _quote(citation.quote)


def _quote(words: Words) -> Json:
    return {"type": "Container", "style": "emphasis", "spacing": "Small", "items": list(_lines(words))}


def _lines(words: Words, *, subtle: bool = False, spacing: str = "Default") -> Iterator[Json]:
    """One element a paragraph: a newline inside a run is not kept by every client."""
    style: Json = {"isSubtle": True} if subtle else {}
    for index, paragraph in enumerate(_paragraphs(words)):
        gap = spacing if index == 0 else "Small"
        if any(isinstance(leaf, Date) and leaf.style == "moment" for leaf, _ in paragraph):
            yield {"type": "TextBlock", "wrap": True, "spacing": gap, **style, "text": _dated(paragraph)}
        else:
            runs = [_run(leaf, style | ({"weight": "Bolder"} if bold else {})) for leaf, bold in paragraph]
            yield {"type": "RichTextBlock", "spacing": gap, "inlines": runs}


Paragraph = list[tuple[Leaf, bool]]


def _paragraphs(words: Words) -> list[Paragraph]:
    paragraphs: list[Paragraph] = [[]]
    for leaf, bold in leaves(words):
        first, *rest = _by_line(leaf)
        paragraphs[-1].append((first, bold))
        paragraphs += [[(part, bold)] for part in rest]
    return [kept for kept in map(_visible, paragraphs) if kept]


def _by_line(leaf: Leaf) -> list[Leaf]:
    if isinstance(leaf, Plain):
        return [Plain(text) for text in clean(leaf.text).split("\n")]
    return [Piece(text) for text in leaf.text.split("\n")] if isinstance(leaf, Piece) else [leaf]


def _visible(paragraph: Paragraph) -> Paragraph:
    kept = [(leaf, bold) for leaf, bold in paragraph if spelled(leaf)]
    return [] if is_blank("".join(spelled(leaf) for leaf, _ in kept)) else kept


def _run(leaf: Leaf, style: Json) -> Json:
    run: Json = {"type": "TextRun", "text": literal(spelled(leaf)), **style}
    if isinstance(leaf, Code):
        run["fontType"] = "Monospace"
    if isinstance(leaf, Link):
        run["selectAction"] = {"type": "Action.OpenUrl", "url": leaf.url}
    return run


def _runs(words: Words, spacing: str) -> Json:
    return {"type": "RichTextBlock", "spacing": spacing, "inlines": [_run(leaf, {}) for leaf, _ in leaves(words)]}


def _dated(paragraph: Paragraph) -> str:
    return "".join(_token(leaf) if isinstance(leaf, Date) else escape_markdown(spelled(leaf)) for leaf, _ in paragraph)


def _token(date: Date) -> str:
    if date.style == "day":
        return date.words()
    at = f"{date.at().replace(microsecond=0, tzinfo=None).isoformat()}Z"
    return f"{{{{DATE({at},SHORT)}}}}, {{{{TIME({at})}}}}"


def _action(action: Action) -> Iterator[Json]:
    title = literal(line((Plain(label(action)),), limits.TEAMS_BUTTON))
    if isinstance(action, Button):
        asked = question(action)
        yield _execute(action, title) if asked is None else _confirmed(action, title, asked)
    elif safe_link(action.url):
        yield {"type": "Action.OpenUrl", "title": title, "url": action.url}


def _execute(button: Button, title: str) -> Json:
    style = {"style": "positive"} if button.style == "primary" else {}
    return {"type": "Action.Execute", "title": title, "verb": button.kind, "data": payload(button)} | style


def _confirmed(button: Button, title: str, asked: str) -> Json:
    """A question with a second button; only that one carries the nonce."""
    body = [_runs((Plain(line((Plain(asked),), limits.TEAMS_QUESTION)),), "Default")]
    asking = {"type": "AdaptiveCard", "body": body, "actions": [_execute(button, title)]}
    return {"type": "Action.ShowCard", "title": f"{title}…", "card": asking}
