"""Which words bear what a model said, and what the matcher makes of them. Pure, but for the matcher that is handed in.

A model cites a passage; what somebody relies on, and what a saved answer then watches, is the sentence or table row in
it that says so. A sentence that is such a unit, word for word, is a quote, and there is nothing to judge. Else the
matcher picks the unit of each cited passage that bears it best. Where none does, it is asked once more about that
unit beneath its headings, and about units read together, since models like to say two sentences as one; but not where
it holds a number, or a negation differs: a number of the next sentence bears nothing. A sentence that cites nothing
is held against all of the evidence, and gets a citation only where that supports it. What was cited and bears nothing
stays cited, so that whoever reads can see what the model meant.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from core.generate.claims import Said
from core.generate.markers import without_markers
from core.model.ports import Unit
from core.model.verdicts import NO_EVIDENCE, Gate, Support, Verdict
from core.text.fold import fold
from core.text.numbers import numbers
from core.text.terms import terms

Judge = Callable[[Sequence[tuple[str, Sequence[str]]]], Sequence[Verdict]]
"""The verdict on each claim by the words of its own passages."""
Units = Sequence[Unit]

_WORTH_READING = 1 / 3
"""A unit that holds fewer of a sentence's content words cannot support it."""
_NEIGHBOURS = 8
_RANK = {Support.UNSUPPORTED: 0, Support.PARTIAL: 1, Support.SUPPORTED: 2}


@dataclass(frozen=True, slots=True)
class Borne:
    """A sentence with the words that it rests on. `verdict` None: it is quoted, or nobody could judge it."""

    text: str
    units: tuple[Unit, ...]
    quoted: bool = False
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class _Open:
    """A sentence to be judged, and the units of each passage that may bear it. `cited`: by the model."""

    said: Said
    groups: tuple[Units, ...]
    cited: bool


@dataclass(frozen=True, slots=True)
class _Pick:
    units: tuple[Unit, ...]
    verdict: Verdict

    @property
    def rank(self) -> int:
        return _RANK[self.verdict.verdict]

    @property
    def is_capped(self) -> bool:
        found = self.verdict.signals
        return found is not None and Gate.CAPPED in {found.numeric_gate, found.negation}


def bear(said: Sequence[Said], evidence: Sequence[Units], judge: Judge) -> list[Borne]:
    """Each sentence with what bears it; `evidence` are the units of each passage, in the order of their numbers."""
    quotes = _quotes(evidence)
    quoted = [_quote(one, quotes) for one in said]
    opened = [_opened(one, evidence) for one, quote in zip(said, quoted, strict=True) if quote is None]
    judged = iter(_judged(opened, judge))
    return [quote or next(judged) for quote in quoted]


def bear_unjudged(said: Sequence[Said], evidence: Sequence[Units]) -> list[Borne]:
    """The same where there is no matcher: of each cited passage, the unit that shares most words."""
    quotes = _quotes(evidence)
    return [_quote(one, quotes) or Borne(one.text, _sharing(_opened(one, evidence))) for one in said]


# ── quotes ──


def _quotes(evidence: Sequence[Units]) -> dict[str, list[tuple[int, Unit]]]:
    """Every unit with its passage's number, by its words as they are compared."""
    found: dict[str, list[tuple[int, Unit]]] = defaultdict(list)
    for number, units in enumerate(evidence, 1):
        for unit in units:
            found[_words(unit.said)].append((number, unit))
    return found


def _words(text: str) -> str:
    return fold(without_markers(text, 0)[0])


def _quote(one: Said, quotes: dict[str, list[tuple[int, Unit]]]) -> Borne | None:
    found = quotes.get(_words(one.text))
    if not found:
        return None
    cited = tuple(unit for number, unit in found if number in one.cites)
    return Borne(one.text, cited or (found[0][1],), quoted=True)


# ── verdicts ──


def _opened(one: Said, evidence: Sequence[Units]) -> _Open:
    cited = tuple(evidence[number - 1] for number in one.cites if evidence[number - 1])
    if cited:
        return _Open(one, cited, cited=True)
    share = _share_of(one)
    near = [unit for units in evidence for unit in units if share(unit) >= _WORTH_READING]
    return _Open(one, (near,) if near else (), cited=False)


