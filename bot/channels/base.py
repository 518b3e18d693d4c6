"""What a chat platform must be able to do, and how a send can end."""

from dataclasses import dataclass
from typing import Protocol

from core.model.notices import Outgoing
from core.model.work import Extent


class Unreachable(Exception):
    """The platform gave no usable answer just now; its reason in the platform's own word."""


@dataclass(frozen=True, slots=True)
class Sent:
    """The platform accepted the card; `message_ref` names it there."""

    message_ref: str


@dataclass(frozen=True, slots=True)
class NotSent:
    """The platform definitely did not take it.

    `retry_after`: for how many µs it wants to hear nothing from this workspace. `lasting`: trying again would not help,
    for this card, this person or the whole workspace; None: it may. `read`: the platform has looked at it and said no
    in words that nobody knows to last.
    """

    reason: str
    retry_after: int | None = None
    lasting: Extent | None = None
    read: bool = False


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows: a time-out, a reset, a server error."""

    reason: str


@dataclass(frozen=True, slots=True)
class Gone:
    """What was to be written to is not there any more: nothing was written."""

    reason: str


SendOutcome = Sent | NotSent | Unknown
UpdateOutcome = SendOutcome | Gone

CALLED_OFF = NotSent("called off before it was sent")
"""Of a card that another process may have taken over while this one waited, or that is not to be sent any more."""


@dataclass(frozen=True, slots=True)
class Found:
    message_ref: str


@dataclass(frozen=True, slots=True)
class Absent:
    """A complete reading of the history since shows that it is not there."""


@dataclass(frozen=True, slots=True)
class CannotTell:
    """`for_good`: asking again would not help, for the platform has no history to look into."""

    reason: str
    for_good: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """What a platform knows of one of its users. `email` only where the platform has verified it and is theirs."""

    display_name: str
    email: str | None
    zone: str | None
    locale: str | None
    active: bool


class Channel(Protocol):
    """Sends to one person's own conversation, never to a channel."""

    async def send(self, card: Outgoing) -> SendOutcome:
        """Send once, with `card.delivery_key` beside it, without any retry of its own.

        After any wait it is CALLED_OFF if it may not go any more.
        """

    async def update(self, card: Outgoing) -> UpdateOutcome:
        """Replace the message `card.message_ref` in place; doing so twice does no harm."""

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        """Look the card up by its delivery key."""

    async def profile(self, workspace: str, user_id: str) -> Profile | None:
        """What the platform says of a user now; None for one it does not know. Raises Unreachable."""
