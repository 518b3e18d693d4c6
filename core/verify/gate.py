"""What no closeness of meaning can outweigh: a number, a date or an address that differs."""

from dataclasses import dataclass

from core.verify.addresses import addresses, written
from core.verify.comparing import bears_out
from core.verify.negation import negation_differs
from core.verify.quantities import Quantity, articles, quantities

__all__ = ["NumericGate", "negation_differs", "numeric_gate"]


@dataclass(frozen=True, slots=True)
class NumericGate:
    """`missing`: what the claim names, by value, and the span neither equals nor bears out, in the claim's order."""

    missing: tuple[str, ...]

    @property
    def capped(self) -> bool:
        return bool(self.missing)


def numeric_gate(claim: str, span: str) -> NumericGate:
    unmet = [one.text for one in quantities(claim) if _speaks_against(span, one)]
    named = addresses(claim)
    held = written(span) if named else ()
    return NumericGate(tuple(dict.fromkeys([*unmet, *(address for address in named if address not in held)])))


def _speaks_against(span: str, wanted: Quantity) -> bool:
    held = quantities(span)
    if any(bears_out(one, wanted) for one in held) or _has_a(span, wanted):
        return False
    # A name with a number speaks against a span that has the same name with another number, not against one without.
    return not wanted.series or any(one.series == wanted.series for one in held)


def _has_a(span: str, wanted: Quantity) -> bool:
    """One week is a week."""
    if wanted.text != "1":
        return False
    return any(wanted.nouns & one.nouns and bears_out(one, wanted) for one in articles(span))
