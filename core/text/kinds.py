"""Which kind of answer a question asks for, and whether a sentence holds one. Pure.

"How long" asks for a number, "which channel" for a name with a `#`. A question may ask for several kinds, of which any
will do: "when" may be answered by a date or a weekday. One that asks for none of them, or in a language that these
words do not know, says nothing about its sentences.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.text.numbers import numbers

# Of each line the first "slack" alone is followed up: of several, what stands behind the last stands behind the first.
_CHANNEL = re.compile(
    r"(?<![\w&/])#[a-z][\w-]+|(?<!\S)@[a-z][\w-]+|^(?:(?!\bslack\b).)*+\bslack\b.*[a-z]-[a-z]",
    re.IGNORECASE | re.MULTILINE,
)
_PHONE = re.compile(r"\d(?:[ ()+./-]*\d){6,}")
_ADDRESS = re.compile(r"\S@\S|(?<!\d)\d{2,5}(?!\d)")
_OFTEN = re.compile(
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annually|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|today|tomorrow|immediately|noon|midnight)\b",
    re.IGNORECASE,
)


def _new_number(question: str, text: str) -> bool:
    """A number that only repeats the question's answers nothing."""
    return bool(numbers(text).keys() - numbers(question).keys())


@dataclass(frozen=True, slots=True)
class _Kind:
    asks: re.Pattern[str]
    held: Callable[[str, str], bool]
    """Whether a question, the first, is answered in kind by a text, the second."""


def _asks(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


_KINDS = (
    _Kind(_asks("channels?|slack|chat room|ping"), lambda _, text: bool(_CHANNEL.search(text))),
    _Kind(_asks("(?:tele)?phone|call|ring|dial|hotline"), lambda _, text: bool(_PHONE.search(text))),
    _Kind(
        _asks("e-?mails?|mails?|inbox|address(?:es)?|write to|contact|reach"),
        lambda _, text: bool(_ADDRESS.search(text)),
    ),
    _Kind(
        _asks(
            "how (?:many|much|long|old|big|large|high|soon|often|far|late)|amounts?|percent(?:age)?|rate|costs?|price"
            "|fee|limit|cap|cut-?off|size|salary|number|headcount|dollars|euros|maximum|minimum|code|allowance|budget"
            "|pay|version"
        ),
        _new_number,
    ),
    _Kind(
        _asks("when|dates?|days?|until|deadline|times?|weeks?|months?|hours?|years?"),
        lambda question, text: bool(_OFTEN.search(text)) or _new_number(question, text),
    ),
)


def asks_in_kind(question: str) -> bool:
    """Whether it asks for a number, a date, an address or another of these kinds."""
    return any(kind.asks.search(question) for kind in _KINDS)


def in_kind(question: str) -> Callable[[str], bool]:
    """Says of a text whether it holds an answer of a kind that is asked for; of none, where none is."""
    wanted = [kind for kind in _KINDS if kind.asks.search(question)]
    return lambda text: any(kind.held(question, text) for kind in wanted)
