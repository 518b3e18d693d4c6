"""What no closeness of meaning can outweigh: a number, a date or a negation that differs."""

from dataclasses import dataclass

from core.text.numbers import numbers
from core.text.terms import terms, words
from core.text.vocabulary import NEGATIONS

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
    held = numbers(span)
    return NumericGate(tuple(value for value in numbers(claim) if value not in held))


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
