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
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.jsonhash import canonical_json
from core.model.spans import SpanRef
from core.text.fold import fold

PENDING, BOUND = "pending", "bound"


@dataclass(frozen=True, slots=True)
class Statement:
    """What some words say of a property."""

    value: Any
    spans: tuple[SpanRef, ...]

    @property
    def sources(self) -> frozenset[UUID]:
        return frozenset(span.source_id for span in self.spans)

    def to_json(self) -> dict[str, Any]:
        spans = [[str(s.source_id), s.source_version_tx, s.start, s.end] for s in self.spans]
        return {"value": self.value, "provenance": spans}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Statement":
        spans = tuple(SpanRef(UUID(source), *place) for source, *place in body.get("provenance", ()))
        return cls(body["value"], spans)


def disputed(
    stands: Mapping[str, Any], rests_on: frozenset[UUID], says: Mapping[str, Any], sources: frozenset[UUID]
) -> list[str]:
    """The properties on which what stands and what is said differ, where each has sources of its own."""
    if not rests_on or not sources or rests_on == sources:
        return []
    return sorted(name for name in stands.keys() & says.keys() if not same(stands[name], says[name]))


def with_statement(options: Sequence[Statement], said: Statement) -> list[Statement]:
    """The options with a statement in the place of what its sources said before; the others in their order."""
    kept = [option for option in options if option.sources != said.sources]
    return [*kept, said]


def agreed(options: Sequence[Statement]) -> bool:
    return all(same(option.value, options[0].value) for option in options)


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are one: 1 and 1.0 are, and words but for case and spaces; 1 and true are not."""
    return canonical_json(_plain(a)) == canonical_json(_plain(b))


def question(label: str, prop: str) -> str:
    return f"Sources disagree on “{prop}” of this {label.lower().replace('_', ' ')}. Which is right?"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, str):
        return fold(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value
