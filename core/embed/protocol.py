"""What an embedder is: text in, unit vectors out, and a name that says which vectors may be compared."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (n, dim)."""


class Embedder(Protocol):
    """Equal text gives equal bits, whatever else is in the call: plans are hashed over the weights that follow."""

    @property
    def model(self) -> str:
        """A name with a short digest of all that decides the vectors: vectors of one name may be compared."""

    @property
    def dim(self) -> int | None:
        """Numbers in a vector; None while an endpoint has not answered yet."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, of length 1; all zeros where a text has nothing to embed. Never NaN."""


def unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """`vector` at length 1; a zero vector stays zero."""
    length = float(np.sqrt(np.sum(vector * vector)))
    return (vector / length if length > 0 else vector).astype(np.float32)
