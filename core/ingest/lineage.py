"""Does a cited piece of text still stand in a later version of its document?

Units of the two versions (core.ingest.units) are matched by their folded words, in document order. The same words in
the same context continue: the n-th such unit goes to the n-th, and where one of several equal ones was removed, those
cited go on in the ones that stay. The same words only in another context are affected, for a heading, a header or a
qualifier can turn their meaning; `clearable` says that nothing in the contexts' difference can. Words found nowhere are
gone. A citation that covers several units stands as the worst of them stands.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.ingest.units import Context, Unit, Words, units
from core.model.documents import Document
from core.text.numbers import numbers, polarity, qualifiers
from core.text.terms import terms

State = Literal["continues", "affected", "gone"]

_GENERIC = frozenset(
    terms(
        "policy guide guideline handbook manual overview introduction intro summary general information info details "
        "process procedure rules instructions steps notes page section chapter part topic contents faq question help "
        "still"
    )
)
"""What a title may say more without saying for whom, where or when: it names a kind of text."""

_SEVERITY: tuple[State, ...] = ("continues", "affected", "gone")


@dataclass(frozen=True, slots=True)
class Continuation:
    """`start` and `end` are bytes of the new text where the words stand, and absent when they are gone.

    `clearable`: affected by a difference of context that verification may judge harmless. `reason`: what differs.
    """

    state: State
    start: int | None = None
    end: int | None = None
    clearable: bool = False
    reason: str = ""


def trace(old: Document, spans: Sequence[tuple[int, int]], new: Document | None) -> tuple[Continuation, ...]:
    """What became of each span (bytes of the old text), in order."""
    if new is None:
        return tuple(Continuation("gone", reason="document removed") for _ in spans)
    return follow(units(old), spans, units(new))


def follow(cited: Sequence[Unit], spans: Sequence[tuple[int, int]], today: Sequence[Unit]) -> tuple[Continuation, ...]:
    """`trace` between the units of two versions."""
    matches, headings = _matches(cited, today), _Headings(cited, today)
    starts, ends = [unit.start for unit in cited], [unit.end for unit in cited]
    found = []
    for start, end in spans:
        touched = range(bisect_right(ends, start), bisect_left(starts, end))
        found.append(_worst([_continuation(cited[i], matches[i], headings) for i in touched]))
    return tuple(found)


def _worst(parts: Sequence[Continuation]) -> Continuation:
    """Several units as one: in the worst state of them, reaching from the first place to the last."""
    if not parts:
        return Continuation("gone", reason="no citable text there")
    worst = max(parts, key=lambda part: (_SEVERITY.index(part.state), not part.clearable))
    if worst.state == "gone":
        return worst
    places = [(part.start, part.end) for part in parts if part.start is not None and part.end is not None]
    return Continuation(
        worst.state, min(start for start, _ in places), max(end for _, end in places), worst.clearable, worst.reason
    )


def _matches(old: Sequence[Unit], new: Sequence[Unit]) -> list[Unit | None]:
    """For each old unit the new one that takes its place: in the same context, else among those that are new there."""
    known = {(unit.key, unit.context) for unit in old}
    places: dict[object, list[Unit]] = {}
    for unit in sorted(new, key=lambda unit: (unit.key, unit.context) in known):
        places.setdefault((unit.key, unit.context), []).append(unit)
        places.setdefault(unit.key, []).append(unit)
    counted: Counter[object] = Counter()
    return [_next_place(unit, places, counted) for unit in old]


def _next_place(unit: Unit, places: Mapping[object, Sequence[Unit]], counted: Counter[object]) -> Unit | None:
    same: object = (unit.key, unit.context)
    sought = same if same in places else unit.key
    candidates = places.get(sought, ())
    counted[sought] += 1
    return candidates[min(counted[sought], len(candidates)) - 1] if candidates else None


def _continuation(unit: Unit, match: Unit | None, headings: "_Headings") -> Continuation:
    if match is None:
        return Continuation("gone", reason="words gone")
    if unit.context == match.context:
        return Continuation("continues", match.start, match.end)
    clearable = _clearable(unit.context, match.context) and headings.akin(unit, match)
    reason = _reason(unit.context, match.context)
    return Continuation("affected", match.start, match.end, clearable, reason)


def _clearable(old: Context, new: Context) -> bool:
    """Whether the contexts differ in nothing that bears on the words: see the conditions one by one."""
    return (
        (old.struck, old.before, old.after) == (new.struck, new.before, new.after)
        and _terms(old.header) == _terms(new.header)
        and _terms(*old.lead) == _terms(*new.lead)
        and _bearing(old) == _bearing(new)
    )


class _Headings:
    """Which changes of heading say nothing new of the words beneath: judged by what else happened to the headings."""

    def __init__(self, old: Sequence[Unit], new: Sequence[Unit]) -> None:
        self._old = old
        self._before = {unit.context.path for unit in old}
        self._standing = {unit.context.path for unit in new}

    def akin(self, unit: Unit, match: Unit) -> bool:
        """The titles name the same; or were renamed where they stood; or a title put in says what was said there.

        Or a rule ended what was said above, and the title after it says only what kind of text this is.
        """
        old, new, key = unit.context.path, match.context.path, unit.key
        if bool(old) != bool(new):
            return False
        if match.context.apart and old in self._standing and _terms(*new[-1:]).keys() <= _GENERIC:
            return True
        named = _contained(old[-1:], new[-1:]) and _contained(old, new)
        if named or new in self._before:
            return named and self._adds_nothing(old, new, key)
        renamed = old not in self._standing and len(old) == len(new) and _alike(old[-1:], new[-1:])
        put_in = new[: len(old)] == old and _terms(*new[len(old) :]).keys() <= self._said(old)
        return renamed or put_in or any(self._moved(old, was, key) for was in self._renamed(new))

    def _adds_nothing(self, old: Words, new: Words, key: str) -> bool:
        """Whether each word more is said in the words themselves, or only says what kind of text this is."""
        return _added(old, new) <= _GENERIC | set(terms(key))

    def _renamed(self, new: Words) -> list[Words]:
        """What a title may have been before, where it stood: one that stands no more, and said all of this beneath."""
        gone = (was for was in self._before - self._standing if len(was) == len(new) and _contained(was[-1:], new[-1:]))
        return [was for was in gone if _contained(was, new) and _added(was, new) <= _GENERIC | self._said(was)]

    def _moved(self, old: Words, was: Words, key: str) -> bool:
        """Whether words went over to a title like their own, that named nothing which they do not."""
        return _alike(old[-1:], was[-1:]) and _terms(*was).keys() <= _terms(*old, key).keys()

    def _said(self, path: Words) -> set[str]:
        """Every content word that stood directly under a heading path."""
        return {term for unit in self._old if unit.context.path == path for term in terms(unit.key)}


def _alike(old: Words, new: Words) -> bool:
    """More than half of the content words of both are shared."""
    one, other = _terms(*old), _terms(*new)
    return 4 * (one & other).total() > one.total() + other.total()


def _added(old: Words, new: Words) -> set[str]:
    return _terms(*new).keys() - _terms(*old).keys()


def _contained(old: Words, new: Words) -> bool:
    one, other = _terms(*old).keys(), _terms(*new).keys()
    return one <= other or other <= one


def _terms(*texts: str) -> Counter[str]:
    return Counter(term for text in texts for term in terms(text))


def _bearing(context: Context) -> Counter[str]:
    text = "\n".join((*context.path, context.header, *context.lead))
    return numbers(text) + polarity(text) + qualifiers(text)


_REASONS = (
    ("struck", "struck through"),
    ("header", "under another table header"),
    ("lead", "led by other words"),
    ("before", "qualified by what stands before"),
    ("after", "qualified by what stands after"),
    ("path", "under another heading"),
)


def _reason(old: Context, new: Context) -> str:
    return next(reason for field, reason in _REASONS if getattr(old, field) != getattr(new, field))
