"""What a growing choice of messages is estimated at, at the cost of what it grows by.

To ask an estimator of the whole list for each message more takes time that grows with the square of what fits. One
that is additive need not be asked: its estimate is a sum, whole numbers add up exactly in any order, and so a list
that is one longer is one addition away. A Calibrated one corrects that very sum, as the last step of its estimate.
Any other estimator is asked of the whole list, which is built for it alone. Both ways give the same figures and fail
at the same messages; that they do is held by a test, not by a promise (tests/core/contextplan/test_linear_plans.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Protocol

from core.contextplan.calibrate import Calibrated
from core.contextplan.estimators import AdditiveEstimator, TokenEstimator, is_additive
from core.contextplan.messages import Message

Whole = Callable[[Sequence[Message]], Sequence[Message]]
"""The list as it would be, in order: what was taken, which it is given, and what is tried."""


class Tally(Protocol):
    def tried(self, added: Sequence[Message], whole: Whole) -> int:
        """The estimate with `added`. Raises what the estimator raises, and then nothing was tried."""

    def take(self) -> None:
        """What was tried last is part of the choice from now on."""


def tally(estimator: TokenEstimator) -> Tally:
    """Of nothing yet."""
    inner, correct = estimator, _as_it_is
    if isinstance(estimator, Calibrated):
        inner, correct = estimator.estimator, estimator.corrected
    return _Sum(inner, correct) if is_additive(inner) else _Asked(estimator.estimate)


def _as_it_is(tokens: int) -> int:
    return tokens


@dataclass(slots=True)
class _Sum:
    estimator: AdditiveEstimator
    correct: Callable[[int], int]
    taken: int = 0
    tried_last: int = 0

    def tried(self, added: Sequence[Message], whole: Whole) -> int:  # noqa: ARG002  # the whole is what is saved
        self.tried_last = self.taken + sum(map(self.estimator.cost, added))
        return self.correct(index(self.estimator.overhead + self.tried_last))

    def take(self) -> None:
        self.taken = self.tried_last


@dataclass(slots=True)
class _Asked:
    estimate: Callable[[Sequence[Message]], int]
    taken: Sequence[Message] = ()
    tried_last: Sequence[Message] = ()

    def tried(self, added: Sequence[Message], whole: Whole) -> int:  # noqa: ARG002  # the whole holds it
        self.tried_last = whole(self.taken)
        return index(self.estimate(self.tried_last))

    def take(self) -> None:
        self.taken = self.tried_last
