"""What no closeness of meaning can outweigh: a number, a date or an address that differs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.verify.addresses import addresses, written
from core.verify.comparatives import Bound
from core.verify.comparing import bears_out
from core.verify.negation import denies, negation_differs
from core.verify.quantities import Quantity, articles, durations, quantities

__all__ = ["NumericGate", "negation_differs", "numeric_gate"]


@dataclass(frozen=True, slots=True)
class NumericGate:
    """`missing`: what the claim names, by value, and the span neither equals nor bears out, in the claim's order."""

    missing: tuple[str, ...]

    @property
    def capped(self) -> bool:
        return bool(self.missing)


def numeric_gate(claim: str, span: str) -> NumericGate:
    held = quantities(span)
    wanted = (*quantities(claim), *durations(claim))
    unmet = [one.text for one in wanted if not _is_met(one, held, span) and _is_spoken_of(one, held)]
    named = addresses(claim)
    words = written(span) if named else ()
    return NumericGate(tuple(dict.fromkeys([*unmet, *(address for address in named if address not in words)])))


def _is_met(wanted: Quantity, held: Sequence[Quantity], span: str) -> bool:
    if any(bears_out(one, wanted) for one in held):
        return True
    if wanted.bound is Bound.RANGE:
        single = [one for one in held if not one.until]
        return all(_is_met(end, single, span) for end in _ends(wanted))
    if wanted.text == "0" and wanted.bound is Bound.EXACT:
        return denies(span)
    # One week is a week, but the article before a week does not make one of everything.
    return wanted.text == "1" and any(wanted.nouns & one.nouns and bears_out(one, wanted) for one in articles(span))


def _ends(wanted: Quantity) -> tuple[Quantity, ...]:
    return tuple(replace(wanted, points=(end,), until=(), bound=Bound.EXACT) for end in wanted.ends)


def _is_spoken_of(wanted: Quantity, held: Sequence[Quantity]) -> bool:
    """A name with a number speaks against a span that has the same name with another number, not against others."""
    return not wanted.series or any(one.series == wanted.series for one in held)
