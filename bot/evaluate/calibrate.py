"""Which settings of the matcher fit labelled pairs, and how these do on pairs that they were not fitted to.

`beta` and `numeric_cap` are those under which a supported claim most often scores above another (AUC); of those that
chance cannot tell apart, the ones nearest to what is configured. `supported` is the score that lets most supported
claims pass for what passes besides: one of the others costs as much as two that are missed. `partial` is the score
that all but one in twenty of the supported claims reach, gates aside. All are fitted without each fold in turn, and the
fold is judged under them; the middle one of the fits is chosen, since the optimum is flat and the pairs are few.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.evaluate.pairs import FOLDS, Measured, area
from core.errors import InvalidRequest
from core.verify.config import VerifyConfig
from core.verify.judge import counted, is_capped, scored

BETAS = tuple(step / 10 for step in range(11))
CAPS = (0.1, 0.2, 0.3, 0.35, 0.4)
_CHANCE = 0.002
_COST = 2
_LEFT_BELOW = 0.05
Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fit:
    """Settings, with the area under them on the pairs that they were fitted to."""

    beta: float
    numeric_cap: float
    supported: float
    partial: float
    auc: float

    def applied(self, config: VerifyConfig) -> VerifyConfig:
        chosen = asdict(self)
        del chosen["auc"]
        return VerifyConfig(**{**config.model_dump(), **chosen})


@dataclass(frozen=True, slots=True)
class Calibration:
    """`folds`: fitted to all pairs but each fold's; `chosen`: the middle one of each setting.

    `betas` and `caps`: the area over all pairs, with the other setting as chosen.
    """

    chosen: Fit
    folds: tuple[Fit, ...]
    held_out_auc: float | None
    betas: dict[float, float | None]
    caps: dict[float, float | None]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def calibrate(pairs: Sequence[Measured], config: VerifyConfig) -> Calibration:
    """Raises InvalidRequest: too few pairs of one kind to be fitted to."""
    folds = _folds(pairs, config)
    if folds is None:
        raise InvalidRequest("fitting needs pairs that are supported and pairs that are not, of several groups each")
    chosen = _middle(pairs, folds, config)
    return Calibration(
        chosen,
        folds,
        area(pairs, _under(folds, pairs, config)),
        {beta: _area(pairs, _with(config, beta, chosen.numeric_cap)) for beta in BETAS},
        {cap: _area(pairs, _with(config, chosen.beta, cap)) for cap in CAPS},
    )


def _middle(pairs: Sequence[Measured], folds: Sequence[Fit], config: VerifyConfig) -> Fit:
    beta, cap, supported, partial = (
        statistics.median_low(getattr(fit, name) for fit in folds)
        for name in ("beta", "numeric_cap", "supported", "partial")
    )
    return Fit(beta, cap, supported, partial, _area(pairs, _with(config, beta, cap)) or 0)


def _under(folds: Sequence[Fit], pairs: Sequence[Measured], config: VerifyConfig) -> list[float]:
    applied = [fit.applied(config) for fit in folds]
    return [scored(one.signals, applied[one.fold]) for one in pairs]


def held_out_scores(pairs: Sequence[Measured], config: VerifyConfig) -> list[float] | None:
    """Each pair's score under what the other folds were fitted to; None where these lack a kind."""
    folds = _folds(pairs, config)
    return _under(folds, pairs, config) if folds else None


def _folds(pairs: Sequence[Measured], config: VerifyConfig) -> tuple[Fit, ...] | None:
    found = [fit([one for one in pairs if one.fold != fold], config) for fold in range(FOLDS)]
    folds = tuple(one for one in found if one)
    return folds if len(folds) == FOLDS else None


def fit(pairs: Sequence[Measured], config: VerifyConfig) -> Fit | None:
    """None where there are no pairs of one kind."""
    standing = config.beta, config.numeric_cap
    areas = {setting: _area(pairs, _with(config, *setting)) for setting in (standing, *product(BETAS, CAPS))}
    if areas[standing] is None:
        return None
    best = max(found or 0 for found in areas.values())
    alike = [setting for setting, found in areas.items() if (found or 0) >= best - _CHANCE]
    beta, cap = min(alike, key=lambda setting: (math.dist(setting, standing), setting))
    supported, partial = _bands(pairs, _with(config, beta, cap))
    return Fit(beta, cap, supported, partial, areas[beta, cap] or 0)


def _bands(pairs: Sequence[Measured], config: VerifyConfig) -> tuple[float, float]:
    scores = np.array(_scores(pairs, config))
    yes = np.array([one.pair.supports for one in pairs])
    free = np.array([not is_capped(counted(one.signals, config)) for one in pairs])
    above = [step for step in range(1, 100) if step / 100 > config.numeric_cap]
    supported = max(above, key=lambda step: _worth(scores[yes], scores[~yes], step / 100)) / 100
    reached = float(np.quantile(scores[yes & free], _LEFT_BELOW)) if (yes & free).any() else supported
    return supported, min(max(round(reached, 2), above[0] / 100), supported)


def _worth(yes: Scores, no: Scores, least: float) -> float:
    return float((yes >= least).mean()) - _COST * float((no >= least).mean())


def _with(config: VerifyConfig, beta: float, cap: float) -> VerifyConfig:
    return config.model_copy(update={"beta": beta, "numeric_cap": cap})


def _area(pairs: Sequence[Measured], config: VerifyConfig) -> float | None:
    return area(pairs, _scores(pairs, config))


def _scores(pairs: Sequence[Measured], config: VerifyConfig) -> list[float]:
    return [scored(one.signals, config) for one in pairs]
