"""Whether a reworded passage still says what was claimed: the test that may clear a saved answer.

The matcher's bands ask how close two texts are, and an edit that turns a fact round is as close as an edit can be:
one word among twenty. Here the price of a mistake is not even. A false alarm costs a glance at a card; a missed
change leaves somebody quoting what is no longer so, and nobody will ever tell them. So nothing is weighed. One
current sentence, or what of it stands beside an added clause, must hold the claim's content terms in its order (who
does what to whom is order), with none among them that is not there (one more noun says for whom or where), and the
same numbers and dates by value, negations, qualifiers, obligations and comparisons; nothing in it may be struck
through, and it may not ask. Two words that the question took for one ("how long is a licence or permit good?") count as
one. Whatever cannot be shown to be the same stays affected.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import regex

from core.model.verdicts import NO_EVIDENCE, Candidate, Gate, Reason, Signals, Support, Verdict
from core.text.fold import fold, plain, struck
from core.text.kinds import asks_in_kind
from core.text.numbers import numbers, polarity, qualifiers, readings
from core.text.terms import terms, words
from core.verify.gate import numeric_gate
from core.verify.negation import negation_differs
from core.verify.score import lexical
from core.verify.wording import Wording

_REACHING = dict.fromkeys(terms("ask contact find message ping reach"), "reach")
"""Ways to say that somebody can be reached somewhere: who and where decide, not which verb is used."""

_SAYS_NOTHING = frozenset(terms("please kindly note remember simply always everybody everyone everywhere every"))
"""What may be put in or left out: it is polite, or says of all what is said anyway (`every` is compared below)."""

_BEARING = {
    **{word: word for word in ("can", "or", "any", "some", "few", "both", "other", "same", "own", "more", "most")},
    **{word: word for word in ("above", "below", "under", "over", "up", "down", "out", "off")},
    **{word: word for word in ("i", "you", "he", "she", "we", "they")},
    **dict.fromkeys(("must", "shall"), "must"),
    **dict.fromkeys(("every", "each", "all"), "every"),
}
"""Words that are no content and yet turn what is said; those that say the same count as one."""

_THEIRS = {
    **dict.fromkeys(("my", "me"), "i"),
    **dict.fromkeys(("our", "us"), "we"),
    **dict.fromkeys(("his", "him"), "he"),
    **dict.fromkeys(("their", "them"), "they"),
    "your": "you",
    "her": "she",
}
"""Whose it is, and whom it is done to, may be added to what is said; it may not become another's."""

_SPELT = dict(
    zip(
        terms("licence defence offence pretence practise"),
        terms("license defense offense pretense practice"),
        strict=True,
    )
)
_EITHER = regex.compile(r"(?<!,)(?<!, (?:a|an|the)) \b([^\W\d_]+) or ([^\W\d_]+)\b")
"""Not after a comma: "who decides, the owner or tenant?" asks which."""

_NUMBER = "#"
_OPTION = regex.compile(r"(?<!\S)--?[A-Za-z][\w-]*")
_JOINT = regex.compile(r"\s*(?:;|, and\b|, then\b)\s*")
_GOES_ON = regex.compile(
    r"(?:is|are|was|were|be|for|to|in|on|at|by|with|of|as|that|who|which|appl\w+|hold\w*|cover\w*)\b"
)
"""How a clause begins that says more of the one before: for whom, where, since when."""


def still_says(claim: str, passage_sentences: Sequence[Candidate], question: str = "") -> Verdict:
    """Supported by the first sentence that passes every test, else unsupported with the closest one; never partial.

    `question`: what the claim was an answer to.
    """
    if not passage_sentences:
        return NO_EVIDENCE
    alike, claim_terms = _alike(question), _content(claim)
    says_the_same = _same_as(claim, alike)
    lex = [lexical(claim_terms, _content(sentence.text)) for sentence in passage_sentences]
    for index, sentence in enumerate(passage_sentences):
        if says_the_same(sentence.text):
            return _verdict(claim, index, sentence, lex[index], Support.SUPPORTED)
    closest = max(range(len(lex)), key=lambda index: (lex[index], -index))
    return _verdict(claim, closest, passage_sentences[closest], lex[closest], Support.UNSUPPORTED)


