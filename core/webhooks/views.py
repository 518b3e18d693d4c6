"""Webhooks as they are shown, registered and sent to. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from core.clock import to_datetime
from core.jsonhash import canonical_json

FIRED, TEST = "watch.fired", "webhook.test"


@dataclass(frozen=True, slots=True)
class NewSecret:
    """`secret` is what the receiver verifies by; it is not shown again."""

    webhook_id: UUID
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class WebhookView:
    """`reason`: why it is off, or why the last attempt failed. Times are Ts; 0: never, or not now."""

    webhook_id: UUID
    name: str
    url: str
    roles: tuple[str, ...]
    allow_plain: bool
    allow_private: bool
    enabled: bool
    reason: str | None
    failing_since: int
    delivered_at: int
    created_at: int


@dataclass(frozen=True, slots=True)
class WatchedView:
    """What a webhook is told of."""

    watch_id: UUID
    scope_type: str
    refs: tuple[str, ...]
    events: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SentView:
    """What became of a fire: delivered, skipped with why, or still fired, with how the last attempt failed."""

    fire_id: UUID
    status: str
    reason: str | None
    created_at: int


@dataclass(frozen=True, slots=True)
class Parcel:
    """One request, signed and ready to be sent."""

    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes
    allow_private: bool


def body_of(kind: str, at: int, data: Mapping[str, Any]) -> bytes:
    """A message's body: what it is, when (Ts) that happened, and ids and kinds; never a word of a document."""
    return canonical_json({"type": kind, "timestamp": to_datetime(at).isoformat(), "data": data})


def fired(
    fire_id: UUID, watch_id: UUID, window: tuple[int, int], events: Sequence[Any], truncated: int
) -> dict[str, Any]:
    """What a message says of a fire. `truncated`: how many older events it leaves out."""
    return {
        "fire_id": str(fire_id),
        "watch_id": str(watch_id),
        "window": list(window),
        "events": list(events),
        "truncated": truncated,
    }
