"""Answering without a model: the sentences of the evidence that best answer the question, word for word. Pure.

A sentence is scored by how near its meaning is to the question's, by how many of the question's content words it holds
itself or stands under, and by its passage's own weight in the plan. The best one answers; up to three more join it
while they score nearly as well. They are shown in the order given, so that sentences of one passage stay together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.model.spans import SpanRef
from core.text.terms import terms

MAX_SENTENCES = 4
_FEWEST_WORDS = 2
_NEARLY = 0.9
"""A sentence joins the best one at nine tenths of its score."""
_MEANING, _WORDS, _PASSAGE = 0.5, 0.3, 0.2
_NEAR = 0.42
"""A sentence further from the question than this answers something else, however near its page is as a whole: with the
threshold on passages it keeps nine in ten of the answerable public questions and refuses more of the others."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """`span`: exactly these words. `context`: headings and lead-in above them. `weight`: their passage's."""

    span: SpanRef
    text: str
    context: str
    cosine: float
    weight: float


def choose(question: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The one to four sentences that answer best, in the order given; none when none comes near."""
    wanted = set(terms(question))
    sentences = [sentence for sentence in sentences if sentence.cosine >= _NEAR and _asserts(sentence.text)]
    heaviest = max((sentence.weight for sentence in sentences), default=0.0) or 1.0
    scored = [(_score(wanted, sentence, heaviest), -place) for place, sentence in enumerate(sentences)]
    ranked = sorted(scored, reverse=True)[:MAX_SENTENCES]
    chosen = sorted(-place for score, place in ranked if score >= _NEARLY * ranked[0][0])
    return [sentences[place] for place in chosen]


def _asserts(text: str) -> bool:
    """A bare name or a link says nothing of anything: it takes two content words, or a number beside one."""
    return len(terms(text)) >= _FEWEST_WORDS


def _score(wanted: set[str], sentence: Sentence, heaviest: float) -> float:
    held = set(terms(f"{sentence.context}\n{sentence.text}"))
    words = len(wanted & held) / len(wanted) if wanted else 0.0
    return _MEANING * max(0.0, sentence.cosine) + _WORDS * words + _PASSAGE * sentence.weight / heaviest
