"""Work in hand, and the cards it is about: values that pass between engines and the bot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from core.ids import derived
from core.model.grants import PermittedAction


@dataclass(frozen=True, slots=True)
class Leased:
    """A job in hand. `attempts` is the fence: a later lease of the same job has a higher one."""

    tenant_id: str
    job_id: UUID
    kind: str
    audience: str
    payload: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody writes and is written to: a user of a platform's workspace, in a thread of theirs or in none."""

    platform: str
    workspace: str
    user_id: str
    thread: str | None = None


GREETING, PLACEHOLDER, HOME = "greeting", "placeholder", "home"
"""Kinds of card: to a user whom nobody knows, in the place of an answer that is being made, and the bot's own page."""

Lane = tuple[str, str]
"""(platform, workspace): what is sent to one never waits for what is sent to another."""


@dataclass(frozen=True, slots=True)
class WorkspaceView:
    """`detail`: what the platform says of the bot there. `reason`: why it is paused."""

    tenant_id: str
    platform: str
    workspace: str
    name: str
    trusted: bool
    paused: bool
    reason: str | None
    detail: Mapping[str, Any]


def stranger(place: Place) -> UUID:
    """Who a chat user is as long as nobody knows them: somebody without rights, and nobody else."""
    return derived("stranger", place.platform, place.workspace, place.user_id)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A card that something is to be done with, and the lane it goes by."""

    tenant_id: str
    message_id: UUID
    lane: Lane


@dataclass(frozen=True, slots=True)
class Inbound:
    """Something said or tapped, in hand. `attempts` is the fence, as of a job. `person_id` None: not known yet."""

    tenant_id: str
    event_id: str
    person_id: UUID | None
    place: Place
    kind: str
    body: Mapping[str, Any]
    attempts: int


@dataclass(frozen=True, slots=True)
class Offer:
    """What a card permits: its actions, and the generation they are about."""

    actions: tuple[PermittedAction, ...] = ()
    generation_id: str = ""


NOTHING_OFFERED = Offer()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A card as it is to be, what it permits from now on, and what it is from; None: the same as before."""

    card: dict[str, Any]
    offer: Offer | None = None
    source_ids: Sequence[UUID] | None = None


@dataclass(frozen=True, slots=True)
class Tapped:
    """The card a tap came from, as much of it as a write token needs."""

    tenant_id: str
    message_id: UUID
    person_id: UUID
    fingerprint: str
    generation_id: str


class Extent(StrEnum):
    """How far a platform's lasting refusal reaches."""

    CARD = "card"
    PERSON = "person"
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True)
class LocalView:
    """A message of the local inbox. `body`: {"text": …} of a person's own message, or {"card": …}."""

    message_id: UUID
    delivery_key: str
    author: str
    body: Mapping[str, Any]
    revision: int
    sent_at: int
