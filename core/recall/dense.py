"""Exact nearest neighbours by cosine.

A row's float32 product differs in its last bits with the matrix it is multiplied in, so float32 only makes a shortlist.
An error bound says how far a product can be off; whatever can still reach the first k is on the list, equal texts
included, and float64, summed row by row and rounded to six decimals, decides. So a ranking depends on contents alone.
"""

import numpy as np
import numpy.typing as npt

from core.recall.ranking import shortlist
from core.recall.rows import Places

Matrix = npt.NDArray[np.float32]

GATHER_BELOW = 0.15
"""Where fewer of the rows than this are allowed, copying them out costs less than multiplying all (measured)."""


def candidates(vectors: Matrix, allowed: npt.NDArray[np.bool_], question: Matrix, k: int) -> Places:
    """Places that hold the k nearest allowed rows by exact cosine, and few others."""
    places = np.flatnonzero(allowed)
    gather = places.size < GATHER_BELOW * len(vectors)
    rough = vectors[places] @ question if gather else (vectors @ question)[places]
    return places[shortlist(rough, k, _slack(len(question)))]


def cosines(vectors: Matrix, places: Places, question: Matrix) -> npt.NDArray[np.float64]:
    """Cosines of unit vectors in float64, rounded to six decimals. Not by BLAS, whose bits depend on the shape."""
    products = vectors[places].astype(np.float64) * question.astype(np.float64)
    sums: npt.NDArray[np.float64] = np.sum(products, axis=1)
    return sums.round(6)


def _slack(dim: int) -> float:
    """Two float32 products of unit vectors, each off by at most dim × 2⁻²⁴, and the rounding to six decimals."""
    return float(2 * dim * 2**-24 + 1e-6)
