"""What a chat platform must be able to do, and how a send can end."""

from dataclasses import dataclass
from typing import Protocol

from core.model.notices import Outgoing


@dataclass(frozen=True, slots=True)
class Sent:
    """The platform accepted the card; `message_ref` names it there."""

    message_ref: str


@dataclass(frozen=True, slots=True)
class NotSent:
    """The platform definitely did not take it. `retry_after` in µs where it said so."""

    reason: str
    retry_after: int | None = None
    permanent: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows: a time-out, a reset, a server error."""

    reason: str


SendOutcome = Sent | NotSent | Unknown


@dataclass(frozen=True, slots=True)
class Found:
    message_ref: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A complete reading of the history since shows that it is not there."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    reason: str


class Channel(Protocol):
    """Sends to one person's own conversation, never to a channel."""

    async def send(self, card: Outgoing) -> SendOutcome:
        """Send once, with `card.delivery_key` beside it, without any retry of its own."""

    async def update(self, card: Outgoing) -> None:
        """Replace the message `card.message_ref` in place."""

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        """Look the card up by its delivery key."""
