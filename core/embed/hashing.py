"""An embedder without a model: terms hashed into signed buckets. It knows shared words and no meaning."""

from collections.abc import Sequence

import numpy as np
import xxhash

from core.embed.protocol import Vectors, unit
from core.text.terms import terms

_DIM = 256


class HashingEmbedder:
    """For tests, and for trying a tool out where nothing may be installed."""

    model = "hashing-256-v1"
    dim = _DIM

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = [_row(text) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), _DIM)


def _row(text: str) -> Vectors:
    counts = np.zeros(_DIM)
    for term in terms(text):
        digest = xxhash.xxh3_64_intdigest(term.encode())
        counts[digest % _DIM] += 1 if digest >> 63 else -1
    return unit(counts)
