"""How well a span bears a claim: closeness of meaning and of words, fused so that neither stands in for the other."""

import math
from collections.abc import Callable, Collection

Weight = Callable[[str], float]
"""Of a term: its inverse document frequency. A term that no document holds must weigh the most."""


def score(cos: float, lex: float, beta: float) -> float:
    """`clamp01(cos)**beta * lex**(1 - beta)`, in [0, 1]; a cosine that is not a number counts as 0."""
    # In this order of arguments NaN falls through both comparisons to 0.
    clamped = max(0.0, min(cos, 1.0))
    return math.pow(clamped, beta) * math.pow(lex, 1 - beta)


def lexical(claim_terms: Collection[str], span_terms: Collection[str], idf: Weight | None = None) -> float:
    """The share, by weight, of the claim's distinct terms that the span holds; 0 for a claim without terms."""
    wanted, held = sorted(set(claim_terms)), set(span_terms)
    weights = [idf(term) if idf else 1.0 for term in wanted]
    total = sum(weights)
    found = sum(weight for term, weight in zip(wanted, weights, strict=True) if term in held)
    return found / total if total > 0 else 0.0
