"""The Clarification card: two sources disagree, or somebody needs to know, and you can say."""

from dataclasses import dataclass

from cards.actions import Button, Option
from cards.inline import Plain, Words, say
from cards.limits import ROWS
from cards.model import Block, Card, Context, Text
from cards.phrases import short
from cards.text import is_blank, one_line

DONT_KNOW = "dont_know"
BUTTON_CHARS = 40
_VOTE = "Your choice counts as one vote. If it is not yours to say, choose “Don’t know”."


@dataclass(frozen=True, slots=True)
class ClarificationContent:
    target: str
    question: str
    why: str
    options: tuple[Option, ...]
    nonce: str


def clarification(content: ClarificationContent) -> Card:
    question = short(content.question, 150) or "A question for you"
    options = tuple(option for option in content.options if not is_blank(option.label))[:ROWS]
    whole = () if len(content.question) <= 150 else say(content.question)
    blocks: tuple[Block, ...] = (
        Text(whole),
        Text(_in_full(options)),
        Context(say(f"Why you are asked: {content.why}" if not is_blank(content.why) else "")),
        Context((Plain(_VOTE),), explains="clarify_vote"),
    )
    votes = tuple(_vote(content, option) for option in (*options, Option(DONT_KNOW, "Don’t know")))
    return Card((Plain(question),), blocks, votes, fallback=(Plain("A question for you: "), Plain(question)))


def _in_full(options: tuple[Option, ...]) -> Words:
    """The options, where a button is too small for one of them."""
    if all(short(option.label, BUTTON_CHARS) == one_line(option.label) for option in options):
        return ()
    lines = [
        (Plain(f"{number}. "), Plain(short(o.label, 300)), Plain("\n")) for number, o in enumerate(options, start=1)
    ]
    return tuple(part for line in lines for part in line)


def _vote(content: ClarificationContent, option: Option) -> Button:
    return Button("clarify_vote", content.target, content.nonce, short(option.label, BUTTON_CHARS), arg=option.arg)