def _verdict(claim: str, index: int, sentence: Candidate, lex: float, support: Support) -> Verdict:
    wanted, held = Wording(claim), Wording(sentence.text)
    numeric, negation = numeric_gate(wanted, held).capped, negation_differs(wanted.clauses, held.clauses)
    signals = Signals(lex, sentence.cosine, Gate.of(numeric), Gate.of(negation))
    if support is Support.SUPPORTED:
        return Verdict(support, lex, None, index, signals)
    reason = Reason.NUMERIC_OR_DATE_MISMATCH if numeric else Reason.INSUFFICIENT_SUPPORT
    return Verdict(support, lex, reason, index, signals)


def _same_as(claim: str, alike: Mapping[str, str]) -> Callable[[str], bool]:
    """Whether a sentence says the same as a claim: what a word or two may tell first, then word by word."""
    wanted, telling = list(_said(fold(claim), alike)), [tell(claim) for tell in _COMPARED]
    says_something = any(not part.startswith(_NUMBER) for part in wanted)

    def same(sentence: str) -> bool:
        return (
            all(tell(sentence) == told for tell, told in zip(_COMPARED, telling, strict=True))
            and not _others(claim, sentence)
            and not struck(sentence)
            and _holds(fold(sentence), wanted, alike)
        )

    return same if says_something else lambda _: False


def _holds(folded: str, wanted: Sequence[str], alike: Mapping[str, str]) -> bool:
    """Whether this is said by a sentence, or by it without a clause that was joined to it and says something else."""
    said, cuts = list[str](), list[tuple[int, int]]()
    for clause, end in _clauses(folded):
        said += _said(clause, alike)
        cuts.append((len(said), end))
    begins, ends = said[: len(wanted)] == wanted, said[-len(wanted) :] == wanted
    return said == wanted or any(
        (ends and len(said) - cut == len(wanted)) or (begins and cut == len(wanted) and not _GOES_ON.match(folded, end))
        for cut, end in cuts[:-1]
    )


def _clauses(folded: str) -> Iterator[tuple[str, int]]:
    """What stands between two joints, and where the second of them ends."""
    at = 0
    for joint in _JOINT.finditer(folded):
        yield folded[at : joint.start()], joint.end()
        at = joint.end()
    yield folded[at:], len(folded)


def _alike(question: str) -> dict[str, str]:
    """Terms that a question for a number, a date or an address joins by "or": which of them it is, it does not ask."""
    pairs = _EITHER.findall(fold(question)) if asks_in_kind(question) else ()
    either = [(_content(one), _content(other)) for one, other in pairs]
    return {other[0]: one[0] for one, other in either if len(one) == len(other) == 1}


def _said(folded: str, alike: Mapping[str, str]) -> Iterator[str]:
    """Content terms and, by value, numbers, in order: what is counted is what stands beside the count."""
    at = 0
    for number in readings(folded):
        yield from _terms_told(folded[at : number.start], alike)
        yield _NUMBER + number.value
        at = number.end
    yield from _terms_told(folded[at:], alike)


def _terms_told(folded: str, alike: Mapping[str, str]) -> Iterator[str]:
    return (alike.get(term, term) for term in _content(folded) if term not in _SAYS_NOTHING)


def _options(text: str) -> list[str]:
    """Options of a command, of which another case is another option."""
    return _OPTION.findall(plain(text))


def _bearing(text: str) -> Counter[str]:
    return Counter(_BEARING[word] for word in words(text) if word in _BEARING)


def _others(claim: str, sentence: str) -> bool:
    """Whether both say whose something is, or whom it is done to, and not the same."""
    one, other = ({_THEIRS[word] for word in words(text) if word in _THEIRS} for text in (claim, sentence))
    return bool(one and other and one != other)


def _asks(text: str) -> bool:
    return fold(text).endswith("?")


def _content(text: str) -> list[str]:
    return [_REACHING.get(term, _SPELT.get(term, term)) for term in terms(text)]


_COMPARED: tuple[Callable[[str], object], ...] = (numbers, polarity, qualifiers, _bearing, _options, _asks)
"""What a text and what is left of it when it is reworded have alike, however its words are put."""
