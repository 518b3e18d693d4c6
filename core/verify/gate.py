"""What no closeness of meaning can outweigh: a number, a date or an address that differs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.verify.comparatives import Bound
from core.verify.comparing import bears_out
from core.verify.negation import denies
from core.verify.quantities import Quantity
from core.verify.wording import Wording

_BOUNDS_HELD_AGAINST_ALL = 20
"""Bounds of a claim ("more than 5") held against all that a span counts; the rest it must have word for word."""


@dataclass(frozen=True, slots=True)
class NumericGate:
    """`missing`: what the claim names, by value, and the span neither equals nor bears out, in the claim's order."""

    missing: tuple[str, ...]

    @property
    def capped(self) -> bool:
        return bool(self.missing)


def numeric_gate(claim: Wording, span: Wording) -> NumericGate:
    return NumericGate(tuple(dict.fromkeys(_missing(claim, span))))


def _missing(claim: Wording, span: Wording) -> Iterator[str]:
    bounds = 0
    for one in dict.fromkeys((*claim.quantities, *claim.durations)):
        bounds += one.bound is not Bound.EXACT
        met = one in span.holding.every if bounds > _BOUNDS_HELD_AGAINST_ALL else _is_met(one, span)
        if not met and _is_spoken_of(one, span):
            yield one.text
    yield from (address for address in claim.addresses if address not in span.written)


def _is_met(wanted: Quantity, span: Wording) -> bool:
    if span.holding.bears_out(wanted):
        return True
    if wanted.bound is Bound.RANGE:
        return all(span.holding.single(end) for end in _ends(wanted))
    return _is_one_or_none(wanted, span)


def _is_one_or_none(wanted: Quantity, span: Wording) -> bool:
    """No deaths are 0 deaths; one week is a week, but the article before a week makes no one of everything."""
    if wanted.text == "0" and wanted.bound is Bound.EXACT:
        return denies(span.clauses)
    if wanted.measure and any(bears_out(one, wanted) for one in span.durations):
        return True
    return wanted.text == "1" and any(wanted.nouns & one.nouns and bears_out(one, wanted) for one in span.articles)


def _ends(wanted: Quantity) -> tuple[Quantity, ...]:
    return tuple(replace(wanted, points=(end,), until=(), bound=Bound.EXACT) for end in wanted.ends)


def _is_spoken_of(wanted: Quantity, span: Wording) -> bool:
    """A name with a number speaks against a span that has the same name with another number, not against others."""
    return not wanted.series or wanted.series in span.holding.series
