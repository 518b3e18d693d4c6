"""The brief: the changes of a week, a day or an hour, one line each."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from cards.actions import Button
from cards.inline import Bold, Plain, Words, when
from cards.limits import BLOCKS, ROWS
from cards.model import Block, Card, Context, Item, Rows, Text
from cards.phrases import ChangeLine, headline, listed, place, plural

LINES = 15
GROUPS = BLOCKS - 3


@dataclass(frozen=True, slots=True)
class BriefLine:
    """`watch_target` is set where the reader does not watch this yet."""

    change: ChangeLine
    material: bool = False
    watch_target: str | None = None


@dataclass(frozen=True, slots=True)
class WeeklyBriefContent:
    """Lines in the order to show: material first, newest first. `more` counts changes beyond them.

    `stop_target` is the reader's brief; `watches` are the watches it was folded from.
    """

    lines: tuple[BriefLine, ...]
    nonce: str
    stop_target: str
    more: int = 0
    watches: tuple[str, ...] = ()
    period: Literal["hour", "day", "week"] = "week"


def weekly_brief(content: WeeklyBriefContent) -> Card:
    groups = _grouped(content.lines[:LINES])
    shown = groups[:GROUPS]
    left_out = len(content.lines) + content.more - sum(len(lines) for lines in shown)
    title = (Plain(f"Your {content.period} in memory: {plural(len(content.lines) + content.more, 'change')}"),)
    blocks: tuple[Block, ...] = (
        *_sections(shown, content.nonce),
        Text((Plain(f"and {left_out} more"),) if left_out else ()),
        Context(_counts(content)),
    )
    fallback = (*title, *_first(content.lines))
    return Card(title, blocks, (_stop(content),), fallback)


def _grouped(lines: Iterable[BriefLine]) -> list[list[BriefLine]]:
    """By source, in the order in which the sources first appear, so that material ones stay on top."""
    order: dict[tuple[str, str | None], list[BriefLine]] = {}
    for line in lines:
        order.setdefault((line.change.source_name, line.change.source_url), []).append(line)
    return list(order.values())


def _sections(groups: list[list[BriefLine]], nonce: str) -> list[Block]:
    offered = [line for group in groups for line in group if line.watch_target][:ROWS]
    sections: list[Block] = []
    for group in groups:
        first = group[0].change
        rows = tuple(_row(line, nonce, any(line is offer for offer in offered)) for line in group)
        sections.append(Rows(rows, title=(Bold(place((), first.source_name, first.source_url)),)))
    return sections


def _row(line: BriefLine, nonce: str, offered: bool) -> Item:
    important: Words = (Plain("Important: "),) if line.material else ()
    buttons = (Button("watch_create", line.watch_target or "", nonce, "Watch this"),) if offered else ()
    return Item((*important, *headline(line.change)), (Plain("Learned "), when(line.change.learned)), buttons)


def _counts(content: WeeklyBriefContent) -> Words:
    material = sum(line.material for line in content.lines)
    said = f"A number or a “not” changed in {material} of them. " if material else ""
    names = listed(content.watches)
    return (Plain(said), *((Plain("From your watches "), *names, Plain(".")) if names else ()))


def _first(lines: tuple[BriefLine, ...]) -> Words:
    return (Plain(". "), *headline(lines[0].change)) if lines else ()


def _stop(content: WeeklyBriefContent) -> Button:
    label = {"hour": "Stop hourly brief", "day": "Stop daily brief", "week": "Stop weekly brief"}[content.period]
    return Button("watch_mute", content.stop_target, content.nonce, label, arg="stop")
