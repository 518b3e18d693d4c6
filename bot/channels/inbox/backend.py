"""What the inbox needs from the rest of the bot: the conversation of one person, and where its words and taps go."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID


@dataclass(frozen=True, slots=True)
class PersonKey:
    tenant_id: str
    person_id: UUID


@dataclass(frozen=True, slots=True)
class InboxMessage:
    """One bubble. `html` is already safe: a card's fragment, or the escaped text of the person's question."""

    message_id: str
    """Of a question: the event_id it was asked with, so that the page knows its own bubble again."""
    sent_at: int
    author: Literal["person", "bot"]
    html: str
    fallback: str
    """What a screen reader hears and the page's title shows."""
    revision: int
    """Raised at each update in place."""
    waiting: bool = False
    """A question that has no answer yet: the page shows "Looking…" beneath it."""


@dataclass(frozen=True, slots=True)
class PersonView:
    """What the page says around the conversation. `zone` is an IANA name: dates show in it."""

    display_name: str
    zone: str
    company: str
    bot_name: str
    status: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tap:
    event_id: str
    message_id: str
    nonce: str
    kind: str
    target: str
    arg: str | None = None


class InboxBackend(Protocol):
    """Every call is about one person. An event_id is unique for that person alone: a repeat is the same event.

    `ask` and `tap` may raise core.errors.CoreError: its sentence is shown to that person.
    """

    async def messages(self, person: PersonKey) -> Sequence[InboxMessage]:
        """The whole conversation, oldest first."""

    async def ask(self, person: PersonKey, event_id: str, text: str) -> None:
        """Returns once the question is durable."""

    async def tap(self, person: PersonKey, tap: Tap) -> str | None:
        """Returns once the tap is durable; a sentence that comes back is shown to that person only."""

    def changes(self, person: PersonKey) -> AsyncGenerator[None, None]:
        """Yields at once when the subscription stands, then after changes: many may share a pulse, none is lost."""

    async def describe(self, person: PersonKey) -> PersonView: ...
