"""Phrases that more than one card uses, so that the same thing is always said in the same words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from cards.diff import change_in_words, marked
from cards.inline import Bold, Inline, Joined, Link, Plain, Words, blank, leaves, name, spaced, when
from cards.model import Change
from cards.text import beginning_of_line, is_blank, one_line, truncate

SIDE_CHARS = 300
NAME_CHARS = 60
PAUSE = "Write “mute 1d” to pause every card for a day."

ChangeKind = Literal["changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class ChangeLine:
    """One changed passage, as far as the reader may see it. Times are Ts; `valid_from` None means not known."""

    section_path: tuple[str, ...]
    source_name: str
    source_url: str | None
    before: str
    after: str
    kind: ChangeKind
    learned: int
    valid_from: int | None = None


def plural(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def short(text: str, limit: int = NAME_CHARS) -> str:
    return truncate(one_line(beginning_of_line(text, limit)), limit)


def _steps(section_path: Sequence[str]) -> list[str]:
    """The sections that have a name."""
    return [step for step in map(short, section_path) if not is_blank(step)]


def subject(section_path: Sequence[str], source_name: str) -> str:
    """What a change is about: its section, or the source where there is none."""
    return [_source(source_name), *_steps(section_path)][-1]


def _source(name: str) -> str:
    shown = short(name)
    return "A document" if is_blank(shown) else shown


def place(section_path: Sequence[str], source_name: str, source_url: str | None) -> Words:
    """Source and section, outermost first: the source leads to its own address."""
    source = _source(source_name)
    head: Inline = Link(source, source_url) if source_url else Plain(source)
    tail = ((Plain(" › "), Plain(step)) for step in _steps(section_path))
    return (head, *(part for pair in tail for part in pair))


def heading(section_path: Sequence[str], source_name: str, source_url: str | None) -> Words:
    """A place at the head of its own words: the last step is bold, so that one is told from the next."""
    *path, last = place(section_path, source_name, source_url)
    return (*path, Bold((last,)))


def headline(change: ChangeLine) -> Words:
    """The change in words when they are few, else what changed: never a guess at what it means.

    A section came or went where its own heading did; else something in it.
    """
    about = subject(change.section_path, change.source_name)
    if change.kind == "removed":
        return (Plain("Removed: " if short(change.before) == about else "Removed from "), Plain(about))
    if change.kind == "added":
        return (Plain("New: " if short(change.after) == about else "New in "), Plain(about))
    found = change_in_words(change.before, change.after)
    return (Plain(about), *(_sides(*found) if found else (Plain(" changed"),)))


def _sides(old: str, new: str) -> Words:
    if old and new:
        return (Plain(": "), Plain(old), Plain(" → "), Plain(new))
    verb, words = ("added", new) if new else ("dropped", old)
    return (Plain(f": {verb} “"), Plain(words), Plain("”"))


def change_row(change: ChangeLine, told: int | None = None) -> Change:
    """`told`: when it was learned, where the card says so already."""
    before, after = marked(change.before, change.after, SIDE_CHARS)
    labels = {"changed": ("Before", "Now"), "removed": ("Removed", "Now"), "added": ("Before", "Added")}
    before_label, after_label = labels[change.kind]
    return Change(
        before=() if change.kind == "added" else unmarked(before) if change.kind == "removed" else before,
        after=() if change.kind == "removed" else unmarked(after) if change.kind == "added" else after,
        heading=heading(change.section_path, change.source_name, change.source_url),
        note=times(change.valid_from, None if change.learned == told else change.learned),
        before_label=before_label,
        after_label=after_label,
    )


def unmarked(words: Words) -> Words:
    """Where a whole passage came or went, marking every word of it says nothing."""
    return (Joined(tuple(leaf for leaf, _ in leaves(words) if isinstance(leaf, Plain))),)


def times(valid_from: int | None, learned: int | None) -> Words:
    """Both times: when it is true in the world, and when the memory learnt of it."""
    said = (("Valid from ", valid_from), ("Learned ", learned))
    return spaced(((Plain(words), when(ts)) for words, ts in said if ts is not None), by=" · ")


def listed(names: Iterable[str], shown: int = 3) -> Words:
    """“A, B and C”, in bold, or “A, B and 4 more”."""
    return enumerated([bold for bold in (name(short(text)) for text in names) if not blank(bold)], shown)


def enumerated(parts: Sequence[Words], shown: int = 3) -> Words:
    """The first of these, and how many more there are."""
    if len(parts) > shown:
        hidden = len(parts) - shown + 1
        parts = [*parts[: shown - 1], (Plain(f"{hidden} more"),)]
    return _joined(parts)


def _joined(parts: Sequence[Words]) -> Words:
    joined: list[Inline] = []
    for index, part in enumerate(parts):
        if index:
            joined.append(Plain(" and " if index == len(parts) - 1 else ", "))
        joined += part
    return tuple(joined)
