"""What has come of a question that its reader watches, in a line of its own beside what changed in documents."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from cards.inline import Bold, Plain, Words, sentence, spaced
from cards.model import Change
from cards.phrases import SIDE_CHARS, ChangeLine, change_row, headline, place, short, times
from cards.text import is_blank

TITLE_CHARS, VALUE_CHARS = 80, 60


@dataclass(frozen=True, slots=True)
class Stood:
    """How a question stands. `said`: what there is to choose while it is pending; what it is bound to, once it is."""

    state: Literal["pending", "bound", "conflicted"]
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """`section_path`: what it is about, within the source; both blank where it is about no document. `learned`: Ts."""

    question: str
    section_path: tuple[str, ...]
    source_name: str
    source_url: str | None
    before: Stood | None
    after: Stood
    learned: int

    @property
    def decided(self) -> bool:
        """Whether it was settled, or could not be."""
        return self.after.state != "pending"


Line: TypeAlias = "ChangeLine | QuestionLine"


def line_headline(line: Line) -> Words:
    """What a line says, in a few words."""
    if isinstance(line, ChangeLine):
        return headline(line)
    asked = sentence((Plain(_question(line, TITLE_CHARS)),))
    return (*asked, Plain(" "), Plain(_words(line.after, VALUE_CHARS, pending="Asked again")))


def line_row(line: Line, told: int | None = None) -> Change:
    """`told`: when it was learned, where the card says so already."""
    if isinstance(line, ChangeLine):
        return change_row(line, told)
    return Change(
        before=(Plain(_words(line.before, SIDE_CHARS, pending="Open")),) if line.before else (),
        after=(Plain(_words(line.after, SIDE_CHARS, pending="Asked again")),),
        heading=(Bold((Plain(_question(line, SIDE_CHARS)),)),),
        note=spaced((_about(line), times(None, None if line.learned == told else line.learned)), by=" · "),
    )


def _question(line: QuestionLine, limit: int) -> str:
    shown = short(line.question, limit)
    return "A question" if is_blank(shown) else shown


def _about(line: QuestionLine) -> Words:
    if is_blank(line.source_name) and not line.section_path:
        return ()
    return place(line.section_path, line.source_name, line.source_url)


def _words(stood: Stood, limit: int, *, pending: str) -> str:
    said = [short(value, limit) for value in stood.said if not is_blank(value)]
    state = {"pending": pending, "bound": "Settled", "conflicted": "In dispute"}[stood.state]
    return f"{state}: {_or(said)}" if said else state


def _or(values: list[str]) -> str:
    """“40, 55 or 60”."""
    return " or ".join(part for part in (", ".join(values[:-1]), values[-1]) if part)
