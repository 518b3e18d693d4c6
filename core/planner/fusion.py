"""How near a node is (sim), how fresh (decay), and the two as one score. All of it lies in [0, 1]."""

from collections.abc import Iterable

UNKNOWN_WEIGHT = 0.15
"""With it, at the threshold that keeps nine in ten of the answerable public questions, more of the others are refused
than by the cosine alone (docs/tuning.md): whoever asks for a word that nobody wrote down mostly asks in vain."""


def fuse(sim: float, decay: float, alpha: float) -> float:
    """`sim ** alpha * decay ** (1 - alpha)`; at alpha 1 exactly sim, at alpha 0 exactly decay."""
    if alpha == 1:
        return sim
    if alpha == 0:
        return decay
    return float(sim**alpha * decay ** (1 - alpha))


def decay(confidence: float, age: int, *, half_life: float, floor: float) -> float:
    """Confidence that halves with every `half_life`, never below `floor`; age in the unit of half_life, no less than 0.

    A fact observed after the moment asked about is as fresh as can be.
    """
    return max(floor, float(confidence * 0.5 ** (max(0, age) / half_life)))


def saturation(bm25: float, half: float) -> float:
    """A lexical score on an absolute scale: 0 at 0, one half at `half`, towards 1."""
    return bm25 / (bm25 + half)


def nearness(cosines: Iterable[float], unknown_share: float) -> float:
    """How near the nearest passage comes to a question, less for what of the question stands in no document at all."""
    return max(cosines, default=0.0) - UNKNOWN_WEIGHT * unknown_share


def hop(parent_sim: float, discount: float) -> float:
    return parent_sim * discount
