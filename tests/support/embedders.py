"""Embedders that watch over how they are used."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import pytest

from core.embed.hashing import HashingEmbedder
from core.embed.onnx import OnnxEmbedder
from core.embed.protocol import Vectors

_vectors: dict[tuple[str, str], Vectors] = {}


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


@contextmanager
def remembering() -> Iterator[None]:
    """The real model, which reads no document's text twice in a worker: equal text gives equal bits."""
    embed = OnnxEmbedder.embed

    def _embed(embedder: OnnxEmbedder, texts: Sequence[str]) -> Vectors:
        model = embedder.model
        if fresh := [text for text in dict.fromkeys(texts) if (model, text) not in _vectors]:
            _vectors.update(zip(((model, text) for text in fresh), embed(embedder, fresh), strict=True))
        rows = [_vectors[model, text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), embedder.dim)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEmbedder, "embed", _embed)
        yield
