"""What no closeness of meaning can outweigh: a number, a date or a negation that differs."""

from dataclasses import dataclass

from core.text.terms import terms, words
from core.text.vocabulary import NEGATIONS
from core.verify.comparing import bears_out
from core.verify.quantities import Quantity, articles, quantities

_NEGATORS = frozenset(NEGATIONS) | {"cannot"}
_PART_OF_NEGATION = frozenset({"longer", "yet", "anymore"})


@dataclass(frozen=True, slots=True)
class NumericGate:
    """`missing`: the claim's numbers and dates, by value, that have no equal in the span, in the claim's order."""

    missing: tuple[str, ...]

    @property
    def capped(self) -> bool:
        return bool(self.missing)


def numeric_gate(claim: str, span: str) -> NumericGate:
    held = quantities(span)
    series = {one.series for one in held}
    unmet = [one for one in quantities(claim) if not (any(bears_out(other, one) for other in held) or _a(one, span))]
    # A name with a number speaks against a span that has the same name with another number, not against one without.
    return NumericGate(tuple(dict.fromkeys(one.text for one in unmet if not one.series or one.series in series)))


def _a(wanted: Quantity, span: str) -> bool:
    """One week is a week."""
    if wanted.text != "1":
        return False
    return any(wanted.nouns & one.nouns and bears_out(one, wanted) for one in articles(span))


def negation_differs(claim: str, span: str) -> bool:
    """Whether what one of the two denies, the other affirms: judged on the first content word after each negation."""
    claim_denies, claim_affirms = _denied_affirmed(claim)
    span_denies, span_affirms = _denied_affirmed(span)
    return bool((claim_denies & span_affirms) | (span_denies & claim_affirms))


def _denied_affirmed(text: str) -> tuple[set[str], set[str]]:
    """Terms that the text only denies, and terms that it only affirms: of one said both ways nothing can be told."""
    denied: set[str] = set()
    affirmed: set[str] = set()
    negated = False
    for word in words(text):
        found = terms(word)
        if _negates(word):
            negated = True
        elif found and word not in _PART_OF_NEGATION:
            (denied if negated else affirmed).update(found)
            negated = False
    return denied - affirmed, affirmed - denied


def _negates(word: str) -> bool:
    return word in _NEGATORS or word.endswith("n't")
