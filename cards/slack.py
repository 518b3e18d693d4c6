"""A neutral card as Slack Block Kit: a message, `{"blocks": […], "text": …}`, or the Home tab's view.

Reading order: a header, then what happened at normal size, small print in context blocks; a row's one button stands
beside it, lists without any are bullets, and the card's own buttons come last, after what came of a tap. On the Home
tab, which is read as a page, the title of a part is a header too.
"""

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

from cards import limits
from cards.actions import Button
from cards.inline import Bold, Code, Date, Link, Plain, Words, blank, leaves
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
    is_empty_row,
    more_words,
)
from cards.slack_controls import beside, button, buttons, selects
from cards.slack_text import (
    Json,
    bullets,
    context,
    cut_text,
    elements,
    quote,
    rich,
    section,
    sections,
    unmarked,
)
from cards.text import is_blank, utf16_length

Titled: TypeAlias = Callable[[Words], Json]
"""How the title of a part is shown."""


def to_slack(card: Card) -> Json:
    """A message within Slack's limits for any card."""
    return limits.fitted(card, _message, lambda message: _within(message["blocks"], limits.SLACK_TOTAL))


def to_slack_home(card: Card) -> Json:
    """The view of the Home tab, within its limits for any card; no card of ours takes more blocks than a message."""
    return limits.fitted(card, _home, lambda view: _within(view["blocks"], limits.SLACK_HOME_TOTAL))


def _message(card: Card) -> Json:
    return {"blocks": _blocks(card, _strong), "text": unmarked(card.fallback_text)}


def _home(card: Card) -> Json:
    return {"type": "home", "blocks": _blocks(card, _header) or [_header((Plain(card.fallback_text),))]}


def _blocks(card: Card, titled: Titled) -> list[Json]:
    numbers = count(1)
    blocks = [] if blank(card.title) else [_header(card.title)]
    for block in card.shown_blocks:
        blocks += _titled(block, titled)
        blocks += _rows(block, numbers) if isinstance(block, Rows) else [_block(block)]
    blocks += [_strong((Plain(o.words),)) for o in card.outcomes if not is_blank(o.words)]
    blocks += [*selects(card.actions, numbers), *buttons(card.actions, numbers)]
    return [block | {"block_id": f"b{index}"} for index, block in enumerate(blocks, start=1)]


def _titled(block: Block, titled: Titled) -> list[Json]:
    title = block.title if isinstance(block, Rows | Text) else ()
    return [] if blank(title) else [titled(title)]


def _within(blocks: list[Json], most: int) -> bool:
    whole = utf16_length(json.dumps(blocks, ensure_ascii=False, separators=(",", ":")))
    return whole <= most and len(blocks) <= limits.SLACK_BLOCKS and all(map(_short_enough, blocks))


def _short_enough(block: Json) -> bool:
    return block["type"] != "rich_text" or _length(block) <= limits.SLACK_RICH_TEXT


def _length(part: Json) -> int:
    """Of the text inside a rich_text block or one of its parts."""
    if "elements" in part:
        return sum(map(_length, part["elements"]))
    return utf16_length(str(part.get("text") or part.get("fallback")))


def _header(title: Words) -> Json:
    return {"type": "header", "text": cut_text(title, limits.SLACK_HEADER)}


def _strong(title: Words) -> Json:
    return rich([section(title, bold=True)])


def _block(block: Text | Quote | Fields | Citations | Context | Divider) -> Json:
    match block:
        case Text(words=words):
            return rich([section(words)])
        case Quote(words, source):
            return rich([quote(words), *sections(source)])
        case Fields(pairs):
            return rich([section((*name, Plain(": "), *value)) for name, value in pairs if not blank(value)])
        case Citations(items, more):
            rest = sections((Plain(f"and {more} more"),) if more else ())
            return rich([part for item in items for part in _citation(item)] + rest)
        case Context(words=words):
            return context(words)
        case Divider():
            return {"type": "divider"}


def _rows(rows: Rows, numbers: Iterator[int]) -> Iterator[Json]:
    shown = [row for row in rows.rows if not is_empty_row(row)]
    if all(isinstance(row, Item) and not row.buttons for row in shown):
        yield from _bullets(shown)
    else:
        for row in shown:
            yield from _row(row, numbers)
    yield from [context(more_words(rows))] if rows.more else []


def _bullets(rows: list[Row]) -> Iterator[Json]:
    """As many in a block as it holds."""
    kept: list[Words] = []
    for row in rows:
        item = _lines(row.heading, row.note)
        if kept and _length(rich([bullets([*kept, item])])) > limits.SLACK_RICH_TEXT:
            yield rich([bullets(kept)])
            kept = []
        kept.append(item)
    yield rich([bullets(kept)])


def _lines(heading: Words, note: Words) -> Words:
    if blank(heading) or blank(note):
        return (*heading, *note)
    return (Bold(heading), Plain("\n"), *note)


def _row(row: Row, numbers: Iterator[int]) -> Iterator[Json]:
    alone = _is_one_line(row)
    if alone:
        yield beside(row.heading, *(element for action in row.buttons for element in button(action, numbers)))
    elif parts := [*sections(row.heading), *(_sides(row) if isinstance(row, Change) else [])]:
        yield rich(parts)
    yield from selects(row.buttons, numbers)
    yield from [] if blank(row.note) else [context(row.note)]
    yield from [] if alone else buttons(row.buttons, numbers)


def _is_one_line(row: Row) -> bool:
    """Whether the row is plain text with one button or none: a section shows no style and no link of ours."""
    simple = all(not bold and not isinstance(leaf, Code | Date | Link) for leaf, bold in leaves(row.heading))
    single = len(row.buttons) <= 1 and all(isinstance(action, Button) for action in row.buttons)
    return isinstance(row, Item) and single and simple and not blank(row.heading)


def _sides(change: Change) -> list[Json]:
    """Both sides in one quote, told apart by their labels; the mark only underlines what the label says."""
    before = _side(change.before_label, change.before, "strike")
    after = _side(change.after_label, change.after, "bold")
    between = [{"type": "text", "text": "\n"}] if before and after else []
    return [{"type": "rich_text_quote", "elements": before + between + after}] if before or after else []


def _side(name: str, words: Words, mark: str) -> list[Json]:
    return [] if blank(words) else [{"type": "text", "text": f"{name}: "}, *elements(words, mark)]


def _citation(citation: Citation) -> list[Json]:
    source = section((Plain(f"[{citation.number}] "), *citation.source))
    return [source] if blank(citation.quote) else [source, quote(citation.quote)]
