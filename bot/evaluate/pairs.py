"""Labelled pairs of claim and evidence, what the matcher measures on each, and folds that keep a group together."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bot.evaluate.data import Progress, Row, rows
from bot.evaluate.statistics import auc
from core.embed.protocol import Embedder
from core.errors import SemanticUnavailable
from core.model.verdicts import Gate, Signals
from core.text.numbers import numbers
from core.text.terms import terms
from core.verify.judge import measured
from core.verify.score import lexical
from core.verify.wording import Wording

FOLDS = 5
_AT_ONCE = 32


class Pair(Row):
    """Rows of one `group` speak of the same thing; a row without one stands for itself."""

    claim: str
    evidence: str
    label: Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    source: str = ""
    group: str = ""

    @property
    def has_digits(self) -> bool:
        return any(letter.isdigit() for letter in self.claim)

    @property
    def supports(self) -> bool:
        return self.label == "SUPPORTS"


@dataclass(frozen=True, slots=True)
class Measured:
    """`signals`: what the matcher goes by. `strict`: with each number's equal wanted. `rare`: with rare words weighing
    more. `words`: the share of words alone.
    """

    pair: Pair
    fold: int
    signals: Signals
    words: float
    strict: Signals
    rare: Signals


def measure(folder: Path, embedder: Embedder | None, on_progress: Progress) -> list[Measured]:
    """Every row of every *.jsonl file in the folder. Raises InvalidRequest, SemanticUnavailable."""
    if embedder is None:
        raise SemanticUnavailable
    pairs = [pair for file in sorted(folder.glob("*.jsonl")) or [folder / "claims.jsonl"] for pair in rows(file, Pair)]
    cosines = _cosines(pairs, embedder, on_progress)
    idf, folds = rarity([pair.evidence for pair in pairs]), folded(pairs)
    return [_measured(pair, fold, cosine, idf) for pair, fold, cosine in zip(pairs, folds, cosines, strict=True)]


def _cosines(pairs: Sequence[Pair], embedder: Embedder, on_progress: Progress) -> list[float]:
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.claim, pair.evidence)))
    vectors: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(texts), _AT_ONCE):
        on_progress(start, len(texts))
        some = texts[start : start + _AT_ONCE]
        vectors.update(zip(some, embedder.embed(some), strict=True))
    on_progress(len(texts), len(texts))
    return [float(vectors[pair.claim] @ vectors[pair.evidence]) for pair in pairs]


def _measured(pair: Pair, fold: int, cosine: float, idf: Callable[[str], float]) -> Measured:
    claim, evidence = Wording(pair.claim), Wording(pair.evidence)
    signals = measured(claim, evidence, cosine)
    words = lexical(claim.terms, evidence.terms)
    differs = bool(numbers(pair.claim).keys() - numbers(pair.evidence).keys())
    strict = replace(signals, lexical=words, numeric_gate=Gate.of(differs))
    return Measured(pair, fold, signals, words, strict, measured(claim, evidence, cosine, idf))


def folded(pairs: Sequence[Pair]) -> list[int]:
    """Groups dealt out in the order of their names, so that each fold has as much of each kind, every time the same."""
    names = [pair.group or f"\0{place}" for place, pair in enumerate(pairs)]
    fold = {name: place % FOLDS for place, name in enumerate(sorted(set(names)))}
    return [fold[name] for name in names]


def rarity(texts: Sequence[str]) -> Callable[[str], float]:
    """Inverse document frequency over the evidence."""
    holding = Counter(term for text in texts for term in set(terms(text)))
    return lambda term: math.log(1 + (len(texts) - holding[term] + 0.5) / (holding[term] + 0.5))


def area(pairs: Sequence[Measured], scores: Sequence[float]) -> float | None:
    """The chance that a supported claim scores above another; None where there are none of either."""
    found = list(zip(pairs, scores, strict=True))
    return auc(
        [value for one, value in found if one.pair.supports], [value for one, value in found if not one.pair.supports]
    )
