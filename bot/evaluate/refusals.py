"""Does the bot know when nothing answers, at which threshold, and what does knowing it cost?

A question's nearness is what `answers.min_cosine` is held against; one that not even a threshold of 0 lets be answered
has none. The fitted threshold keeps nine in ten of the questions that can be answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from bot.evaluate.statistics import Estimate, auc, wilson

_KEPT = 0.9


@dataclass(frozen=True, slots=True)
class Refusals:
    """At a threshold: how many of each kind are told that nothing answers. `share`: of those that nothing answers."""

    threshold: float
    unanswerable: int
    unanswerable_refused: int
    answerable: int
    answerable_refused: int
    share: Estimate


@dataclass(frozen=True, slots=True)
class RefusalReport:
    """`auc`: the chance that a question with an answer is nearer than one without; None where either is missing."""

    configured: Refusals
    fitted: Refusals
    auc: float | None


def judge(answerable: Sequence[float], unanswerable: Sequence[float], configured: float) -> RefusalReport:
    """From the nearness of each question."""
    fitted = sorted(answerable)[floor((1 - _KEPT) * len(answerable) + 1e-9)]
    return RefusalReport(
        _at(configured, answerable, unanswerable), _at(fitted, answerable, unanswerable), auc(answerable, unanswerable)
    )


def _at(threshold: float, answerable: Sequence[float], unanswerable: Sequence[float]) -> Refusals:
    right, wrong = (sum(near < threshold for near in group) for group in (unanswerable, answerable))
    return Refusals(threshold, len(unanswerable), right, len(answerable), wrong, wilson(right, len(unanswerable)))
