"""Answering without a model: the sentences of the evidence that best answer the question, word for word. Pure.

A sentence is scored by how near its meaning is to the question's, by its passage's own weight in the plan, by whether
it holds what is asked for (a number, an address; see core.text.kinds), and by how many of the question's content
words it holds itself or stands under. The best one answers; up to three more join it while they score nearly as well.
They are said best first, so that who reads one sentence reads the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.generate.nearness import held
from core.model.spans import SpanRef
from core.text.fold import fold
from core.text.kinds import in_kind
from core.text.terms import terms

MAX_SENTENCES = 4
_FEWEST_WORDS = 2
_COLONS = (":", "：")
_MEANING, _PASSAGE, _KIND, _WORDS = 1.0, 1.5, 0.5, 0.3
_NEARLY = 0.3
"""A sentence joins the best one where it scores no further below; a whole one scores up to 3.3."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`span`: exactly these words. `context`: headings and lead-in above them. `weight`: their passage's."""

    span: SpanRef
    text: str
    context: str
    cosine: float
    weight: float


def choose(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The one to four sentences that answer best, best first; none when none asserts anything."""
    asserting = [sentence for sentence in sentences if _asserts(sentence)]
    scores = _scores(question, asserting)
    ranked = sorted(asserting, key=lambda sentence: (-scores[sentence], sentence.span))
    distinct: dict[str, Sentence] = {}
    for sentence in ranked:
        distinct.setdefault(fold(sentence.text), sentence)
    return [one for one in list(distinct.values())[:MAX_SENTENCES] if scores[one] >= scores[ranked[0]] - _NEARLY]


def _asserts(sentence: Sentence) -> bool:
    """Not so a bare name, a question, and what announces a list; but a word beside a number, and any item of a list."""
    found = len(terms(sentence.text))
    is_listed = any(line.rstrip().endswith(_COLONS) for line in sentence.context.splitlines())
    return found >= (1 if is_listed else _FEWEST_WORDS) and not sentence.text.rstrip().endswith((*_COLONS, "?", "？"))


def _scores(question: str, sentences: Sequence[Sentence]) -> dict[Sentence, float]:
    wanted, offers = set(terms(question)), in_kind(question)
    heaviest = max((sentence.weight for sentence in sentences), default=0.0) or 1.0
    return {
        sentence: _MEANING * max(0.0, sentence.cosine)
        + _PASSAGE * sentence.weight / heaviest
        + _KIND * bool(offers(sentence.text))
        + _WORDS * held(wanted, f"{sentence.context}\n{sentence.text}")
        for sentence in sentences
    }
