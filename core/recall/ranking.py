"""First places: by score rounded to six decimals, then by coordinate: the source, where the passage begins, its id.

An id comes last because it holds its source's random key: it would choose differently in every store.
"""

from collections.abc import Callable
from uuid import UUID

import numpy as np
import numpy.typing as npt

from core.recall.rows import Places

Coordinate = tuple[UUID, int, UUID]


def shortlist(rough: npt.NDArray[np.floating], k: int, slack: float) -> Places:
    """Indices of all values within `slack` of the k-th largest or above it."""
    if rough.size <= k:
        return np.arange(rough.size)
    return np.flatnonzero(rough >= np.partition(rough, -k)[-k] - slack)


def first(
    places: Places, scores: npt.NDArray[np.float64], coordinate: Callable[[int], Coordinate], k: int
) -> list[int]:
    """The k best of `places`, whose scores stand beside them."""
    order = sorted(
        (-round(float(score), 6), coordinate(place), int(place)) for place, score in zip(places, scores, strict=True)
    )
    return [place for _, _, place in order[:k]]
