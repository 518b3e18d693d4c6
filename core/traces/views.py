"""What a trace says to whoever asked: coordinates, numbers, and an answer's words while they may be read. Pure."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

_WORDS = {"answerText", "claims", "sections"}


@dataclass(frozen=True, slots=True)
class TraceView:
    """`kind`: context, verification or generate. `withheld`: its words are from what may no longer be read."""

    trace_id: UUID
    kind: str
    created_at: int
    body: Mapping[str, Any]
    withheld: bool


def seen(trace_id: UUID, kind: str, created_at: int, body: Mapping[str, Any], readable: Collection[UUID]) -> TraceView:
    """A trace as a reader of these sources may see it."""
    withheld = not set(_sources(body)) <= set(readable)
    kept = {name: value for name, value in body.items() if name not in _WORDS} if withheld else body
    return TraceView(trace_id, kind, created_at, kept, withheld)


def _sources(body: Mapping[str, Any]) -> Iterator[UUID]:
    """The sources whose words a trace may hold; only that of an answer holds any."""
    for claim in body.get("claims", ()):
        yield from (UUID(source_id) for source_id, *_ in claim["citations"])
        yield from map(UUID, claim.get("read", ()))
