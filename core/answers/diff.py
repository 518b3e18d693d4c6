"""What replaced a claim's words. Pure."""

from collections import Counter
from collections.abc import Sequence

from core.text.terms import terms

_SHARED = 0.3
"""Below three tenths of shared content words a sentence is another matter, not a new wording of this one."""


def nearest(claim: str, sentences: Sequence[str]) -> str:
    """The sentence that shares most content words with the claim, the first among equals; empty where none is near."""
    wanted = Counter(terms(claim))
    scored = [(_overlap(wanted, Counter(terms(sentence))), -place) for place, sentence in enumerate(sentences)]
    best = max(scored, default=(0.0, 0))
    return sentences[-best[1]] if best[0] >= _SHARED else ""


def _overlap(a: Counter[str], b: Counter[str]) -> float:
    """Dice coefficient of two bags of terms."""
    total = a.total() + b.total()
    return 2 * (a & b).total() / total if total else 0.0
