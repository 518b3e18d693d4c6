"""What the platforms allow, and what a card gives up, in which order, to stay within it.

Sources. Slack: Block Kit reference (header, section, context, button, select, confirm, message, home view); the sum
over a message is undocumented, and messages between about 11,000 and 13,200 characters were reported refused, so ours
stays at 10,000 of JSON; a view may have 250 KB and 100 blocks, and ours stays far below. Teams: 28 KB a message; an
activity is 20 KB of UTF-8 at most by this product's rule, and built to 18 before it is addressed; six actions.

Order: fewer changes, choices in words, shorter quotes, no quotes, then every text shorter. The last step is bounded
whatever the content is, so a card is always sent.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar
from unicodedata import category, east_asian_width

from cards.actions import Action, Button, Choice, stated
from cards.inline import Plain, Words, blank, cut, line
from cards.model import Block, Card, Change, Citations, Context, Fields, Item, Outcome, Quote, Row, Rows, Text

SLACK_BLOCKS = 50
SLACK_TOTAL = 10_000
SLACK_HOME_TOTAL = 60_000
SLACK_RICH_TEXT = 3_000
SLACK_HEADER = 150
SLACK_SECTION = 3_000
SLACK_CONTEXT_ELEMENTS = 10
SLACK_CONTEXT_TEXT = 2_000
SLACK_ACTIONS = 25
SLACK_BUTTON = 75
SLACK_OPTION, SLACK_PLACEHOLDER = 75, 150
SLACK_CONFIRM_TITLE, SLACK_CONFIRM_TEXT, SLACK_CONFIRM_BUTTON = 100, 300, 30

TEAMS_BYTES = 18_000
TEAMS_ACTIONS = 6
TEAMS_LINE, TEAMS_BUTTON_EDGES = 38, 4  # in columns: a phone's width, and what a button takes beside its label
TEAMS_BUTTON = TEAMS_LINE - TEAMS_BUTTON_EDGES - 1  # beyond it, and an ellipsis, a phone shows nothing of a label
TEAMS_OPTION = 75
TEAMS_TITLE = 200
TEAMS_QUESTION = 300

ROWS, BLOCKS = 5, 12

Rendered = TypeVar("Rendered")


def utf8_length(text: str) -> int:
    return len(text.encode())


def columns(text: str) -> int:
    """How wide it is drawn, in Latin letters: what fills a square counts two, what sits on another counts nothing."""
    return sum(2 if east_asian_width(c) in {"W", "F"} else category(c) not in {"Mn", "Me", "Cf"} for c in text)


def fitted(card: Card, render: Callable[[Card], Rendered], within: Callable[[Rendered], bool]) -> Rendered:
    """`card` rendered at the first step of the order that is within the limits."""
    rendered = render(card)
    for smaller in degraded(card):
        if within(rendered):
            break
        if smaller != card:
            card, rendered = smaller, render(smaller)
    return rendered


def degraded(card: Card) -> Iterator[Card]:
    said = in_words(card)
    for whole in (card, said):
        for rows in (15, 5, 3, 2, 1):
            yield fewer(whole, rows)
    for size in (500, 200, 80):
        yield shorter(fewer(said, 1), size)
    bare = _each_block(fewer(said, 1), _without_quotes)
    yield bare
    for size in (1_500, 600, 200, 80):
        yield clipped(bare, size)
    yield smallest(bare)


def fewer(card: Card, keep: int) -> Card:
    """At most `keep` rows in each list, the rest counted; of a list of choices none is left out."""
    return _each_block(card, lambda block: _fewer(block, keep))


def choices(actions: tuple[Action, ...]) -> tuple[Choice, ...]:
    return tuple(action for action in actions if isinstance(action, Choice))


def in_words(card: Card) -> Card:
    """The same card, on which every choice only says its present option."""
    said = tuple(Item((Plain(stated(choice)),)) for choice in choices(card.actions))
    rest = _each_block(card, lambda block: _said_rows(block) if isinstance(block, Rows) else block)
    return replace(rest, blocks=rest.blocks + ((Rows(said),) if said else ()), actions=_others(card.actions))


def _said_rows(rows: Rows) -> Rows:
    return replace(rows, rows=tuple(said_row(row) for row in rows.rows))


def said_row(row: Row) -> Row:
    """Its choices in words, after its heading."""
    parts = [row.heading, *((Plain(stated(choice)),) for choice in choices(row.buttons))]
    heading = tuple(part for words in parts if not blank(words) for part in (Plain(" · "), *words))[1:]
    return replace(row, heading=heading, buttons=_others(row.buttons))


def _others(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    return tuple(action for action in actions if not isinstance(action, Choice))


def shorter(card: Card, size: int) -> Card:
    """Every quote, and each side of a change, at most `size` bytes."""
    return _each_block(card, lambda block: _shorter(block, size))


def _each_block(card: Card, change: Callable[[Block], Block]) -> Card:
    return replace(card, blocks=tuple(change(block) for block in card.blocks))


def _fewer(block: Block, keep: int) -> Block:
    match block:
        case Rows(rows=rows) if not any(choices(row.buttons) for row in rows):
            return replace(block, rows=rows[:keep], more=block.more + len(rows[keep:]))
        case Citations(items):
            return replace(block, items=items[:keep], more=block.more + len(items[keep:]))
        case _:
            return block


def _shorter(block: Block, size: int) -> Block:
    match block:
        case Quote(words):
            return replace(block, words=cut(words, size, utf8_length))
        case Citations(items):
            return replace(block, items=tuple(replace(c, quote=cut(c.quote, size, utf8_length)) for c in items))
        case Rows(rows=rows):
            return replace(block, rows=tuple(_sides(row, size) for row in rows))
        case _:
            return block


def _sides(row: Row, size: int) -> Row:
    if isinstance(row, Item):
        return row
    return replace(row, before=cut(row.before, size, utf8_length), after=cut(row.after, size, utf8_length))


def _without_quotes(block: Block) -> Block:
    if isinstance(block, Quote):
        return Text(block.source)
    if isinstance(block, Citations):
        return replace(block, items=tuple(replace(item, quote=()) for item in block.items))
    if isinstance(block, Rows):
        return replace(block, rows=tuple(_as_item(row) for row in block.rows))
    return block


def _as_item(row: Row) -> Item:
    return Item(row.heading, row.note, row.buttons) if isinstance(row, Change) else row


def clipped(card: Card, size: int) -> Card:
    """No text longer than `size` bytes anywhere, and no links."""
    return replace(
        _each_block(card, lambda block: _clip(block, size)),
        title=_plain(card.title, size),
        outcomes=tuple(Outcome(o.target, line((Plain(o.words),), size, utf8_length)) for o in card.outcomes),
    )


def _clip(block: Block, size: int) -> Block:
    match block:
        case Text(words=words, title=title):
            return Text(_plain(words, size), _plain(title, size))
        case Quote(words=words) | Context(words=words):
            return replace(block, words=_plain(words, size))
        case Rows(rows=rows):
            return replace(block, rows=tuple(_clip_row(row, size) for row in rows), title=_plain(block.title, size))
        case Fields(pairs):
            return Fields(tuple((_plain(label, size), _plain(value, size)) for label, value in pairs))
        case Citations(items):
            return replace(block, items=tuple(replace(c, source=_plain(c.source, size)) for c in items))
        case _:
            return block


def _clip_row(row: Row, size: int) -> Row:
    return replace(row, heading=_plain(row.heading, size), note=_plain(row.note, size))


def _plain(words: Words, size: int) -> Words:
    return (Plain(line(words, size, utf8_length)),) if words else ()


def smallest(card: Card) -> Card:
    """A card of bounded size: the title, a few short blocks, the last outcome, six buttons."""
    small = clipped(card, 80)
    return replace(
        small,
        blocks=tuple(_bounded(block) for block in small.blocks[:5]),
        outcomes=small.outcomes[-1:],
        actions=_six_buttons(card),
    )


def _bounded(block: Block) -> Block:
    match block:
        case Rows():
            return replace(block, rows=tuple(replace(row, buttons=()) for row in block.rows), more_hint="")
        case Fields(pairs):
            return Fields(pairs[:5])
        case _:
            return block


def _six_buttons(card: Card) -> tuple[Action, ...]:
    return tuple(action for action in card.every_action if isinstance(action, Button))[:TEAMS_ACTIONS]
