"""The neutral card: what is said, in which order, and what can be done. Renderers alone know a platform.

A block that would show nothing is dropped by `Card.shown_blocks`, so that no renderer meets an empty one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from cards.actions import Action, Kind, LinkButton, renewed, used
from cards.inline import Plain, Words, blank, line
from cards.text import ended

Block: TypeAlias = "Text | Quote | Rows | Fields | Citations | Context | Divider"
Row: TypeAlias = "Change | Item"

FALLBACK_CHARS = 150


@dataclass(frozen=True, slots=True)
class Text:
    words: Words
    title: Words = ()


@dataclass(frozen=True, slots=True)
class Quote:
    words: Words
    source: Words = ()


@dataclass(frozen=True, slots=True)
class Change:
    """Two states of one passage; the bold words are the ones that differ. An empty side is not shown."""

    before: Words
    after: Words
    heading: Words = ()
    note: Words = ()
    before_label: str = "Before"
    after_label: str = "Now"
    buttons: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    heading: Words
    note: Words = ()
    buttons: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """A list; `more` counts what it leaves out, and `more_hint` says where that is."""

    rows: tuple[Row, ...]
    title: Words = ()
    more: int = 0
    more_hint: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    pairs: tuple[tuple[Words, Words], ...]


@dataclass(frozen=True, slots=True)
class Citation:
    number: int
    source: Words
    quote: Words = ()


@dataclass(frozen=True, slots=True)
class Citations:
    items: tuple[Citation, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """Small print. What `explains` a kind of button is gone with the last of them."""

    words: Words
    explains: Kind | None = None


@dataclass(frozen=True, slots=True)
class Divider:
    pass


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tap on `target` led to, in words."""

    target: str
    words: str


@dataclass(frozen=True, slots=True)
class Card:
    """`severity` changes only how a card looks; the title says the same in words."""

    title: Words
    blocks: tuple[Block, ...]
    actions: tuple[Action, ...]
    fallback: Words
    severity: Literal["normal", "material"] = "normal"
    outcomes: tuple[Outcome, ...] = ()

    @property
    def fallback_text(self) -> str:
        """What a notification or a screen reader gets: a sentence complete in itself, never empty, one line."""
        said = (line(words, FALLBACK_CHARS - 1) for words in (self.fallback, self.title))
        text = next(filter(None, said), "There is news from your team’s memory.")
        return text if ended(text) else f"{text}."

    @property
    def shown_blocks(self) -> tuple[Block, ...]:
        offered = {action.kind for action in self.every_action if not isinstance(action, LinkButton)}
        return tuple(block for block in self.blocks if not is_empty(block) and _explained(block) <= offered)

    @property
    def every_action(self) -> tuple[Action, ...]:
        """Its own, then those of its rows."""
        lists = (block for block in self.blocks if isinstance(block, Rows))
        return self.actions + tuple(action for rows in lists for row in rows.rows for action in row.buttons)


def _explained(block: Block) -> set[Kind]:
    return {block.explains} if isinstance(block, Context) and block.explains else set()


def is_empty(block: Block) -> bool:
    match block:
        case Text(words=words) | Context(words=words) | Quote(words=words):
            return blank(words)
        case Rows(rows=rows):
            return all(is_empty_row(row) for row in rows)
        case Fields(pairs):
            return all(blank(value) for _, value in pairs)
        case Citations(items):
            return not items
        case Divider():
            return False


def is_empty_row(row: Row) -> bool:
    sides = row.before + row.after if isinstance(row, Change) else ()
    return blank(row.heading + row.note + sides) and not row.buttons


def with_nonce(card: Card, nonce: str) -> Card:
    """The same card whose every button carries `nonce`."""
    return _map_actions(card, lambda actions: tuple(renewed(action, nonce) for action in actions))


def with_outcome(
    card: Card,
    words: str,
    *,
    target: str = "",
    remove_kinds: frozenset[str] = frozenset(),
    actions: tuple[Action, ...] = (),
) -> Card:
    """The same card after a tap: the outcome in words, the used buttons gone, `actions` added.

    Only buttons of `remove_kinds` on `target` go, or on any target where none is named. A second outcome of the same
    target takes the place of the first, so "Refreshing…" gives way to what it led to.
    """
    rest = _map_actions(card, lambda old: tuple(a for a in old if not used(a, remove_kinds, target or None)))
    others = tuple(outcome for outcome in card.outcomes if outcome.target != target)
    return replace(rest, outcomes=(*others, Outcome(target, words)), actions=rest.actions + actions)


def _map_actions(card: Card, change: Callable[[tuple[Action, ...]], tuple[Action, ...]]) -> Card:
    blocks = tuple(_map_rows(block, change) if isinstance(block, Rows) else block for block in card.blocks)
    return replace(card, blocks=blocks, actions=change(card.actions))


def _map_rows(rows: Rows, change: Callable[[tuple[Action, ...]], tuple[Action, ...]]) -> Rows:
    return replace(rows, rows=tuple(replace(row, buttons=change(row.buttons)) for row in rows.rows))


def more_words(rows: Rows) -> Words:
    """The line under a list that leaves things out."""
    if rows.more <= 0:
        return ()
    return (Plain(f"and {rows.more} more{'. ' + rows.more_hint if rows.more_hint else ''}"),)
