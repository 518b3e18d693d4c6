"""A question that somebody asks about a node, checked. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from core.clarifications.conflicts import same
from core.errors import InvalidRequest
from core.model.principals import reader_name
from core.text.given import refuse_broken

QUESTION_CHARS, OPTION_CHARS = 500, 200
MOST_OPTIONS = 5
"""A card has room for as many buttons, and one for not knowing."""
YES_OR_NO = ("Yes", "No")
"""What may be answered where no options are given."""


@dataclass(frozen=True, slots=True)
class Opening:
    """`audience`: who is asked: names of roles, `person:<id>` or everyone. `quorum`: how many of them must agree.

    Raises InvalidRequest, saying what would be right.
    """

    node_id: UUID
    question: str
    audience: Sequence[str]
    options: Sequence[str] = ()
    quorum: int = 1

    def __post_init__(self) -> None:
        _check_text("question", self.question, QUESTION_CHARS)
        _check_options(self.options)
        if isinstance(self.audience, str) or not self.audience:
            raise InvalidRequest("audience: name who is asked, such as steward, person:<id> or everyone")
        names = [reader_name(name, ("audience", number)) for number, name in enumerate(self.audience)]
        object.__setattr__(self, "audience", tuple(names))
        if type(self.quorum) is not int or self.quorum < 1:
            raise InvalidRequest(f"quorum is {self.quorum!r}; it must be a number of people, at least 1")

    @property
    def words(self) -> str:
        """The question in one line, however it was spaced."""
        return " ".join(self.question.split())

    @property
    def choices(self) -> tuple[str, ...]:
        return tuple(self.options) or YES_OR_NO


def _check_options(options: Sequence[str]) -> None:
    if isinstance(options, str) or (options and not 2 <= len(options) <= MOST_OPTIONS):
        words = f"options: give 2 to {MOST_OPTIONS} of them, or none for a question of yes or no"
        raise InvalidRequest(words, at=("options",))
    for number, option in enumerate(options, start=1):
        _check_text(f"option {number}", option, OPTION_CHARS)
        for earlier, other in enumerate(options[: number - 1], start=1):
            if same(option, other):
                words = f"option {number} says the same as option {earlier}; let each say its own"
                raise InvalidRequest(words, at=("options", number - 1))


def _check_text(where: str, text: str, most: int) -> None:
    if not isinstance(text, str) or not text.strip():
        raise InvalidRequest(f"{where} is blank; write what people are to read")
    if len(text) > most:
        raise InvalidRequest(f"{where} is {len(text)} characters; it must be at most {most}")
    refuse_broken(where, text)
