"""From scored nodes to the evidence pool: what each span weighs, and which stay."""

from collections.abc import Iterable
from operator import attrgetter

from core.planner.candidates import Candidate, SpanClass
from core.planner.request import PlannerConfig

_coordinate = attrgetter("source_id.int", "source_version_tx", "start", "end")


def weigh(score: float, kind: str, span_class: SpanClass, config: PlannerConfig) -> float:
    """`score × kind prior`, × `cache_discount` for what is derived; multiplied in this order, or plan hashes differ."""
    base = score * config.kind_priors.get(kind, 1.0)
    return base if span_class is SpanClass.TRUTH else base * config.cache_discount


def pool(candidates: Iterable[Candidate]) -> list[Candidate]:
    """One candidate a coordinate, the heaviest, in canonical order, however they arrive.

    Of equally heavy ones truth goes before cache, then the first by kind, tokens and text.
    """
    heaviest: dict[tuple[int, int, int, int], Candidate] = {}
    for candidate in candidates:
        at = _coordinate(candidate)
        if at not in heaviest or _rank(candidate) < _rank(heaviest[at]):
            heaviest[at] = candidate
    return [heaviest[at] for at in sorted(heaviest)]


def _rank(candidate: Candidate) -> tuple[float, bool, str, int, str]:
    derived = candidate.span_class is not SpanClass.TRUTH
    return -candidate.weight, derived, candidate.kind, candidate.tokens, candidate.text


def truncate(candidates: list[Candidate], limit: int) -> tuple[list[Candidate], int]:
    """The `limit` heaviest, ties by coordinate, in canonical order; and how many went."""
    if len(candidates) <= limit:
        return candidates, 0
    ranked = sorted(candidates, key=lambda candidate: (-candidate.weight, _coordinate(candidate)))
    return sorted(ranked[:limit], key=_coordinate), len(candidates) - limit
