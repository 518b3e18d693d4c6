"""The local channel: a person's inbox page on this machine. It keeps its own history, like any other platform."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from html import escape
from uuid import UUID

from bot.actions import INACTIVE, Actions
from bot.channels.base import Absent, Found, Sent
from bot.channels.inbox.backend import InboxMessage, PersonKey, PersonView, Tap
from bot.memory_gateway import MemoryGateway
from bot.taps import to_body
from cards.codec import from_json
from cards.html import to_html
from cards.notices import redacted
from cards.text import clean
from core.errors import NotFound
from core.model.grants import CardAction
from core.model.notices import Outgoing
from core.model.work import LocalView, Place

PLATFORM = "local"


class Pulse:
    """Wakes whoever shows a person's inbox."""

    def __init__(self) -> None:
        self._events: dict[PersonKey, set[asyncio.Event]] = defaultdict(set)

    def beat(self, person: PersonKey) -> None:
        for event in self._events[person]:
            event.set()

    async def follow(self, person: PersonKey) -> AsyncGenerator[None, None]:
        event = asyncio.Event()
        self._events[person].add(event)
        try:
            yield
            while True:
                await event.wait()
                event.clear()
                yield
        finally:
            self._events[person].discard(event)


class LocalChannel:
    def __init__(self, gateway: MemoryGateway, pulse: Pulse) -> None:
        self._gateway = gateway
        self._local = gateway.memory.local
        self._pulse = pulse

    async def send(self, card: Outgoing) -> Sent:
        body = {"card": card.card}
        ref = await self._gateway.call(self._local.post, card.tenant_id, card.person_id, card.delivery_key, "bot", body)
        self._pulse.beat(_person(card))
        return Sent(str(ref))

    async def update(self, card: Outgoing) -> Sent:
        ref = str(card.message_ref)
        await self._gateway.call(self._local.update, card.tenant_id, UUID(ref), {"card": card.card})
        self._pulse.beat(_person(card))
        return Sent(ref)

    async def find_sent(self, card: Outgoing) -> Found | Absent:
        ref = await self._gateway.call(self._local.find, card.tenant_id, card.person_id, card.delivery_key)
        return Found(str(ref)) if ref else Absent()

    async def profile(self, _workspace: str, _user_id: str) -> None:
        """Nothing: here people are what the memory says."""


class LocalInbox:
    """What the inbox page needs of the bot: the person's history, and where their words and taps go."""

    def __init__(
        self, gateway: MemoryGateway, actions: Actions, pulse: Pulse, wake: Callable[[], None], company: str,
        suggestions: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._gateway = gateway
        self._memory = gateway.memory
        self._actions = actions
        self._pulse = pulse
        self._wake = wake
        self._company = company
        self._suggestions = tuple(suggestions)

    async def messages(self, person: PersonKey) -> Sequence[InboxMessage]:
        views, waiting = await self._gateway.call(self._memory.local.history, person.tenant_id, person.person_id)
        _, zone = await self._known(person)
        return [_message(one, zone, waiting) for one in views]

    async def ask(self, person: PersonKey, event_id: str, text: str) -> None:
        await self._known(person)
        tenant_id, person_id = person.tenant_id, person.person_id
        body = {"text": text}
        await self._gateway.call(self._memory.local.post, tenant_id, person_id, f"event:{event_id}", "person", body)
        await self._gateway.call(
            self._memory.inbound.receive, tenant_id, place_of(person_id), event_id, "question", body
        )
        self._pulse.beat(person)
        self._wake()

    async def tap(self, person: PersonKey, tap: Tap) -> str | None:
        card = await self._actions.active(person.tenant_id, person.person_id, tap.nonce)
        if card is None:
            return INACTIVE
        body, place = to_body(card, CardAction(tap.kind, tap.target, tap.arg)), place_of(person.person_id)
        await self._gateway.call(self._memory.inbound.receive, person.tenant_id, place, tap.event_id, "tap", body)
        self._wake()
        return None

    def changes(self, person: PersonKey) -> AsyncGenerator[None, None]:
        return self._pulse.follow(person)

    async def describe(self, person: PersonKey) -> PersonView:
        name, zone = await self._known(person)
        status = await self._gateway.call(self._memory.status, person.tenant_id)
        words = f"{status.documents} documents"
        return PersonView(name, zone, self._company, "Clarify", words, self._suggestions)

    async def _known(self, person: PersonKey) -> tuple[str, str]:
        """Name and time zone of who signed in. Raises NotFound: a cookie may outlive its person's leaving."""
        view = await self._gateway.call(self._memory.people.get, person.tenant_id, person.person_id)
        if not view.active:
            raise NotFound("You are not known here any more.")
        return view.display_name, view.zone


def place_of(person_id: UUID) -> Place:
    """A person's inbox on this machine."""
    return Place(PLATFORM, "local", str(person_id))


def _person(card: Outgoing) -> PersonKey:
    return PersonKey(card.tenant_id, card.person_id)


def _message(view: LocalView, zone: str, waiting: set[str]) -> InboxMessage:
    if view.author == "person":
        event_id = view.delivery_key.partition(":")[2]
        text = str(view.body["text"])
        html = "<p>" + escape(clean(text)).replace("\n", "<br>") + "</p>"
        return InboxMessage(event_id, view.sent_at, "person", html, text, view.revision, waiting=event_id in waiting)
    card = from_json(view.body["card"]) if view.body else redacted()
    return InboxMessage(
        str(view.message_id), view.sent_at, "bot", to_html(card, zone), card.fallback_text, view.revision
    )
