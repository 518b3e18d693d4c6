"""Pulses come with changes and with quiet, and each page is sent exactly what it has not seen."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.inbox.backend import InboxMessage, PersonView
from bot.channels.inbox.stream import event, pulses, unseen

MESSAGES = st.builds(
    InboxMessage,
    message_id=st.sampled_from("abcdef"),
    sent_at=st.integers(0, 3),
    author=st.sampled_from(["person", "bot"]),
    html=st.text(max_size=3),
    fallback=st.text(max_size=3),
    revision=st.integers(1, 3),
    waiting=st.booleans(),
)
INBOXES = st.lists(MESSAGES, max_size=6, unique_by=lambda message: message.message_id)


@given(st.lists(INBOXES, min_size=1, max_size=6))
def test_a_page_that_merges_every_event_shows_the_last_inbox(states: list[list[InboxMessage]]) -> None:
    """Through any changes, updates and removals, and each message is sent only when it is not shown as it is."""
    page: dict[str, InboxMessage] = {}
    for inbox in states:
        sent = unseen(page, inbox)
        assert all(page.get(message.message_id) != message for message in sent)
        merged = page | {message.message_id: message for message in sent}
        page = {message.message_id: merged[message.message_id] for message in inbox}
        assert list(page.values()) == inbox


@given(st.text(), st.text())
def test_an_event_is_one_line_of_json_whatever_it_says(html: str, status: str) -> None:
    message = InboxMessage("m", 0, "bot", html, "card", 1)
    view = PersonView("A", "UTC", "Acme", "Clarify", status)
    kind, data = event(view, 5, ["m"], [message]).decode().removesuffix("\n\n").split("\n")
    assert kind == "event: inbox"
    content = json.loads(data.removeprefix("data: "))
    assert content["messages"][0]["html"] == html
    assert content["person"]["status"] == status
    assert (content["now"], content["order"]) == (5, ["m"])


class Subscription:
    """A backend's changes, with its end in view."""

    def __init__(self, pulse_count: int, *, ends: bool = False) -> None:
        self.pulse_count = pulse_count
        self.ends = ends
        self.closed = False

    async def changes(self) -> AsyncGenerator[None, None]:
        try:
            for _ in range(self.pulse_count):
                yield
            if not self.ends:
                await asyncio.get_running_loop().create_future()
        finally:
            self.closed = True


@pytest.fixture
async def closing() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


async def test_every_change_is_a_pulse_and_the_end_of_changes_the_end(closing: asyncio.Future[None]) -> None:
    subscription = Subscription(3, ends=True)
    assert len([pulse async for pulse in pulses(subscription.changes(), 60, closing)]) == 3
    assert subscription.closed


async def test_quiet_makes_heartbeats_without_losing_the_subscription(closing: asyncio.Future[None]) -> None:
    subscription = Subscription(0)
    beating = pulses(subscription.changes(), 0, closing)
    for _ in range(5):
        await anext(beating)
    assert not subscription.closed
    await beating.aclose()
    assert subscription.closed


async def test_closing_ends_a_quiet_stream_at_once(closing: asyncio.Future[None]) -> None:
    subscription = Subscription(1)
    beating = pulses(subscription.changes(), 3600, closing)
    await anext(beating)
    asyncio.get_running_loop().call_soon(closing.set_result, None)
    assert await anext(beating, "ended") == "ended"
    assert subscription.closed


async def test_a_failure_of_the_backend_is_not_swallowed(closing: asyncio.Future[None]) -> None:
    async def failing() -> AsyncGenerator[None, None]:
        yield
        raise LookupError

    beating = pulses(failing(), 60, closing)
    await anext(beating)
    with pytest.raises(LookupError):
        await anext(beating)
