"""How near a node is (sim), how fresh (decay), and the two as one score. All of it lies in [0, 1]."""


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


def hop(parent_sim: float, discount: float) -> float:
    return parent_sim * discount
