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
            rarity = math.log(1 + (count - places.size + 0.5) / (places.size + 0.5))
            damping = K1 * (1 - B + B * lengths[places] * (count / total))
            result[places] += rarity * (K1 + 1) * frequency / (frequency + damping)
    return result
