"""Whether a claim and a span say the opposite of the same thing.

Both are cut into clauses. A negation bears on the content word behind it (not, never, no longer …) or on two (no,
without …), and counts where the other text speaks of such a word too: a negation of something else differs from
nothing. A word's opposite counts as its negation: closed is not open, unpaid not paid. A clause with an even number of
negations affirms. A clause of the claim is held against those clauses of the span that share most words with it, at
least half of its own; they differ where it affirms what all of these deny, or the other way round.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import regex

from core.text.fold import STRUCK, fold
from core.text.terms import terms

_NO_NEGATION = (
    r"(?:not (?:only|just|merely|simply|least|necessarily)|no (?:doubt|matter)|nothing but|whether or not|if not|"
    r"(?:no|not|never) (?:later|more|fewer|less|sooner|longer|earlier|higher|lower|greater|older|younger) than|"
    r"not (?:to )?exceed(?:ing)?)"
)
_BEFORE_VERBS = (
    r"(?:not|never|cannot|no longer|hardly|barely|rarely|seldom|(?:fail(?:s|ed)?|refuse[sd]?|decline[sd]?|unable) to|"
    r"(?:stop(?:s|ped)?|cease[sd]?)(?= \w++ing\b)|\w++(?<=n)'t)"
)
_BEFORE_NOUNS = r"(?:no|non|none|nobody|nothing|neither|nor|without|zero|0|lacks?|lacking)"
_EDGE = (
    r"[.;:!?|()\"](?!\d)|,(?!\d)|\b(?:but|because|although|though|while|whereas|unless|if|when|which|who|that|than|and|"
    r"or|so)\b"
)
_CUT = regex.compile(
    rf"(?<![\w'])(?:{_NO_NEGATION}|(?P<verb>{_BEFORE_VERBS})|(?P<noun>{_BEFORE_NOUNS}))(?![\w'])|(?P<edge>{_EDGE})"
)
_PASSED_OVER = frozenset(terms("yet anymore ever current currently always even still really actual actually"))
_OPPOSITES = {
    "open": "closed shut",
    "accept": "reject refuse decline",
    "approve": "reject deny",
    "allow": "forbid prohibit ban disallow",
    "permit": "forbid prohibit ban",
    "require": "optional",
    "mandatory": "optional voluntary",
    "enable": "disable",
    "include": "exclude",
    "increase": "decrease reduce fall drop decline",
    "rise": "decrease fall drop decline",
    "raise": "lower reduce cut",
    "valid": "invalid",
    "active": "inactive",
    "complete": "incomplete",
    "correct": "incorrect wrong",
    "possible": "impossible",
    "present": "absent",
    "positive": "negative",
    "favorable": "negative",
    "pass": "fail",
    "succeed": "fail",
    "win": "lose",
    "legal": "illegal",
    "public": "private",
    "internal": "external",
    "minimum": "maximum",
    "start": "end stop finish",
    "begin": "end stop finish",
    "agree": "disagree",
    "arrive": "depart leave",
    "buy": "sell",
    "add": "remove",
    "true": "false",
    "online": "offline",
}
_POSITIVES: dict[str, set[str]] = {}
for _positive, _negatives in _OPPOSITES.items():
    for _negative in terms(_negatives):
        _POSITIVES.setdefault(_negative, set()).update(terms(_positive))


@dataclass(frozen=True, slots=True)
class _Clause:
    """`denied`: for each negation the terms that it bears on."""

    said: tuple[str, ...]
    denied: tuple[frozenset[str], ...]


def negation_differs(claim: str, span: str) -> bool:
    of_claim, of_span = _clauses(claim), _clauses(span)
    return any(_denied_by_all(clause, of_span) for clause in of_claim if clause.said)


def denies(text: str) -> bool:
    """Whether a text denies anything: no deaths are 0 deaths."""
    return any(clause.denied for clause in _clauses(text))


def _denied_by_all(clause: _Clause, others: tuple[_Clause, ...]) -> bool:
    shared = [len(set(clause.said) & _about(other)) for other in others]
    most = max(shared, default=0)
    if 2 * most < len(set(clause.said)):
        return False
    nearest = [other for other, count in zip(others, shared, strict=True) if count == most]
    return all(_denies(clause, _about(other)) is not _denies(other, _about(clause)) for other in nearest)


def _about(clause: _Clause) -> set[str]:
    return {*clause.said, *(positive for term in clause.said for positive in _positives(term))}


def _denies(clause: _Clause, other: set[str]) -> bool:
    negations = sum(not bears.isdisjoint(other) for bears in clause.denied)
    opposites = sum(term not in other and not other.isdisjoint(_positives(term)) for term in set(clause.said))
    return (negations + opposites) % 2 == 1


def _positives(term: str) -> set[str]:
    return {*_POSITIVES.get(term, ()), *((term[2:],) if term.startswith("un") and len(term) > 5 else ())}


@lru_cache(maxsize=256)
def _clauses(text: str) -> tuple[_Clause, ...]:
    return tuple(_read(fold(text).replace(STRUCK, "")))


def _read(folded: str) -> Iterator[_Clause]:
    said: list[str] = []
    denied: list[frozenset[str]] = []
    waiting: list[int] = []
    for segment, cut in _segments(folded):
        found = terms(segment)
        said += found
        bearing = [term for term in found if term not in _PASSED_OVER]
        if bearing:
            denied += [frozenset(bearing[:reach]) for reach in waiting]
            waiting = []
        if cut == "edge":
            yield _Clause(tuple(said), tuple(denied))
            said, denied, waiting = [], [], []
        elif cut:
            waiting.append(1 if cut == "verb" else 2)


def _segments(folded: str) -> Iterator[tuple[str, str]]:
    """The text between two cuts, and what the second one is; "" where it is none."""
    at = 0
    for found in _CUT.finditer(folded):
        yield folded[at : found.start()], found.lastgroup or ""
        at = found.end()
    yield folded[at:], "edge"
