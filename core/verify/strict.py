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
from collections.abc import Iterator, Mapping, Sequence

import regex

from core.model.verdicts import NO_EVIDENCE, Candidate, Gate, Reason, Signals, Support, Verdict
from core.text.fold import fold, plain, struck
from core.text.kinds import asks_in_kind
from core.text.numbers import numbers, polarity, qualifiers, readings
from core.text.terms import terms, words
from core.verify.gate import negation_differs, numeric_gate
from core.verify.score import lexical

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
    wanted = _said(claim, alike)
    lex = [lexical(claim_terms, _content(sentence.text)) for sentence in passage_sentences]
    for index, sentence in enumerate(passage_sentences):
        if _says_the_same(claim, wanted, sentence.text, alike):
            return _verdict(claim, index, sentence, lex[index], Support.SUPPORTED)
    closest = max(range(len(lex)), key=lambda index: (lex[index], -index))
    return _verdict(claim, closest, passage_sentences[closest], lex[closest], Support.UNSUPPORTED)


def _verdict(claim: str, index: int, sentence: Candidate, lex: float, support: Support) -> Verdict:
    numeric, negation = numeric_gate(claim, sentence.text).capped, negation_differs(claim, sentence.text)
    signals = Signals(lex, sentence.cosine, Gate.of(numeric), Gate.of(negation))
    if support is Support.SUPPORTED:
        return Verdict(support, lex, None, index, signals)
    reason = Reason.NUMERIC_OR_DATE_MISMATCH if numeric else Reason.INSUFFICIENT_SUPPORT
    return Verdict(support, lex, reason, index, signals)


def _says_the_same(claim: str, wanted: list[str], sentence: str, alike: Mapping[str, str]) -> bool:
    return (
        any(not part.startswith(_NUMBER) for part in wanted)
        and any(_said(part, alike) == wanted for part in _parts(sentence))
        and numbers(claim) == numbers(sentence)
        and polarity(claim) == polarity(sentence)
        and qualifiers(claim) == qualifiers(sentence)
        and _bearing(claim) == _bearing(sentence)
        and _options(claim) == _options(sentence)
        and not _others(claim, sentence)
        and _asks(claim) == _asks(sentence)
        and not struck(sentence)
    )


def _parts(sentence: str) -> Iterator[str]:
    """The sentence, and it without a clause that was joined to it and says something of its own."""
    yield sentence
    for joint in _JOINT.finditer(sentence):
        before, after = sentence[: joint.start()], sentence[joint.end() :]
        yield after
        if not _GOES_ON.match(fold(after)):
            yield before


def _alike(question: str) -> dict[str, str]:
    """Terms that a question for a number, a date or an address joins by "or": which of them it is, it does not ask."""
    pairs = _EITHER.findall(fold(question)) if asks_in_kind(question) else ()
    either = [(_content(one), _content(other)) for one, other in pairs]
    return {other[0]: one[0] for one, other in either if len(one) == len(other) == 1}


def _said(text: str, alike: Mapping[str, str]) -> list[str]:
    """Content terms and, by value, numbers, in order: what is counted is what stands beside the count."""
    folded, found, at = fold(text), list[str](), 0
    for number in readings(folded):
        found += [*_content(folded[at : number.start]), _NUMBER + number.value]
        at = number.end
    told = (*found, *_content(folded[at:]))
    return [alike.get(term, term) for term in told if term not in _SAYS_NOTHING]


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
