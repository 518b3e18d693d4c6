"""Whether a reworded passage still says what was claimed: the test that may clear a saved answer.

The matcher's bands ask how close two texts are, and an edit that turns a fact round is as close as an edit can be:
one word among twenty. Here the price of a mistake is not even. A false alarm costs a glance at a card; a missed
change leaves somebody quoting what is no longer so, and nobody will ever tell them. So nothing is weighed. One
current sentence, on its own, must hold every content term of the claim, in the claim's order (who does what to whom
is order), the same numbers and dates by value, the same negations and the same qualifiers, none added, and no word
struck through. Whatever cannot be shown to be the same stays affected.
"""

from collections.abc import Iterable, Sequence

from core.model.verdicts import NO_EVIDENCE, Candidate, Gate, Reason, Signals, Support, Verdict
from core.text.fold import struck
from core.text.numbers import numbers, polarity, qualifiers
from core.text.terms import terms
from core.text.vocabulary import CURRENCIES, MONTHS, NUMBER_WORDS, SCALES
from core.verify.gate import negation_differs, numeric_gate
from core.verify.score import lexical

# Words of numbers and dates are compared by value, in order, with the numbers. One letter may be a name: plan B.
_BY_VALUE = frozenset(term for term in terms(" ".join((*NUMBER_WORDS, *SCALES, *MONTHS, *CURRENCIES))) if len(term) > 2)


_REACHING = dict.fromkeys(terms("ask contact find message ping reach"), "reach")
"""Ways to say that somebody can be reached somewhere: who and where decide, not which verb is used."""


def still_says(claim: str, passage_sentences: Sequence[Candidate]) -> Verdict:
    """Supported by the first sentence that passes every test, else unsupported with the closest one; never partial."""
    claim_terms = _content(claim)
    closest: Verdict | None = None
    for index, sentence in enumerate(passage_sentences):
        verdict = _verdict(claim, claim_terms, index, sentence)
        if verdict.verdict is Support.SUPPORTED:
            return verdict
        if closest is None or verdict.score > closest.score:
            closest = verdict
    return closest or NO_EVIDENCE


def _verdict(claim: str, claim_terms: list[str], index: int, sentence: Candidate) -> Verdict:
    lex = lexical(claim_terms, _content(sentence.text))
    numeric, negation = numeric_gate(claim, sentence.text).capped, negation_differs(claim, sentence.text)
    signals = Signals(lex, sentence.cosine, Gate.of(numeric), Gate.of(negation))
    if _says_the_same(claim, claim_terms, sentence.text):
        return Verdict(Support.SUPPORTED, lex, None, index, signals)
    reason = Reason.NUMERIC_OR_DATE_MISMATCH if numeric else Reason.INSUFFICIENT_SUPPORT
    return Verdict(Support.UNSUPPORTED, lex, reason, index, signals)


def _says_the_same(claim: str, claim_terms: list[str], sentence: str) -> bool:
    wanted = [term for term in claim_terms if term not in _BY_VALUE and not term[0].isdigit()]
    return (
        bool(wanted)
        and _in_order(wanted, _content(sentence))
        and list(numbers(claim).items()) == list(numbers(sentence).items())
        and polarity(claim) == polarity(sentence)
        and qualifiers(claim) == qualifiers(sentence)
        and not struck(sentence)
    )


def _content(text: str) -> list[str]:
    return [_REACHING.get(term, term) for term in terms(text)]


def _in_order(wanted: Iterable[str], held: Iterable[str]) -> bool:
    rest = iter(held)
    return all(term in rest for term in wanted)
