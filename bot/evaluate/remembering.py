"""Embedding for an evaluation, which asks for the same texts again and again."""

from collections.abc import Sequence

import numpy as np

from core.embed.protocol import Embedder, Vectors, embed_question


class Remembering:
    """An embedder that embeds no text twice."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Vectors] = {}
        self._asked: dict[str, Vectors] = {}
        self.model = embedder.model

    @property
    def dim(self) -> int | None:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        missing = list(dict.fromkeys(text for text in texts if text not in self._known))
        self._known |= dict(zip(missing, self._embedder.embed(missing), strict=True))
        return np.array([self._known[text] for text in texts], dtype=np.float32).reshape(len(texts), self.dim or 0)

    def embed_question(self, text: str) -> Vectors:
        if text not in self._asked:
            self._asked[text] = embed_question(self._embedder, text)
        return self._asked[text]
