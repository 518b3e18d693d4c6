"""An estimator that learns from what its estimates turned out to be."""

from collections.abc import Sequence
from math import inf
from operator import index
from threading import Lock
from typing import final

from core.contextplan.estimators import TokenEstimator
from core.contextplan.messages import Message

DEFAULT_ALPHA = 0.3
LOWEST, HIGHEST = 0.5, 2.0


@final
class Calibrated:
    """The wrapped estimate times a factor between 0.5 and 2, moved by every `observe` (seed: contextplan, Calibrated).

    `alpha`: the weight of one observation, above 0 and up to 1; what lies outside becomes 0.3. `factor`: what an
    earlier one had learnt. Safe for many threads: one lock guards the factor, and nothing else changes.
    """

    def __init__(self, estimator: TokenEstimator, alpha: float = DEFAULT_ALPHA, factor: float = 1.0) -> None:
        self.estimator = estimator
        self._alpha = alpha if 0 < alpha <= 1 else DEFAULT_ALPHA
        self._factor = max(LOWEST, min(HIGHEST, factor))
        self._lock = Lock()

    @property
    def factor(self) -> float:
        with self._lock:
            return self._factor

    def estimate(self, messages: Sequence[Message]) -> int:
        """Raises what the wrapped estimator raises."""
        return self.corrected(self.estimator.estimate(messages))

    def corrected(self, tokens: int) -> int:
        """What an estimate of the wrapped estimator comes to now."""
        return int(index(tokens) * self.factor)

    def observe(self, estimated: int, actual: int) -> None:
        """Learn from one turn: the tokens that `estimate` gave, and those it really had. Both must be above 0 to count.

        `estimated` has been corrected already, so what is right moves the factor no more. The order of operations is
        part of the rule: every implementation reaches the same factor, to the last bit.
        """
        if estimated <= 0 or actual <= 0:
            return
        with self._lock:
            moved = self._factor * ((1 - self._alpha) + self._alpha * _ratio(actual, estimated))
            self._factor = max(LOWEST, min(HIGHEST, moved))


def _ratio(actual: int, estimated: int) -> float:
    try:
        return actual / estimated
    except OverflowError:
        return inf
