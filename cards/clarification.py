"""The Clarification card: two sources disagree, or somebody needs to know, and you can say.

It stands for as long as the question does: with what its reader chose, and with what came of it in the end.
"""

from dataclasses import dataclass
from typing import Literal

from cards.actions import Button, Option
from cards.answer import QUOTE_CHARS, AnswerCitation
from cards.inline import Bold, Plain, Words, cut, say
from cards.limits import ROWS, TEAMS_BUTTON, columns
from cards.model import Block, Card, Citation, Citations, Context, Text
from cards.phrases import place, short
from cards.text import beginning, is_blank, one_line

DONT_KNOW = "dont_know"
BUTTON_CHARS = TEAMS_BUTTON  # what the narrowest button shows whole
OPTION_CHARS = 300
_VOTE = (
    "Your choice counts as one vote, and you can change it until this is settled. "
    "If it is not yours to say, choose “Don’t know”."
)
_STATES = {
    "pending": "",
    "bound": "Settled.",
    "conflicted": "People could not agree on this: a steward settles it.",
}


@dataclass(frozen=True, slots=True)
class OptionWords:
    """The words of a document that say what an option says."""

    label: str
    cited: AnswerCitation


@dataclass(frozen=True, slots=True)
class ClarificationContent:
    """`chosen`: what the reader voted for; None where they `voted` and do not know, or may not read it: `withheld`.

    `settled`: what came of it.
    """

    target: str
    question: str
    why: str
    options: tuple[Option, ...]
    nonce: str
    state: Literal["pending", "bound", "conflicted"] = "pending"
    may_vote: bool = True
    words: tuple[OptionWords, ...] = ()
    voted: bool = False
    chosen: str | None = None
    withheld: bool = False
    settled: str | None = None


def clarification(content: ClarificationContent) -> Card:
    question = short(content.question, 150) or "A question for you"
    options = tuple(option for option in content.options if not is_blank(option.label))[:ROWS]
    numbered = any(columns(one_line(option.label)) > BUTTON_CHARS for option in options)
    whole = () if len(content.question) <= 150 else (*say(content.question), Plain("\n"))
    blocks: tuple[Block, ...] = (
        Text((*whole, *(_in_full(options) if numbered else ()))),
        _words(content.words),
        Text(_outcome(content)),
        Context(say(f"Why you are asked: {content.why}" if not is_blank(content.why) else "")),
        Context((Plain(_VOTE),), explains="clarify_vote"),
    )
    labelled = _numbered(options) if numbered else options
    buttons = (*labelled, Option(DONT_KNOW, "Don’t know")) if content.may_vote else ()
    lead = "A question for you: " if content.state == "pending" else "A question you were asked: "
    votes = tuple(_vote(content, option) for option in buttons)
    return Card((Plain(question),), blocks, votes, fallback=(Plain(lead), Plain(question)))


def _numbered(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """As the buttons name them where one is too small for its option: cut off, two may read alike."""
    return tuple(Option(option.arg, f"{number}. {option.label}") for number, option in enumerate(options, start=1))


def _in_full(options: tuple[Option, ...]) -> Words:
    lines = [
        (Plain(f"{number}. "), Plain(short(o.label, OPTION_CHARS)), Plain("\n"))
        for number, o in enumerate(options, start=1)
    ]
    return tuple(part for line in lines for part in line)


def _words(words: tuple[OptionWords, ...]) -> Citations:
    shown = tuple(_citation(number, one) for number, one in enumerate(words[:ROWS], start=1))
    return Citations(shown, more=len(words[ROWS:]))


def _citation(number: int, words: OptionWords) -> Citation:
    cited = words.cited
    where = place(cited.section_path, cited.source_name, cited.source_url)
    source = (Bold(say(short(words.label, BUTTON_CHARS))), Plain(": "), *where)
    return Citation(number, source, cut(say(beginning(cited.quote, QUOTE_CHARS)), QUOTE_CHARS))


def _outcome(content: ClarificationContent) -> Words:
    """What came of it, and what the reader chose."""
    settled = f"Settled: {short(content.settled, OPTION_CHARS)}" if content.settled else _STATES[content.state]
    unsaid = "You chose what you may no longer read." if content.withheld else "You said that you do not know."
    own = f"You chose: {short(content.chosen, OPTION_CHARS)}" if content.chosen else unsaid
    return say("\n".join(line for line in (settled, own if content.voted else "") if line))


def _vote(content: ClarificationContent, option: Option) -> Button:
    return Button("clarify_vote", content.target, content.nonce, short(option.label, BUTTON_CHARS), arg=option.arg)
