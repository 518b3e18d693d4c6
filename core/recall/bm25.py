"""BM25 over the entries a reader may read: document frequencies, count and mean length are theirs alone."""

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from core.recall.postings import Segments, holders

K1 = 1.2
B = 0.75


def scores(
    segments: Segments, lengths: npt.NDArray[np.int64], allowed: npt.NDArray[np.bool_], terms: Iterable[str]
) -> npt.NDArray[np.float64]:
    """A score for every entry, 0 where it holds no term or is not allowed. Repeated question terms count once.

    Terms are added in the order of their text, so that equal contents give equal bits whatever came first.
    """
    result = np.zeros(len(lengths))
    count = int(np.count_nonzero(allowed))
    total = int(lengths[allowed].sum())
    for term in sorted(set(terms)):
        places, frequency = holders(segments, term, allowed)
        if places.size:
            rarity = _rarity(count, places.size)
            damping = K1 * (1 - B + B * lengths[places] * (count / total))
            result[places] += rarity * (K1 + 1) * frequency / (frequency + damping)
    return result


def rarities(segments: Segments, allowed: npt.NDArray[np.bool_], terms: Iterable[str]) -> dict[str, float]:
    """The inverse document frequency of each term over the allowed entries; the most for one that none holds."""
    count = int(np.count_nonzero(allowed))
    return {term: _rarity(count, holders(segments, term, allowed)[0].size) for term in terms}


def _rarity(count: int, holding: int) -> float:
    return math.log(1 + (count - holding + 0.5) / (holding + 0.5))
