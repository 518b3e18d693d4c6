"""What a person's brief says. Pure.

It is a fold over fires: one line for each (thing, tx of its change), however many watches fired.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from uuid import UUID

import regex

from core.model.evidence import BriefLine, SectionChange
from core.model.notices import QuestionLine
from core.model.watching import Event
from core.text.numbers import numbers, polarity

LINES = 15
COMPARED = 200
"""Changes whose words are compared for what is material, the newest; older ones than these are only counted."""
_SENTENCE_END = regex.compile(r"(?<=[.!?。！？])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Fired:
    """What one fire of a watch tells. `created_tx`: from when on the watch listens.

    `undone`: by the time to tell it nothing was different. It counts only for things that another fire tells of.
    """

    watch_id: UUID
    created_tx: int
    events: Sequence[Event]
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """One change of one thing: what differs between two tx, and the watches that heard it."""

    ref_type: str
    ref_id: UUID
    since_tx: int
    change_tx: int
    watch_ids: frozenset[UUID]


def fold(fires: Collection[Fired], cursor: int, told: Mapping[UUID, int]) -> list[Moved]:
    """Every change in these fires once, newest first. `cursor`: the tx up to which the last brief told.

    `told`: up to which tx of some things nothing is news. A thing's first change is told from there, or from where the
    last brief, or the beginning of its watch, left off: of several changes seen together a fire names only the newest.
    """
    heard: dict[tuple[UUID, int], list[tuple[Fired, str]]] = {}
    told_of = {event.ref_id for fire in fires if not fire.undone for event in fire.events}
    for fire in fires:
        for event in fire.events:
            if event.ref_id in told_of and event.change_tx > told.get(event.ref_id, 0):
                heard.setdefault((event.ref_id, event.change_tx), []).append((fire, event.ref_type))
    moved: list[Moved] = []
    for (ref_id, change_tx), told_by in sorted(heard.items()):
        follows = bool(moved) and moved[-1].ref_id == ref_id
        since = moved[-1].change_tx if follows else max(cursor, _begun(told_by), told.get(ref_id, 0))
        watch_ids = frozenset(fire.watch_id for fire, _ in told_by)
        moved.append(Moved(told_by[0][1], ref_id, min(since, change_tx - 1), change_tx, watch_ids))
    return sorted(moved, key=lambda one: (-one.change_tx, one.ref_id))


def untold(moved: Iterable[Moved], shown: Mapping[UUID, int]) -> list[Moved]:
    """The first change of each thing of which the reader was shown nothing since. `shown`: up to which tx they were."""
    first = {one.ref_id: one for one in sorted(moved, key=lambda one: -one.change_tx)}
    return [one for one in first.values() if shown.get(one.ref_id, 0) <= one.since_tx]


def _begun(told_by: Iterable[tuple[Fired, str]]) -> int:
    return min(fire.created_tx for fire, _ in told_by)


Line = BriefLine | QuestionLine


def arranged(lines: Iterable[BriefLine], questions: Iterable[QuestionLine] = ()) -> tuple[tuple[Line, ...], int]:
    """The lines to show, those of one source together, material ones first, then the newest; and how many more."""
    weighed: list[Line] = [*map(_weighed, _distinct(lines)), *questions]
    ordered = sorted(weighed, key=lambda line: (not line.material, -line.change_tx, line.order))
    shown = ordered[:LINES]
    uris = dict.fromkeys(line.source_uri for line in shown)
    return tuple(line for uri in uris for line in shown if line.source_uri == uri), len(ordered) - len(shown)


def _distinct(lines: Iterable[BriefLine]) -> Iterator[BriefLine]:
    """Each passage once, in the narrowest line that has it: a document's leaves out what its sections' lines say."""
    said: set[tuple[str, int, SectionChange]] = set()
    for line in sorted(lines, key=_breadth):
        place = line.change.source_uri, line.change_tx
        fresh = [passage for passage in dict.fromkeys(line.change.changes) if (*place, passage) not in said]
        said.update((*place, passage) for passage in fresh)
        if fresh:
            yield replace(line, change=replace(line.change, changes=fresh))


def _breadth(line: BriefLine) -> tuple[int, int, bool, UUID]:
    """A section before its document where both say the same, and what the reader watches before what they do not."""
    return len(line.change.changes), -line.change.place, line.watch_target is not None, line.ref_id


def _weighed(line: BriefLine) -> BriefLine:
    """The line with what is material in it in front."""
    weights = {passage: _material(passage) for passage in line.change.changes}
    passages = sorted(weights, key=lambda passage: not weights[passage])
    return replace(line, change=replace(line.change, changes=passages), material=weights[passages[0]])


def _material(passage: SectionChange) -> bool:
    """Whether a number or a negation is what differs."""
    if not passage.before or not passage.after:
        return False
    old, new = _differing(passage.before, passage.after)
    return numbers(old) != numbers(new) or polarity(old) != polarity(new)


def _differing(old: str, new: str) -> tuple[str, str]:
    """Two texts without the sentences that both begin and both end with."""
    a, b = _SENTENCE_END.split(old), _SENTENCE_END.split(new)
    start = _alike(a, b)
    end = _alike(a[start:][::-1], b[start:][::-1])
    return " ".join(a[start : len(a) - end]), " ".join(b[start : len(b) - end])


def _alike(a: Sequence[str], b: Sequence[str]) -> int:
    """How many items at the beginning of two lists are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
