"""A conversation kept in memory, a real inbox server on loopback, and two people."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field, replace
from html import escape
from uuid import UUID

import aiohttp
import pytest

from bot.channels.inbox import InboxMessage, InboxServer, PersonKey, PersonView, Tap
from core.clock import SECOND, ManualClock
from tests.support.inboxes import inbox_over

NOON = 1_772_539_200 * SECOND
ALICE = PersonKey("acme", UUID(int=1))
BOB = PersonKey("acme", UUID(int=2))


@dataclass
class MemoryInbox:
    """Behaves as the backend promises: durable once returned, one event once, a pulse at once and after each change.

    While `gate` is shut, questions and taps are under way.
    """

    clock: ManualClock
    conversations: dict[PersonKey, list[InboxMessage]] = field(default_factory=dict)
    asked: dict[tuple[PersonKey, str], str] = field(default_factory=dict)
    taps: list[tuple[PersonKey, Tap]] = field(default_factory=list)
    outcome: str | None = None
    failure: Exception | None = None
    status: str = "Synced 2 minutes ago"
    suggestions: tuple[str, ...] = ("How long do refunds take?", "Who approves discounts over 20 %?")
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    subscribers: list[tuple[PersonKey, asyncio.Event]] = field(default_factory=list)

    async def messages(self, person: PersonKey) -> list[InboxMessage]:
        return list(self.conversations.get(person, []))

    async def ask(self, person: PersonKey, event_id: str, text: str) -> None:
        await self._pass()
        if (person, event_id) in self.asked:
            return
        self.asked[person, event_id] = text
        self.put(person, InboxMessage(event_id, self.clock.now(), "person", escape(text), text, 1, waiting=True))

    async def tap(self, person: PersonKey, tap: Tap) -> str | None:
        await self._pass()
        self.taps.append((person, tap))
        return self.outcome

    async def changes(self, person: PersonKey) -> AsyncGenerator[None, None]:
        entry = (person, asyncio.Event())
        self.subscribers.append(entry)
        try:
            yield
            while True:
                await entry[1].wait()
                entry[1].clear()
                yield
        finally:
            self.subscribers.remove(entry)

    async def describe(self, person: PersonKey) -> PersonView:
        name = {ALICE: "Alice Example", BOB: "Bob <b>Example</b>"}[person]
        return PersonView(name, "Europe/Berlin", "Acme & Sons", "Clarify", self.status, self.suggestions)

    def put(self, person: PersonKey, message: InboxMessage) -> None:
        """Adds `message`, or replaces the one of its id."""
        talk = self.conversations.setdefault(person, [])
        at = next((index for index, old in enumerate(talk) if old.message_id == message.message_id), len(talk))
        talk[at : at + 1] = [message]
        self.pulse(person)

    def card(self, person: PersonKey, message_id: str, html: str, fallback: str = "A card") -> InboxMessage:
        """Sends a card, or updates the one of that id in place."""
        old = next((old for old in self.conversations.get(person, []) if old.message_id == message_id), None)
        fresh = InboxMessage(message_id, self.clock.now(), "bot", html, fallback, 1)
        sent = replace(old, html=html, fallback=fallback, revision=old.revision + 1) if old else fresh
        self.put(person, sent)
        return sent

    def answer(self, person: PersonKey, event_id: str, html: str) -> None:
        """Answers a question: it waits no longer, and a card follows."""
        [asked] = [old for old in self.conversations[person] if old.message_id == event_id]
        self.put(person, replace(asked, waiting=False, revision=asked.revision + 1))
        self.card(person, f"answer-{event_id}", html)

    def remove(self, person: PersonKey, message_id: str) -> None:
        self.conversations[person] = [old for old in self.conversations[person] if old.message_id != message_id]
        self.pulse(person)

    def pulse(self, person: PersonKey) -> None:
        for subscriber, changed in self.subscribers:
            if subscriber == person:
                changed.set()

    async def _pass(self) -> None:
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure


@pytest.fixture
def alice() -> PersonKey:
    return ALICE


@pytest.fixture
def bob() -> PersonKey:
    return BOB


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def backend(clock: ManualClock) -> MemoryInbox:
    inbox = MemoryInbox(clock)
    inbox.gate.set()
    return inbox


@pytest.fixture
async def server(backend: MemoryInbox, clock: ManualClock) -> AsyncIterator[InboxServer]:
    async with inbox_over(backend, clock) as running:
        yield running


@pytest.fixture
def origin(server: InboxServer) -> str:
    return f"http://127.0.0.1:{server.port}"


@pytest.fixture
async def client(origin: str) -> AsyncIterator[aiohttp.ClientSession]:
    """A browser that sends what the inbox's own page sends."""
    jar = aiohttp.CookieJar(unsafe=True)
    headers = {"Origin": origin, "X-Clarify-Inbox": "1"}
    async with aiohttp.ClientSession(origin, cookie_jar=jar, headers=headers) as session:
        yield session
