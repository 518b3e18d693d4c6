"""The matcher: a claim against passages, by closeness of meaning and of words, and by what neither may outweigh.

It measures wording. Where two passages differ by one name only, meaning and words stay close: a claim with a swapped
name can still come out as supported (a test keeps that limit in sight). Numbers, dates and negations are differences
that it does see, and there it is strict: a pair that differs in one is held below every band but the last.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.model.verdicts import NO_EVIDENCE, Candidate, Gate, Reason, Signals, Support, Verdict
from core.verify.config import VerifyConfig
from core.verify.gate import numeric_gate
from core.verify.negation import negation_differs
from core.verify.score import Weight, lexical, score
from core.verify.units import is_of_number
from core.verify.wording import Wording


@dataclass(frozen=True, slots=True)
class _Pair:
    index: int
    uncapped: float
    score: float
    signals: Signals


def judge(
    claim: str,
    candidates: Sequence[Candidate],
    config: VerifyConfig,
    idf: Weight | None = None,
) -> Verdict:
    """The verdict on a claim: that of its best passage, or of the one that comes closest where none bears it."""
    read = Wording(claim)
    return decided([measured(read, Wording(one.text), one.cosine, idf) for one in candidates], config)


def decided(found: Sequence[Signals], config: VerifyConfig) -> Verdict:
    """The verdict by what was measured of a claim on each of its passages."""
    if not found:
        return NO_EVIDENCE
    pairs = [_pair(index, signals, config) for index, signals in enumerate(found)]
    best = max(pairs, key=lambda pair: (pair.score, pair.uncapped, -pair.index))
    support = band(best.score, config)
    if support is not Support.UNSUPPORTED:
        return Verdict(support, best.score, None, best.index, best.signals)
    # What the reader wants to see is the passage that speaks of the same thing, even where a number holds it down.
    closest = max(pairs, key=lambda pair: (pair.uncapped, -pair.index))
    return Verdict(support, best.score, _reason(closest, config), closest.index, closest.signals)


def measured(claim: Wording, passage: Wording, cosine: float, idf: Weight | None = None) -> Signals:
    """What is measured on a pair, whatever the settings."""
    numeric = numeric_gate(claim, passage).capped
    # The gate has compared them by value: 4,812 holds the 4,700 of "more than 4,700".
    by_value = () if numeric else [term for term in claim.terms if is_of_number(term)]
    negation = negation_differs(claim.clauses, passage.clauses)
    words = lexical(claim.terms, [*passage.terms, *by_value], idf)
    return Signals(words, cosine, Gate.of(numeric), Gate.of(negation))


def counted(signals: Signals, config: VerifyConfig) -> Signals:
    """What of it counts under these settings."""
    return signals if config.negation_guard else replace(signals, negation=Gate.PASS)


def is_capped(signals: Signals) -> bool:
    return Gate.CAPPED in {signals.numeric_gate, signals.negation}


def scored(signals: Signals, config: VerifyConfig) -> float:
    """The score of a pair whose signals are known."""
    return _pair(0, signals, config).score


def band(value: float, config: VerifyConfig) -> Support:
    if value >= config.supported:
        return Support.SUPPORTED
    return Support.PARTIAL if value >= config.partial else Support.UNSUPPORTED


def _pair(index: int, found: Signals, config: VerifyConfig) -> _Pair:
    shown = counted(found, config)
    uncapped = score(found.cosine, found.lexical, config.beta)
    return _Pair(index, uncapped, min(uncapped, config.numeric_cap) if is_capped(shown) else uncapped, shown)


def _reason(closest: _Pair, config: VerifyConfig) -> Reason:
    if closest.signals.numeric_gate is Gate.CAPPED and closest.uncapped >= config.partial:
        return Reason.NUMERIC_OR_DATE_MISMATCH
    return Reason.INSUFFICIENT_SUPPORT
