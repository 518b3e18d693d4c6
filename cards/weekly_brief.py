"""The brief: the changes of a week, a day or an hour, one line each."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from cards.actions import Button
from cards.answer_updated import STATUS_WORDS
from cards.inline import Bold, Plain, Words, sentence, spaced
from cards.limits import BLOCKS, ROWS
from cards.model import Block, Card, Context, Item, Rows
from cards.notices import AnswerEntry, answer_row
from cards.phrases import heading, listed, plural
from cards.questions import Line, QuestionLine, line_headline
from cards.text import is_blank

Period = Literal["hour", "day", "week"]
LINES = 15
GROUPS = BLOCKS - 3


@dataclass(frozen=True, slots=True)
class BriefLine:
    """`watch_target` is set where the reader does not watch this yet, `watch_arg` where that has to say what it is.

    `further` counts more passages of the change.
    """

    change: Line
    material: bool = False
    watch_target: str | None = None
    further: int = 0
    watch_arg: str | None = None


@dataclass(frozen=True, slots=True)
class WeeklyBriefContent:
    """Lines in the order to show: material first, newest first. `more` counts changes beyond them.

    `watches` are the watches it was folded from; `answers` the saved answers that need a look.
    """

    lines: tuple[BriefLine, ...]
    nonce: str
    more: int = 0
    watches: tuple[str, ...] = ()
    period: Period = "week"
    answers: tuple[AnswerEntry, ...] = ()


def weekly_brief(content: WeeklyBriefContent) -> Card:
    groups = _grouped(content.lines[:LINES])
    shown = groups[: GROUPS - bool(content.answers)]
    left_out = len(content.lines) + content.more - sum(len(lines) for lines in shown)
    blocks: tuple[Block, ...] = (
        _answers(content.answers),
        *_sections(shown, content.nonce),
        Context((Plain(f"and {left_out} more"),) if left_out else ()),
        Context(_counts(content)),
    )
    title = (Plain(f"Your {content.period} in memory: {_news(content)}"),)
    return Card(title, blocks, _stop(content), fallback=(*title, *_first(content)))


def _news(content: WeeklyBriefContent) -> str:
    changes = len(content.lines) + content.more
    return plural(changes, "change") if changes else f"{plural(len(content.answers), 'saved answer')} to look at"


def _answers(answers: tuple[AnswerEntry, ...]) -> Rows:
    rows = tuple(replace(answer_row(entry), note=(Plain(STATUS_WORDS[entry.status]),)) for entry in answers[:ROWS])
    hint = "Write “saved” to see them all."
    return Rows(rows, title=(Plain("Saved answers to look at"),), more=len(answers[ROWS:]), more_hint=hint)


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
        rows = tuple(_row(line, nonce, any(line is offer for offer in offered)) for line in group)
        sections.append(Rows(rows, title=_source(group[0].change)))
    return sections


def _source(line: Line) -> Words:
    if isinstance(line, QuestionLine) and is_blank(line.source_name):
        return (Bold((Plain("Questions"),)),)
    return heading((), line.source_name, line.source_url)


def _row(line: BriefLine, nonce: str, offered: bool) -> Item:
    important: Words = (Bold((Plain("Important:"),)), Plain(" ")) if line.material else ()
    buttons = (
        (Button("watch_create", line.watch_target or "", nonce, "Watch this", arg=line.watch_arg),) if offered else ()
    )
    further = (Plain(f", and {plural(line.further, 'more passage')}"),) if line.further else ()
    return Item((*important, *line_headline(line.change), *further), (), buttons)


def _counts(content: WeeklyBriefContent) -> Words:
    material = sum(line.material for line in content.lines if not isinstance(line.change, QuestionLine))
    decided = sum(line.material for line in content.lines if isinstance(line.change, QuestionLine))
    said = (Plain(f"A number or a “not” changed in {material} of them."),) if material else ()
    questions = (Plain(f"{plural(decided, 'question')} settled or in dispute."),) if decided else ()
    names = listed(content.watches)
    watches = sentence((Plain("From your watches "), *names)) if names else ()
    stop = () if content.period == "week" else (Plain("Write “watching” to stop one."),)
    return spaced((said, questions, watches, stop))


def _first(content: WeeklyBriefContent) -> Words:
    return (Plain(". "), *line_headline(content.lines[0].change)) if content.lines else ()


def _stop(content: WeeklyBriefContent) -> tuple[Button, ...]:
    """What comes hourly or daily is one watch's own pace, and ends with that watch."""
    if content.period != "week":
        return ()
    return (Button("preference_set", "brief_day", content.nonce, "Stop weekly brief", arg="off"),)
