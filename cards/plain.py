"""A neutral card as plain text, for logs, terminals and screen readers. Nothing in it can move a cursor."""

from collections.abc import Iterator
from datetime import tzinfo

from cards.actions import Action, LinkButton, label
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


def to_plain(card: Card, zone: str = "UTC") -> str:
    """The whole card; parts are separated by empty lines, moments are written in `zone`."""
    reader = zone_named(zone)
    parts = [flat(card.title, reader), *("\n".join(_block(block, reader)) for block in card.shown_blocks)]
    parts += [shown(outcome.words) for outcome in card.outcomes]
    parts.append(_choices(card.actions))
    return "\n\n".join(part for part in parts if part.strip())


def _block(block: Block, zone: tzinfo) -> Iterator[str]:
    match block:
        case Text(words) | Context(words):
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
    yield from (f"  {text}" for text in _line(row.note, zone))
    yield from (f"  {text}" for text in [_choices(row.buttons)] if text)


def _line(words: Words, zone: tzinfo) -> Iterator[str]:
    if not blank(words):
        yield flat(words, zone)


def _choices(actions: tuple[Action, ...]) -> str:
    return " ".join(text for action in actions for text in _choice(action))


def _choice(action: Action) -> Iterator[str]:
    if isinstance(action, LinkButton):
        if safe_link(action.url):
            yield f"[{isolate(label(action))}: {action.url}]"
    else:
        yield f"[{isolate(label(action))}]"