def _share_of(one: Said) -> Callable[[Unit], float]:
    """How many of a sentence's content words a unit holds beneath its headings, 0 to 1."""
    wanted = frozenset(terms(one.text))
    return lambda unit: len(wanted.intersection(terms(f"{unit.context}\n{unit.said}"))) / max(len(wanted), 1)


def _sharing(opened: _Open) -> tuple[Unit, ...]:
    groups = opened.groups if opened.cited else ()
    share = _share_of(opened.said)
    return tuple(max(group, key=share) for group in groups)


def _judged(opened: Sequence[_Open], judge: Judge) -> list[Borne]:
    asked = [(one, group) for one in opened for group in one.groups]
    verdicts = iter(judge([(one.said.text, [unit.said for unit in group]) for one, group in asked]))
    picked = [[_picked(group, next(verdicts)) for group in one.groups] for one in opened]
    wider = _widened(opened, picked, judge)
    return [_settled(one, picks, wide) for one, picks, wide in zip(opened, picked, wider, strict=True)]


def _picked(group: Units, verdict: Verdict) -> _Pick:
    return _Pick((group[verdict.best or 0],), verdict)


def _widened(opened: Sequence[_Open], picked: Sequence[Sequence[_Pick]], judge: Judge) -> list[_Pick | None]:
    """What more words make of each sentence that no single unit supports."""
    wider = [_wider(one, picks) if not _supported(picks) else [] for one, picks in zip(opened, picked, strict=True)]
    asked = [(one, options) for one, options in zip(opened, wider, strict=True) if options]
    verdicts = iter(judge([(one.said.text, [words for _, words in options]) for one, options in asked]))
    return [_wide(options, next(verdicts)) if options else None for options in wider]


def _supported(picks: Sequence[_Pick]) -> bool:
    return any(pick.verdict.verdict is Support.SUPPORTED for pick in picks)


def _wide(options: Sequence[tuple[tuple[Unit, ...], str]], verdict: Verdict) -> _Pick:
    return _Pick(options[verdict.best or 0][0], verdict)


def _wider(one: _Open, picks: Sequence[_Pick]) -> list[tuple[tuple[Unit, ...], str]]:
    """Units to be read together, and their words."""
    beneath = [(pick.units, f"{pick.units[0].context}\n{pick.units[0].said}") for pick in picks]
    if numbers(one.said.text):
        return beneath
    sound = [(group, pick) for group, pick in zip(one.groups, picks, strict=True) if not pick.is_capped]
    joined = [tuple(unit for _, pick in sound for unit in pick.units)] if len(sound) > 1 else []
    for group, pick in sound:
        joined += [(*pick.units, unit) for unit in islice(_neighbours(one.said, group, pick), _NEIGHBOURS)]
    return beneath + [(units, "\n".join(unit.said for unit in units)) for units in joined]


def _neighbours(said: Said, group: Units, pick: _Pick) -> Iterator[Unit]:
    """Other units of a passage, first those that share most words with the sentence."""
    share = _share_of(said)
    others = [(share(unit), unit) for unit in group if unit not in pick.units]
    ranked = sorted(others, key=lambda one: (-one[0], one[1].span))
    return (unit for shared, unit in ranked if shared > 0)


def _settled(one: _Open, picks: Sequence[_Pick], wide: _Pick | None) -> Borne:
    best = max(picks, key=lambda pick: pick.verdict.score, default=None)
    if best is None:
        return Borne(one.said.text, (), verdict=NO_EVIDENCE)
    if wide is not None and wide.rank > best.rank:
        best, picks = wide, [wide]
    if not one.cited and best.verdict.verdict is not Support.SUPPORTED:
        return Borne(one.said.text, (), verdict=NO_EVIDENCE)
    bearing = [pick for pick in picks if pick.rank > 0] or picks
    units = tuple(dict.fromkeys(unit for pick in bearing for unit in pick.units))
    return Borne(one.said.text, units if one.cited else best.units, verdict=best.verdict)
