"""Work in hand, and the cards it is about: values that pass between engines and the bot."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.model.grants import PermittedAction


@dataclass(frozen=True, slots=True)
class Leased:
    """A job in hand. `attempts` is the fence: a later lease of the same job has a higher one."""

    tenant_id: str
    job_id: UUID
    kind: str
    payload: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Inbound:
    """A question or tap in hand. `attempts` is the fence, as of a job."""

    tenant_id: str
    event_id: str
    person_id: UUID
    kind: str
    body: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Offer:
    """What a card permits: its actions, and the generation they are about."""

    actions: tuple[PermittedAction, ...] = ()
    generation_id: str = ""


NOTHING_OFFERED = Offer()

Rewritten = tuple[dict[str, Any], Offer | None]
"""A card as it is to be, and what it permits from now on; None: what it permitted before."""


@dataclass(frozen=True, slots=True)
class Tapped:
    """The card a tap came from, as much of it as a write token needs."""

    tenant_id: str
    message_id: UUID
    person_id: UUID
    fingerprint: str
    generation_id: str


@dataclass(frozen=True, slots=True)
class LocalView:
    """A message of the local inbox. `body`: {"text": …} of a person's own message, or {"card": …}."""

    message_id: UUID
    delivery_key: str
    author: str
    body: Mapping[str, Any]
    revision: int
    sent_at: int
