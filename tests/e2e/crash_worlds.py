"""Memories in which something is due."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.channels.base import Absent, Sent
from bot.taps import to_body
from cards.codec import from_json
from core.clock import HOUR, ManualClock
from core.memory import Memory
from core.model.grants import CardAction
from core.model.notices import Outgoing
from core.model.principals import Principal
from core.model.watching import ScopeType
from core.model.work import Place
from tests.e2e.crash_life import SETTINGS
from tests.fakes.platform_channel import PLATFORM
from tests.support.bots import buttons, parts_over
from tests.support.memories import NOW, document, open_memory, page, put, section, watch_request

TENANT = "default"
QUESTION = "What may a meal cost at most?"


@dataclass
class Recorder:
    """A channel that accepts everything, as the platform numbers it."""

    sent: list[Outgoing] = field(default_factory=list)

    async def send(self, card: Outgoing) -> Sent:
        self.sent.append(card)
        return Sent(f"m{len(self.sent) - 1}")

    async def update(self, card: Outgoing) -> None:
        raise AssertionError("nothing is rewritten before the crash")

    async def find_sent(self, card: Outgoing) -> Absent:
        return Absent()


def handbook(meals: int, hotels: int) -> bytes:
    words = {"Meals": f"A meal may cost {meals} EUR at most.", "Hotels": f"A night may cost {hotels} EUR at most."}
    return page("Travel", words)


def _person(memory: Memory, name: str) -> Principal:
    person_id = memory.people.put(TENANT, name)
    memory.people.bind(TENANT, person_id, Place(PLATFORM, "room", name))
    person = memory.people.principal(TENANT, person_id)
    memory.prefer(person, "brief_day", "off")  # what a week's brief says depends on when in it the bot was killed
    return person


def _settle(memory: Memory, channel: Recorder) -> None:
    parts = parts_over(memory, {PLATFORM: channel})
    asyncio.run(parts.worker.settle())
    parts.gateway.stop()


def question(memory: Memory, _: Recorder) -> None:
    """Ada has asked something, and the bot has only just received it."""
    _person(memory, "Ada")
    put(memory, "travel.md", handbook(40, 150))
    memory.inbound.receive(TENANT, Place(PLATFORM, "room", "Ada"), "e1", "question", {"text": QUESTION})


def news(memory: Memory, channel: Recorder) -> None:
    """What three watches and a saved answer are about has changed, and nobody has looked yet."""
    ada, bob = _person(memory, "Ada"), _person(memory, "Bob")
    put(memory, "travel.md", handbook(40, 150))
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="meals"), ada)
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Hotels"), name="hotels"), ada)
    memory.watch(watch_request(bob, ScopeType.ENTITY, document("travel.md"), name="travel"), bob)
    memory.save_answer(memory.generate(QUESTION, ada).trace_id, ada)
    _settle(memory, channel)
    put(memory, "travel.md", handbook(55, 180))


def _tap_refresh(memory: Memory, channel: Recorder) -> None:
    """Ada taps the first [Refresh answer] that she sees."""
    memory.clock.advance(HOUR)  # type: ignore[attr-defined]  # a ManualClock
    [card] = [card for card in channel.sent if "answer_refresh" in str(card.card)]
    button = next(button for button in buttons(from_json(card.card)) if button.kind == "answer_refresh")
    tapped = memory.messages.tapped(button.nonce)
    assert tapped is not None
    body = to_body(tapped, CardAction(button.kind, button.target))
    memory.inbound.receive(TENANT, card.place, "t1", "tap", body)


def refresh(memory: Memory, channel: Recorder) -> None:
    """All of the news has been told, and Ada has just tapped [Refresh answer]."""
    news(memory, channel)
    _settle(memory, channel)
    _tap_refresh(memory, channel)


def refresh_of_two(memory: Memory, channel: Recorder) -> None:
    """One card told of two saved answers, and Ada wants one of them anew."""
    ada = _person(memory, "Ada")
    put(memory, "travel.md", handbook(40, 150))
    for asked in (QUESTION, "What may a night cost at most?"):
        memory.save_answer(memory.generate(asked, ada).trace_id, ada)
    _settle(memory, channel)
    put(memory, "travel.md", handbook(55, 180))
    _settle(memory, channel)
    _tap_refresh(memory, channel)


WORLDS: dict[str, Callable[[Memory, Recorder], None]] = {
    "news": news,
    "question": question,
    "refresh": refresh,
    "refresh of two": refresh_of_two,
}


def build(name: str, url: str) -> list[Outgoing]:
    """Make a world on a migrated database; what the platform has been sent in it."""
    memory = open_memory(url, ManualClock(NOW - 6 * HOUR), **SETTINGS)
    memory.people.ensure_tenant(TENANT, "Default")
    channel = Recorder()
    WORLDS[name](memory, channel)
    memory.close()
    return channel.sent
