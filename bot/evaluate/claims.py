"""Can the matcher tell what evidence supports from what it refutes or does not say?"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bot.evaluate.calibrate import BETAS, held_out_scores
from bot.evaluate.data import Progress
from bot.evaluate.pairs import FOLDS, Measured, area, measure
from core.embed.protocol import Embedder
from core.model.verdicts import Gate, Signals, Support
from core.verify.config import VerifyConfig
from core.verify.judge import band, scored

_Step = Callable[[Measured], Signals]


def _ungated(signals: Signals) -> Signals:
    return replace(signals, numeric_gate=Gate.PASS, negation=Gate.PASS)


_STEPS: dict[str, _Step] = {
    "meaning": lambda one: _ungated(replace(one.signals, lexical=1.0)),
    "words": lambda one: _ungated(replace(one.signals, cosine=1.0, lexical=one.words)),
    "both": lambda one: _ungated(replace(one.signals, lexical=one.words)),
    "equal numbers": lambda one: replace(one.strict, negation=Gate.PASS),
    "comparatives": lambda one: replace(one.signals, lexical=one.words, negation=Gate.PASS),
    "by value": lambda one: replace(one.signals, negation=Gate.PASS),
    "negation": lambda one: one.signals,
    "rarity": lambda one: one.rare,
}


@dataclass(frozen=True, slots=True)
class ClaimsResult:
    """Of SUPPORTS against the rest: the area as configured, and under settings fitted without the pair's own fold.

    `balanced_accuracy`: at the supported band as configured. None where a side is empty.
    """

    pairs: int
    supports: int
    auc: float | None
    held_out_auc: float | None
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True)
class ClaimsReport:
    """`ablation`: held-out areas of each group, one thing more with each step. `confusion`: verdicts by label."""

    results: dict[str, ClaimsResult]
    ablation: dict[str, dict[str, float | None]]
    confusion: dict[str, dict[str, int]]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def claims(folder: Path, embedder: Embedder | None, config: VerifyConfig, on_progress: Progress) -> ClaimsReport:
    """Judge every row of every *.jsonl file in the folder. Raises InvalidRequest, SemanticUnavailable."""
    pairs = measure(folder, embedder, on_progress)
    scores = [scored(one.signals, config) for one in pairs]
    held_out = held_out_scores(pairs, config)
    steps = {step: _held_out(pairs, signals, config) for step, signals in _STEPS.items()}
    results: dict[str, ClaimsResult] = {}
    ablation: dict[str, dict[str, float | None]] = {}
    for name, chosen in _groups(pairs).items():
        results[name] = _result(pairs, scores, held_out, chosen, config)
        ablation[name] = {step: _area_of(pairs, found, chosen) for step, found in steps.items()}
    return ClaimsReport(results, ablation, _confusion(pairs, scores, config))


def _groups(pairs: Sequence[Measured]) -> dict[str, list[int]]:
    """Places of the pairs: all, by source, and of each those whose claim holds digits."""
    groups = {"all": list(range(len(pairs)))}
    for name in sorted({one.pair.source for one in pairs} - {""}):
        groups[f"source {name}"] = [place for place, one in enumerate(pairs) if one.pair.source == name]
    digits = {name: [place for place in places if pairs[place].pair.has_digits] for name, places in groups.items()}
    return groups | {f"{name}, with digits": places for name, places in digits.items() if places}


def _result(
    pairs: Sequence[Measured],
    scores: Sequence[float],
    held_out: Sequence[float] | None,
    chosen: Sequence[int],
    config: VerifyConfig,
) -> ClaimsResult:
    yes = [scores[place] >= config.supported for place in chosen if pairs[place].pair.supports]
    no = [scores[place] < config.supported for place in chosen if not pairs[place].pair.supports]
    return ClaimsResult(
        len(chosen),
        len(yes),
        _area_of(pairs, scores, chosen),
        _area_of(pairs, held_out, chosen) if held_out else None,
        (sum(yes) / len(yes) + sum(no) / len(no)) / 2 if yes and no else None,
    )


def _area_of(pairs: Sequence[Measured], scores: Sequence[float], chosen: Sequence[int]) -> float | None:
    return area([pairs[place] for place in chosen], [scores[place] for place in chosen])


def _held_out(pairs: Sequence[Measured], signals: _Step, config: VerifyConfig) -> list[float]:
    """Each pair's score under the beta that fits the other folds best; with the guard, which is a step of its own."""
    found = [signals(one) for one in pairs]
    configs = {beta: config.model_copy(update={"beta": beta, "negation_guard": True}) for beta in BETAS}
    under = {beta: [scored(one, applied) for one in found] for beta, applied in configs.items()}
    best = [max(under, key=lambda beta: _area_without(pairs, under[beta], fold)) for fold in range(FOLDS)]
    return [under[best[one.fold]][place] for place, one in enumerate(pairs)]


def _area_without(pairs: Sequence[Measured], scores: Sequence[float], fold: int) -> float:
    others = [place for place, one in enumerate(pairs) if one.fold != fold]
    return _area_of(pairs, scores, others) or 0


def _confusion(pairs: Sequence[Measured], scores: Sequence[float], config: VerifyConfig) -> dict[str, dict[str, int]]:
    found = Counter((one.pair.label, band(value, config)) for one, value in zip(pairs, scores, strict=True))
    labels = sorted({one.pair.label for one in pairs}, reverse=True)
    return {label: {support.value: found[label, support] for support in Support} for label in labels}
