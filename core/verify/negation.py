"""Whether a claim and a span say the opposite of the same thing.

Both are cut into clauses. A negation bears on the content word behind it (not, never, no longer …) or on two (no,
without …), and counts where the other text speaks of such a word too: a negation of something else differs from
nothing. A word's opposite counts as its negation: closed is not open, unpaid not paid. A clause with an even number of
negations affirms. A clause of the claim is held against those clauses of the span that share most words with it, at
least half of its own; they differ where it affirms what all of these deny, or the other way round.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

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
_BEFORE_NOUNS = (
    r"(?:no|non|none|nobody|nothing|neither|nor|without|zero|(?<![.,:/-])0(?![.,:/-]?\d| ?(?:-|to) ?\d)|lacks?|lacking|"
    r"rather than|instead of|free (?:of|from)|(?:exempt(?:ed|ions?)?|excused|excluded) from)"
)
_BUT_FOR = (
    r"(?:except(?:ing)?(?: for)?|with the exception of|apart from|excluding|"
    r"(?<=\b(?:all|any|each|every) \w{1,20} )but(?! (?:only|not|also)\b))"
)
_EDGE = (
    r"[.;:!?|()\"](?!\d)|,(?!\d)|\b(?:but|because|although|though|while|whereas|unless|if|when|which|who|that|than|and|"
    r"or|so)\b"
)
_CUT = regex.compile(
    rf"(?<![\w'])(?:{_NO_NEGATION}|(?P<verb>{_BEFORE_VERBS})|(?P<noun>{_BEFORE_NOUNS})|(?P<but_for>{_BUT_FOR}))(?![\w'])|(?P<edge>{_EDGE})"
)
_MOVES = r"(?:go|goes|went|gone|going|mov(?:e|ed|es|ing)|came|is|are|was|were)"
_STATE = r"(?= (?:at|during|in|by|from|after|before|until|when|if)\b|[.;:,]|$)"
_SPELLED_OUT = tuple(
    (regex.compile(pattern), word)
    for particle, word in (("up", "rise"), ("down", "fall"))
    for pattern in (
        rf"\b{_MOVES} {particle}(?= by\b|[.;:,]|$| (?:[\d€$£]|in|since|from|last|this))",
        rf"\b{particle}(?= (?:by )?[\d€$£])",
    )
) + tuple(
    (
        regex.compile(
            rf"(?<=\b(?:(?:switch|turn)(?:ed|s|ing)?|power|is|are|was|were|stays?)(?: \w{{1,20}})? ){particle}{_STATE}"
        ),
        word,
    )
    for particle, word in (("on", "enabled"), ("off", "disabled"))
)
_FORMS = {
    **dict.fromkeys(("fell", "fallen"), "fall"),
    **dict.fromkeys(("rose", "risen"), "rise"),
    **dict.fromkeys(("grew", "grown"), "grow"),
    **dict.fromkeys(("shrank", "shrunk"), "shrink"),
    **dict.fromkeys(("sank", "sunk"), "sink"),
    **dict.fromkeys(("began", "begun"), "begin"),
    "forbidden": "forbid",
    "won": "win",
    "lost": "lose",
    "bought": "buy",
    "sold": "sell",
}
_PASSED_OVER = frozenset(
    terms("yet anymore ever current currently always even still really actual actually apply get receive")
)
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
    "increase": "decrease reduce fall drop decline shrink",
    "rise": "decrease fall drop decline sink shrink",
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
    "grow": "shrink decline fall",
    "gross": "net",
}
_POSITIVES: dict[str, set[str]] = {}
for _positive, _negatives in _OPPOSITES.items():
    for _negative in terms(_negatives):
        _POSITIVES.setdefault(_negative, set()).update(terms(_positive))


_HELD_AGAINST_ALL = 50
"""Clauses of a claim that are held against every clause of a span; of a longer one the rest must be in its words."""


@dataclass(frozen=True, slots=True)
class Clause:
    """`denied`: for each negation the terms that it bears on. `about`: what is said, and what it is the opposite of."""

    said: frozenset[str]
    denied: tuple[frozenset[str], ...]
    about: frozenset[str]

    @property
    def is_denying(self) -> bool:
        return len(self.denied) % 2 == 1


def negation_differs(of_claim: Collection[Clause], of_span: Collection[Clause]) -> bool:
    held = frozenset(of_span)
    moved = [clause for clause in dict.fromkeys(of_claim) if clause.said and clause not in held]
    return len(moved) > _HELD_AGAINST_ALL or any(_differs(clause, held) for clause in moved)


def denies(of_text: Collection[Clause]) -> bool:
    """Whether a text denies anything: no deaths are 0 deaths."""
    return any(clause.denied for clause in of_text)


def _differs(clause: Clause, others: Collection[Clause]) -> bool:
    denied = _denied_apart(clause, others)
    if clause.is_denying and denied:
        return False
    return _denied_by_all(clause, others) or _turned_apart(clause, others, denied)


def _denied_by_all(clause: Clause, others: Collection[Clause]) -> bool:
    shared = [(len(clause.said & other.about), other) for other in others]
    most = max((count for count, _ in shared), default=0)
    if 2 * most < len(clause.said):
        return False
    nearest = [other for count, other in shared if count == most]
    return all(_denies(clause, other.about) is not _denies(other, clause.about) for other in nearest)


def _denied_apart(clause: Clause, others: Collection[Clause]) -> list[frozenset[str]]:
    """Words of the claim that a smaller clause denies and none affirms: a laptop, but no phone."""
    bearing = {bears & clause.said for other in others if other.is_denying for bears in other.denied}
    return [told for told in bearing if told and not _affirm(others, told, clause)]


def _turned_apart(clause: Clause, others: Collection[Clause], denied: Collection[frozenset[str]]) -> bool:
    heard = frozenset[str]().union(*(other.said for other in others))
    if clause.is_denying:
        turned = [bears for bears in clause.denied if bears <= heard and _affirm(others, bears, clause)]
    else:
        turned = [] if clause.denied or _denies(clause, heard) else [*denied]
    return any(_speaks_of(clause.said - bears, heard) for bears in turned)


def _affirm(others: Collection[Clause], words: frozenset[str], clause: Clause) -> bool:
    """Whether of the clauses that say one of some words one affirms, and none denies it."""
    saying = [other for other in others if words & other.said]
    return any(not (other.denied or _denies(other, clause.about)) for other in saying)


def _speaks_of(rest: frozenset[str], heard: frozenset[str]) -> bool:
    return bool(rest) and 2 * len(rest & heard) >= len(rest)


def _denies(clause: Clause, other: Collection[str]) -> bool:
    negations = sum(not bears.isdisjoint(other) for bears in clause.denied)
    opposites = sum(term not in other and not _positives(term).isdisjoint(other) for term in clause.said)
    return (negations + opposites) % 2 == 1


def _positives(term: str) -> set[str]:
    return {*_POSITIVES.get(term, ()), *((term[2:],) if term.startswith("un") and len(term) > 5 else ())}


def clauses(text: str) -> tuple[Clause, ...]:
    """In the text's order."""
    folded = fold(text).replace(STRUCK, "")
    for pattern, word in _SPELLED_OUT:
        folded = pattern.sub(word, folded)
    return tuple(_read(folded))


def _read(folded: str) -> Iterator[Clause]:
    said: list[str] = []
    denied: list[frozenset[str]] = []
    waiting: list[int] = []
    for segment, cut in _segments(folded):
        found = [_FORMS.get(term, term) for term in terms(segment)]
        said += found
        bearing = [term for term in found if term not in _PASSED_OVER]
        if bearing:
            denied += [frozenset(bearing[:reach]) for reach in waiting]
            waiting = []
        if cut == "edge":
            denied += [frozenset(said) for _ in waiting if said]  # laptops are insured, phones are not
            about = frozenset([*said, *(positive for term in said for positive in _positives(term))])
            yield Clause(frozenset(said), tuple(denied), about)
            said, denied, waiting = [], [], []
        elif cut == "but_for":
            waiting = [] if waiting or denied else [2]  # no one except managers: managers
        elif cut:
            waiting.append(1 if cut == "verb" else 2)


def _segments(folded: str) -> Iterator[tuple[str, str]]:
    """The text between two cuts, and what the second one is; "" where it is none."""
    at = 0
    for found in _CUT.finditer(folded):
        yield folded[at : found.start()], found.lastgroup or ""
        at = found.end()
    yield folded[at:], "edge"
