"""When two sources say different things of one property of one entity, and what there is to choose from. Pure.

A statement is what a record says of a property, with the words it rests on; its sources are what tells it apart. The
same sources may say something else later: that is a correction. Other sources that say something else disagree, as long
as the words of both stand; where the words of one are gone, so is its say. A record that rests on no document is
somebody's own word: it corrects, and disagrees with nothing.

| a statement comes | and | so |
|---|---|---|
| from the sources of what stands | | it is a correction: it is written, and takes the place of its option |
| from other sources | says the same | nothing is in question |
| from other sources | says something else | what stands stays, and a clarification opens or gains an option |
| | all options agree by now | the clarification is bound, and what they agree on is written |
| from nobody's document | | it is written, and what was in question is bound to it |

Where people have decided, and what they decided stands:

| a statement comes | so |
|---|---|
| that says the same | nothing is in question |
| from sources that said just this, and were turned down | nothing new: what was decided stays |
| that says something else, even from the sources of what was chosen | a new clarification opens |

Options are numbered once and for all: one that is no longer said is marked as gone and never removed, so that a vote
goes on meaning what it meant.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from core.jsonhash import canonical_json
from core.model.evidence import Resolution, Standing
from core.model.spans import SpanRef
from core.text.fold import fold


@dataclass(frozen=True, slots=True)
class Statement:
    """What some words say of a property. `beside`: what the same words say of others.

    `decided`: people have chosen it before, so that it needs no words that stand. `gone`: nobody says so any more.
    """

    value: Any
    spans: tuple[SpanRef, ...] = ()
    beside: Mapping[str, Any] = field(default_factory=dict)
    decided: bool = False
    gone: bool = False

    @property
    def sources(self) -> frozenset[UUID]:
        return frozenset(span.source_id for span in self.spans)

    def to_json(self) -> dict[str, Any]:
        spans = [[str(s.source_id), s.source_version_tx, s.start, s.end] for s in self.spans]
        flags = {name: True for name in ("decided", "gone") if getattr(self, name)}
        beside = {"beside": dict(self.beside)} if self.beside else {}
        return {"value": self.value, "provenance": spans} | beside | flags

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Statement":
        spans = tuple(SpanRef(UUID(source), *place) for source, *place in body.get("provenance", ()))
        gone = bool(body.get("gone") or body.get("erased"))
        return cls(body["value"], spans, body.get("beside", {}), bool(body.get("decided")), gone)


def statements(options: Iterable[Mapping[str, Any]]) -> list[Statement]:
    return [Statement.from_json(option) for option in options]


def stated(props: Mapping[str, Any], prop: str, spans: Sequence[SpanRef], *, decided: bool = False) -> Statement:
    """What a record says of one of its properties."""
    beside = {name: value for name, value in props.items() if name != prop}
    return Statement(props[prop], tuple(spans), beside, decided)


def disputed(
    stands: Mapping[str, Any], rests_on: frozenset[UUID], says: Mapping[str, Any], sources: frozenset[UUID]
) -> list[str]:
    """The properties on which what stands and what is said differ, where each has sources of its own."""
    if not rests_on or not sources or rests_on == sources:
        return []
    return sorted(name for name in stands.keys() & says.keys() if not same(stands[name], says[name]))


def with_statement(options: Sequence[Statement], said: Statement) -> list[Statement]:
    """The options with a statement in the place of what its sources said before, which is gone; each keeps its number.

    What they said once and say again is the same option.
    """
    found = [replace(one, gone=True) if _replaces(said, one) else one for one in options]
    for number, one in enumerate(found):
        if _replaces(said, one) and same(one.value, said.value):
            return [*found[:number], said, *found[number + 1 :]]
    return [*found, said]


def _replaces(said: Statement, one: Statement) -> bool:
    return said.sources == one.sources and not one.decided


def live(options: Sequence[Statement], resolved: Mapping[SpanRef, Resolution]) -> list[int]:
    """The numbers of what may be chosen: of what is said still, with all its words standing, or was decided before."""
    return [
        number
        for number, one in enumerate(options)
        if not one.gone and (one.decided or all(resolved[span].standing is Standing.CURRENT for span in one.spans))
    ]


def choices(options: Sequence[Statement], alive: Collection[int]) -> dict[int, int]:
    """By the number of each option, that of the first live one which says the same; without those nobody says."""
    first: dict[bytes, int] = {}
    for number in sorted(alive):
        first.setdefault(_key(options[number].value), number)
    return {number: first[key] for number, one in enumerate(options) if (key := _key(one.value)) in first}


def agreed(options: Sequence[Statement]) -> bool:
    return all(same(option.value, options[0].value) for option in options)


def changed(before: Sequence[Statement], after: Sequence[Statement]) -> bool:
    """Whether there is something else to choose from; that words moved within their document is nothing new."""
    return [_said(one) for one in before] != [_said(one) for one in after]


def turned_down(options: Sequence[Statement], bound: int, said: Statement) -> bool:
    """Whether people knew of this very statement, and chose another."""
    known = (one for one in options if one.sources == said.sources and same(one.value, said.value))
    return any(not same(one.value, options[bound].value) for one in known)


def provenance(stood: Mapping[str, Any], rests_on: Sequence[SpanRef], chosen: Statement, prop: str) -> list[SpanRef]:
    """What a record rests on once it says what was chosen: those words, and what stood where it says more than they do.

    Readers of the chosen words alone must not come to read a property that they do not speak of.
    """
    others = (name for name in stood if name != prop)
    covered = all(name in chosen.beside and same(chosen.beside[name], stood[name]) for name in others)
    return list(chosen.spans) if covered else list(dict.fromkeys((*rests_on, *chosen.spans)))


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are one: 1 and 1.0 are, and words but for case and spaces; 1 and true are not."""
    return _key(a) == _key(b)


def question(label: str, prop: str) -> str:
    return f"Sources disagree on “{prop}” of this {label.lower().replace('_', ' ')}. Which is right?"


def _key(value: Any) -> bytes:
    return canonical_json(_plain(value))


def _said(one: Statement) -> tuple[bytes, frozenset[UUID], bool]:
    return _key(one.value), one.sources, one.gone


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return fold(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value
