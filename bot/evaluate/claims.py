"""Can the matcher tell what evidence supports from what it refutes or does not say?"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bot.evaluate.data import Progress, Row, rows
from bot.evaluate.statistics import auc
from core.embed.protocol import Embedder
from core.errors import SemanticUnavailable
from core.model.verdicts import Candidate, Support
from core.verify.config import VerifyConfig
from core.verify.judge import judge


class Pair(Row):
    claim: str
    evidence: str
    label: Literal["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]
    source: str = ""

    @property
    def has_digits(self) -> bool:
        return any(letter.isdigit() for letter in self.claim)


@dataclass(frozen=True, slots=True)
class Scored:
    pair: Pair
    score: float
    accepted: bool

    @property
    def supports(self) -> bool:
        return self.pair.label == "SUPPORTS"


@dataclass(frozen=True, slots=True)
class ClaimsResult:
    """`auc`: of SUPPORTS against the rest. `balanced_accuracy`: at the supported band. None where a side is empty."""

    pairs: int
    supports: int
    auc: float | None
    balanced_accuracy: float | None


@dataclass(frozen=True, slots=True)
class ClaimsReport:
    results: dict[str, ClaimsResult]

    def to_json(self) -> dict[str, Any]:
        return {name: asdict(result) for name, result in self.results.items()}


def claims(folder: Path, embedder: Embedder | None, config: VerifyConfig, on_progress: Progress) -> ClaimsReport:
    """Judge every row of every *.jsonl file in the folder. Raises InvalidRequest, SemanticUnavailable."""
    if embedder is None:
        raise SemanticUnavailable
    pairs = [pair for file in sorted(folder.glob("*.jsonl")) or [folder / "claims.jsonl"] for pair in rows(file, Pair)]
    scored: list[Scored] = []
    for done, pair in enumerate(pairs):
        on_progress(done, len(pairs))
        scored.append(_score(pair, embedder, config))
    on_progress(len(pairs), len(pairs))
    return ClaimsReport(_results(scored))


def _score(pair: Pair, embedder: Embedder, config: VerifyConfig) -> Scored:
    claim, evidence = embedder.embed([pair.claim, pair.evidence])
    verdict = judge(pair.claim, [Candidate(pair.evidence, float(claim @ evidence))], config)
    return Scored(pair, verdict.score, verdict.verdict is Support.SUPPORTED)


def _results(scored: Sequence[Scored]) -> dict[str, ClaimsResult]:
    groups: dict[str, Callable[[Pair], bool]] = {"all": lambda _: True, "with digits": lambda pair: pair.has_digits}
    for name in sorted({one.pair.source for one in scored} - {""}):
        groups[f"source {name}"] = lambda pair, name=name: pair.source == name  # type: ignore[misc]  # name is bound now
    return {name: _result([one for one in scored if belongs(one.pair)]) for name, belongs in groups.items()}


def _result(scored: Sequence[Scored]) -> ClaimsResult:
    yes = [one for one in scored if one.supports]
    no = [one for one in scored if not one.supports]
    area = auc([one.score for one in yes], [one.score for one in no])
    if area is None:
        return ClaimsResult(len(scored), len(yes), None, None)
    right = sum(one.accepted for one in yes) / len(yes), sum(not one.accepted for one in no) / len(no)
    return ClaimsResult(len(scored), len(yes), area, sum(right) / 2)
