"""What is told of a long embedding: a hundred thousand rows take an hour, and silence looks like a fault."""

from collections.abc import Sequence

import numpy as np

from bot.sync import Progress
from core.clock import MINUTE, SECOND, Clock
from core.embed.protocol import Embedder, Vectors, embed_question

_SLICE = 64
"""Texts between two tellings: a second or a few, and as many as an endpoint is asked for at once."""
LARGE = 1000
"""Passages of a document that are worth a bar of their own."""
_SETTLED = 5 * SECOND
"""After which the pace is known: the first texts also wait for the model to be loaded."""


class Telling:
    """An embedder that tells how many of the texts of a call are done; its vectors are those of the one it asks."""

    def __init__(self, embedder: Embedder, tell: Progress) -> None:
        self._embedder = embedder
        self._tell = tell

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dim(self) -> int | None:
        return self._embedder.dim

    def embed(self, texts: Sequence[str]) -> Vectors:
        self._tell(0, len(texts))
        rows = [self._slice(texts, start) for start in range(0, max(len(texts), 1), _SLICE)]
        return np.concatenate(rows)

    def _slice(self, texts: Sequence[str], start: int) -> Vectors:
        end = min(start + _SLICE, len(texts))
        rows = self._embedder.embed(texts[start:end])
        self._tell(end, len(texts))
        return rows

    def embed_question(self, text: str) -> Vectors:
        return embed_question(self._embedder, text)


class Estimate:
    """For where no bar can be drawn: a line once the pace is known, if a minute or more is left, and each tenth."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._started = 0
        self._tenth: int | None = None

    def line(self, done: int, total: int) -> str | None:
        if done == 0:
            self._started, self._tenth = self._clock.now(), None
            return None
        elapsed, tenth = self._clock.now() - self._started, done * 10 // total
        minutes = elapsed * (total - done) // done // MINUTE
        if elapsed < _SETTLED or minutes < 1 or tenth == self._tenth:
            return None
        self._tenth = tenth
        return (
            f"{done:,} of {total:,} passages embedded; about {minutes} {'minute' if minutes == 1 else 'minutes'} left"
        )
