"""Embedders that watch over how they are used."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from core.embed.hashing import HashingEmbedder
from core.embed.protocol import Vectors


class CountingEmbedder(HashingEmbedder):
    """Remembers how often each text was embedded."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen.update(texts)
        return super().embed(texts)


class MeetingEmbedder(HashingEmbedder):
    """Holds the first call of each of two threads until both have come, so that both compute against one state."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(2, timeout=20)
        self._met = threading.local()

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not getattr(self._met, "done", False):
            self._met.done = True
            self._barrier.wait()
        return super().embed(texts)


class MeddlingEmbedder(HashingEmbedder):
    """Does `meddle` before it embeds: what another process might do just then."""

    def __init__(self) -> None:
        self.meddle: Callable[[], object] = lambda: None

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.meddle()
        return super().embed(texts)


class MirroredEmbedder(CountingEmbedder):
    """Another model: as near as hashed words are, in vectors that must not be compared with theirs."""

    model = "mirrored-v1"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts)[:, ::-1].copy()


class WideEmbedder(CountingEmbedder):
    """The same name as the hashing embedder's, in another dimension."""

    dim = 512

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.pad(super().embed(texts), ((0, 0), (256, 0)))
