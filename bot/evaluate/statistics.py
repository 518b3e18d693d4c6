"""Rates with their uncertainty. Deterministic: the bootstrap draws from a fixed seed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

_Z95 = 1.959964
_DRAWS = 2000
_SEED = 20_260_105


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    value: float
    low: float
    high: float


def wilson(hits: int, n: int) -> Estimate:
    """A share of `n` trials, with Wilson's interval; of none, nothing is known."""
    if n == 0:
        return Estimate(0.0, 0.0, 1.0)
    share, z2 = hits / n, _Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))


def bootstrap(values: Sequence[float]) -> Estimate:
    """A mean, with the percentile interval of resampled means."""
    if not values:
        return Estimate(0.0, 0.0, 1.0)
    observed = np.array(values, dtype=np.float64)
    picks = np.random.default_rng(_SEED).integers(0, len(observed), size=(_DRAWS, len(observed)))
    low, high = np.quantile(observed[picks].mean(axis=1), (0.025, 0.975))
    return Estimate(float(observed.mean()), float(low), float(high))


def auc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative, ties half; None where one of them is empty."""
    if not (positive and negative):
        return None
    ranks = rankdata([*positive, *negative])[: len(positive)]
    smallest = len(positive) * (len(positive) + 1) / 2
    return float((ranks.sum() - smallest) / (len(positive) * len(negative)))
