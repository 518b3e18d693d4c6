"""The bot's parts over a memory and channels of the test's own, wired as the process wires them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bot.actions import INACTIVE, Signer
from bot.channels.base import Channel
from bot.config import SourceSettings
from bot.memory_gateway import MemoryGateway
from bot.parts import Parts, wire
from bot.taps import to_body
from cards.actions import Action, Button, Choice
from cards.codec import from_json
from cards.model import Card, Rows
from cards.plain import to_plain
from core.ids import nonce
from core.memory import Memory
from core.model.grants import CardAction
from core.model.principals import Principal
from core.model.work import Place
from tests.fakes.platform_channel import PLATFORM, Room
from tests.support.memories import KEY, KEY_ID

NO_KEYS = Path("no keys here")


def parts_over(
    memory: Memory, channels: Mapping[str, Channel], owner: str = "worker", kept: Sequence[SourceSettings] = (),
    patience: float = 60, keys: Path = NO_KEYS,
) -> Parts:  # fmt: skip
    """The bot over a memory; so patient that no placeholder comes before an answer."""
    signer = partial(Signer, KEY_ID, KEY)
    return wire(MemoryGateway(memory), channels, signer, "default", keys, kept, owner=owner, patience=patience)


def buttons(card: Card) -> list[Button]:
    """Every button of a card, those in its rows first."""
    return [action for action in _actions(card) if isinstance(action, Button)]


def choices(card: Card) -> list[Choice]:
    """Every choice of a card, those in its rows first."""
    return [action for action in _actions(card) if isinstance(action, Choice)]


def _actions(card: Card) -> list[Action]:
    rows = [row for block in card.blocks if isinstance(block, Rows) for row in block.rows]
    return [*(action for row in rows for action in row.buttons), *card.actions]


@dataclass(frozen=True)
class Chat:
    """A person's conversation: what they write and tap, and what stands there."""

    parts: Parts
    room: Room
    person: Principal
    name: str

    @property
    def place(self) -> Place:
        return Place(PLATFORM, "room", self.name)

    @property
    def memory(self) -> Memory:
        return self.parts.gateway.memory

    def cards(self) -> list[Card]:
        return [from_json(message["card"]) for message in self.room.messages() if message["person"] == self.name]

    def texts(self) -> list[str]:
        return [to_plain(card) for card in self.cards()]

    def write(self, text: str, event_id: str = "") -> None:
        """Something they wrote has come in, and is not yet looked at."""
        person = self.person
        self.memory.inbound.receive(person.tenant_id, self.place, event_id or nonce(), "question", {"text": text})

    async def ask(self, text: str, event_id: str = "") -> Card:
        """Write, and let the bot work; the last card that stands then."""
        self.write(text, event_id)
        await self.parts.worker.settle()
        return self.cards()[-1]

    def button(self, kind: str, arg: str | None = None, at: int | None = None) -> Button:
        """The first button of a kind on a card: the last card that has one, unless `at` says otherwise."""
        cards = reversed(self.cards()) if at is None else [self.cards()[at]]
        return next(b for card in cards for b in buttons(card) if b.kind == kind and arg in {None, b.arg})

    async def press(self, button: Button) -> str:
        """Tap, and see it done; the words that came of it."""
        actions, person = self.parts.actions, self.person
        card = await actions.active(person.tenant_id, person.person_id, button.nonce)
        action = CardAction(button.kind, button.target, button.arg)
        return INACTIVE if card is None else await actions.tap(person.person_id, card, action)

    def tap(self, button: Button, event_id: str = "") -> None:
        """A tap has come in, and is not yet looked at."""
        card = self.memory.messages.tapped(button.nonce)
        assert card is not None
        body = to_body(card, CardAction(button.kind, button.target, button.arg))
        self.memory.inbound.receive(self.person.tenant_id, self.place, event_id or nonce(), "tap", body)

    async def save(self, question: str) -> None:
        """Ask something, and save the answer."""
        await self.ask(question)
        await self.press(self.button("answer_save"))
        await self.parts.worker.settle()
