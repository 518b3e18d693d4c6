"""A chat user's conversation with the bot, by its way in, over a channel in the test's own hands."""

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bot.ingress import Tap
from bot.parts import Parts
from cards.actions import Button
from cards.codec import from_json
from cards.model import Card
from cards.plain import to_plain
from core.ids import nonce
from core.memory import Memory
from core.model.grants import CardAction
from core.model.work import Place
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.bots import buttons, parts_over
from tests.support.posting import PLATFORM, place


@dataclass(frozen=True)
class Talk:
    parts: Parts
    channel: ScriptedChannel
    user: str
    workspace: str = "A"

    @property
    def place(self) -> Place:
        return place(self.user, self.workspace)

    async def say(self, text: str, event_id: str = "") -> None:
        """Something they wrote has come in, and is not yet looked at."""
        await self.parts.ingress.said(self.place, event_id or nonce(), text)

    async def ask(self, text: str, event_id: str = "") -> list[str]:
        """Write, and let the bot work; what stands there then."""
        await self.say(text, event_id)
        await self.parts.worker.settle()
        return self.texts()

    async def open_home(self, event_id: str = "") -> Card:
        """Look at the bot's page, and let the bot work; the page."""
        await self.parts.ingress.opened_home(self.place, event_id or nonce())
        await self.parts.worker.settle()
        return self.cards()[-1]

    async def tap(self, button: Button, ref: str | None = "m0") -> str | None:
        """A tap has come in: its refusal, or None where it was kept."""
        action = CardAction(button.kind, button.target, button.arg)
        return await self.parts.ingress.tapped(self.place, Tap(button.nonce, action, ref, at_home=ref is None))

    async def press(self, button: Button, ref: str | None = "m0") -> str | None:
        """Tap, and let the bot work."""
        refusal = await self.tap(button, ref)
        await self.parts.worker.settle()
        return refusal

    def cards(self) -> list[Card]:
        return [from_json(one.card) for one in self.channel.at(self.workspace, self.user)]

    def texts(self) -> list[str]:
        return [to_plain(card) for card in self.cards()]

    def button(self, kind: str, arg: str | None = None, at: int = -1) -> Button:
        return next(b for b in buttons(self.cards()[at]) if b.kind == kind and arg in {None, b.arg})


@contextmanager
def bot_over(memory: Memory, channel: ScriptedChannel, **more: Any):  # type: ignore[no-untyped-def]
    """A bot of its own, as another process would run it."""
    parts = parts_over(memory, {PLATFORM: channel}, **more)
    try:
        yield parts
    finally:
        parts.gateway.stop()


async def carried(parts: Parts) -> None:
    """Let the courier carry what is due to its end."""
    await parts.courier.carry()
    await parts.courier.lanes.finish()
