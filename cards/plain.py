"""A neutral card as plain text, for logs, terminals and screen readers. Nothing in it can move a cursor."""

from collections.abc import Iterator
from datetime import tzinfo

from cards import limits
from cards.actions import Action, Button, Choice, LinkButton, label, option_label, stated
from cards.inline import Plain, Words, blank, flat, zone_named
from cards.model import (
    Block,
    Card,
    Change,
    Citations,
    Context,
    Divider,
    Fields,
    Quote,
    Row,
    Rows,
    Text,
    is_empty_row,
    more_words,
)
from cards.text import isolate, safe_link, shown

FEW = 5


def to_plain(card: Card, zone: str = "UTC") -> str:
    """The whole card; parts are separated by empty lines, moments are written in `zone`."""
    reader = zone_named(zone)
    parts = [flat(card.title, reader), *("\n".join(_block(block, reader)) for block in card.shown_blocks)]
    parts += [shown(outcome.words) for outcome in card.outcomes]
    parts += [*map(_choice, limits.choices(card.actions)), _buttons(card.actions)]
    return "\n\n".join(part for part in parts if part.strip())


def _block(block: Block, zone: tzinfo) -> Iterator[str]:
    match block:
        case Text(words, title):
            yield from _line(title, zone)
            yield flat(words, zone)
        case Context(words):
            yield flat(words, zone)
        case Quote(words, source):
            yield f"“{flat(words, zone)}”"
            yield from _line(source, zone)
        case Rows():
            yield from _rows(block, zone)
        case Fields(pairs):
            yield from (f"{flat(name, zone)}: {flat(value, zone)}" for name, value in pairs if not blank(value))
        case Citations(items, more):
            for item in items:
                yield f"[{item.number}] {flat(item.source, zone)}"
                yield from (f"    “{text}”" for text in _line(item.quote, zone))
            yield from _line((Plain(f"and {more} more"),) if more else (), zone)
        case Divider():
            yield "—"


def _rows(rows: Rows, zone: tzinfo) -> Iterator[str]:
    yield from _line(rows.title, zone)
    for row in rows.rows:
        if not is_empty_row(row):
            yield from _row(row, zone)
    yield from _line(more_words(rows), zone)


def _row(row: Row, zone: tzinfo) -> Iterator[str]:
    yield from (f"• {text}" for text in _line(row.heading, zone))
    if isinstance(row, Change):
        yield from (f"  {row.before_label}: {text}" for text in _line(row.before, zone))
        yield from (f"  {row.after_label}: {text}" for text in _line(row.after, zone))
    choices = limits.choices(row.buttons)
    yield from (f"  {text}" for text in map(_choice, choices))
    yield from (f"  {text}" for text in _line(row.note, zone))
    yield from (f"  {text}" for text in [_buttons(row.buttons)] if text)


def _line(words: Words, zone: tzinfo) -> Iterator[str]:
    if not blank(words):
        yield flat(words, zone)


def _buttons(actions: tuple[Action, ...]) -> str:
    return " ".join(text for action in actions for text in _button(action))


def _button(action: Action) -> Iterator[str]:
    if isinstance(action, Button):
        yield f"[{isolate(label(action))}]"
    elif isinstance(action, LinkButton) and safe_link(action.url):
        yield f"[{isolate(label(action))}: {action.url}]"


def _choice(choice: Choice) -> str:
    """The present option, and all that can be chosen, or the first two and the last of many."""
    labels = [isolate(option_label(option)) for option in choice.options]
    few = labels if len(labels) <= FEW else [*labels[:1], f"{labels[1]} … {labels[-1]}"]
    return f"[{isolate(stated(choice))} ({', '.join(few)})]"
