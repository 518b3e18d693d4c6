"""What an embedder is: text in, unit vectors out, and a name that says which vectors may be compared."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Asking(Protocol):
    """An embedder that embeds a question otherwise than the texts that answer it."""

    def embed_question(self, text: str) -> Vectors:
        """One row, to be compared with rows of `embed`."""


def embed_question(embedder: Embedder, text: str) -> Vectors:
    """The vector, of shape (dim,), that finds what answers a question."""
    if isinstance(embedder, Asking):
        return embedder.embed_question(text)
    row: Vectors = embedder.embed([text])[0]
    return row


def unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """`vector` at length 1; a zero vector stays zero."""
    length = float(np.sqrt(np.sum(vector * vector)))
    return (vector / length if length > 0 else vector).astype(np.float32)
