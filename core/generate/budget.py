"""What a prompt may hold, so that an answer never costs more than was allowed. Pure.

Two limits, two measures. The budget is a promise to whoever pays: where the provider cannot count, every byte counts
as a token, since no tokenizer makes more of a text than it has bytes. The window is only what fits, and the server
itself refuses what does not: an estimate with a third to spare will do (small models split digits and codes finely).
What was said before may not be why anything is refused: it fits carefully counted, with all that stands beside it.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from core.errors import InvalidRequest
from core.generate.prompt import prompt
from core.generate.providers import LanguageModel, Message
from core.model.answers import Usage
from core.model.evidence import Passage
from core.model.threads import Line, Room
from core.planner.tokens import estimate_tokens, tokens_of

_PLAIN_WORD = re.compile(r" ?(?<![A-Za-z0-9])[A-Z]?[a-z]+(?![A-Za-z0-9])")
"""With the space before it, which is part of its first token."""
_FRAMING = 16
"""Tokens around a message: its role, and the marks of a chat template."""
_TOO_LONG = (
    "the question leaves no room for evidence within what the language model may cost and hold: ask in fewer words; "
    "whoever runs this may raise llm.budget_tokens or llm.context_window, or lower llm.max_tokens"
)


def room_for_evidence(model: LanguageModel, question: str) -> int:
    """Tokens that evidence may have beside the question. Raises InvalidRequest where there are none."""
    room = spare(model, prompt(question, ()))
    if room <= 0:
        raise InvalidRequest(_TOO_LONG)
    return room


def fitting(model: LanguageModel, question: str, passages: Sequence[Passage]) -> Sequence[Passage]:
    """The first passages, as many as fit beside the question: those that come first matter most.

    Raises InvalidRequest where not even one fits.
    """
    lengths = range(1, len(passages) + 1)
    many = bisect_left(lengths, 1, key=lambda length: spare(model, prompt(question, passages[:length])) < 0)
    if passages and not many:
        raise InvalidRequest(_TOO_LONG)
    return passages[:many]


def spare(model: LanguageModel, messages: Sequence[Message], *, carefully: bool = False) -> int:
    """Tokens that are left when these messages and the longest completion are paid for; negative where they are not."""
    counted = [_measures(model, message.text, carefully=carefully) for message in messages]
    fixed = _FRAMING * len(counted) + model.max_tokens
    left = model.budget_tokens - fixed - sum(most for _, most in counted)
    window = model.provider.context_window(model.name)
    return left if window is None else min(left, window - fixed - sum(likely for likely, _ in counted))


def measured(model: LanguageModel, messages: Sequence[Message], answer: str) -> Usage:
    """A guess at what a call cost, where the provider does not say."""
    asked = sum(_likely(model, message.text)[0] for message in messages)
    return Usage(asked, _likely(model, answer)[0], estimated=True)


def room_for_lines(model: LanguageModel, told: Callable[[Sequence[Line]], Sequence[Message]]) -> Room:
    """What the messages leave to what was said before, `told` with some of it."""
    whole = model.provider.context_window(model.name) or model.budget_tokens
    widest = spare(model, prompt("", ()), carefully=True)
    return Room(whole, widest, lambda lines: spare(model, told(lines), carefully=True))


def left_of(tokens: int, lines: Sequence[Line]) -> int:
    """What is left of so many tokens, where nobody knows how a model would count."""
    return tokens - sum(_FRAMING + estimate_tokens(line.text) for line in lines)


def _measures(model: LanguageModel, text: str, *, carefully: bool) -> tuple[int, int]:
    """The tokens that a text likely has, with a margin where they are guessed, and the most that it can have."""
    tokens, guessed = _likely(model, text)
    if not guessed:
        return tokens, tokens
    most = len(text.encode())
    return (_careful(text) if carefully else tokens * 3 // 2 + 1), most


def _careful(text: str) -> int:
    """Tokens that hardly any text has more of: one a byte, but half as many where it is plain words."""
    saved = sum(len(word[0]) - (len(word[0].strip()) + 1) // 2 for word in _PLAIN_WORD.finditer(text))
    return len(text.encode()) - saved


def _likely(model: LanguageModel, text: str) -> tuple[int, bool]:
    return tokens_of(text, model=model.name, accounting=model.provider)
