"""What is done with each kind of event of the durable inbox. An event is done when this says so, and not before."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from uuid import UUID

from bot.actions import INACTIVE, Actions
from bot.ask import Ask
from bot.home import Home
from bot.identity import Identity
from bot.memory_gateway import MemoryGateway
from bot.taps import action_of, card_of
from core.model.card_states import CardState
from core.model.work import Inbound

Handler = Callable[[Inbound], Awaitable[str]]
"""Deals with an event; what came of it, in words for the record. Raises NotYet when it is to be driven again."""

_SETTLED = frozenset({CardState.SENT, CardState.PARKED, CardState.SKIPPED, CardState.REDACTED})
"""States in which a reply needs no more driving: it is out, or an admin has to act."""


class NotYet(Exception):
    """What the event asked for is under way, and the event is looked at again."""


class Conversation:
    def __init__(self, gateway: MemoryGateway, identity: Identity, ask: Ask, actions: Actions, home: Home) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._identity = identity
        self._ask = ask
        self._actions = actions
        self._home = home
        self.handlers: Mapping[str, Handler] = {
            "question": self._question,
            "withdrawn": self._withdrawn,
            "tap": self._tap,
            "home": self._opened,
            "arrived": self._arrived,
            "elsewhere": self._elsewhere,
        }

    async def _question(self, event: Inbound) -> str:
        if "text" not in event.body:
            return "withdrawn before it was answered"
        person_id = await self._identity.person(event)
        if person_id is None:
            await self._settled(event, await self._identity.greet(event))
            return "greeted"
        await self._settled(event, await self._ask.question(event, person_id))
        return "answered"

    async def _withdrawn(self, event: Inbound) -> str:
        message, text = event.body["message"], event.body["text"]
        withdraw = self._memory.conversation.withdraw
        return (
            "revoked"
            if await self._gateway.call(withdraw, event.tenant_id, event.place, message, text)
            else "as it was"
        )

    async def _settled(self, event: Inbound, message_id: UUID) -> None:
        state = await self._gateway.call(self._memory.messages.state, event.tenant_id, message_id)
        if state not in _SETTLED:
            raise NotYet(f"the card is {state}")

    async def _tap(self, event: Inbound) -> str:
        person_id = await self._identity.person(event)
        if person_id is None:
            return INACTIVE
        card, action, message_ref = card_of(event), action_of(event), event.body.get("message_ref")
        show = await self._page_of(event, person_id)
        return await self._actions.tap(person_id, card, action, message_ref, show)

    async def _page_of(self, event: Inbound, person_id: UUID) -> Callable[[str], Awaitable[None]] | None:
        """What puts the page anew after a tap on it; None for a tap on anything else."""
        card = card_of(event)

        async def in_its_place(_: str) -> None:
            await self._home.show(event, person_id)

        if event.body.get("at_home"):
            return in_its_place
        chooses = action_of(event).kind == "preference_set"
        return partial(self._home.renew, card) if chooses and await self._home.stands_on(card) else None

    async def _arrived(self, event: Inbound) -> str:
        """The bot was installed for somebody, who has not said anything yet."""
        person_id = await self._identity.person(event)
        await self._settled(event, await self._identity.welcome(event, person_id))
        return "welcomed"

    async def _elsewhere(self, event: Inbound) -> str:
        """Somebody wrote to the bot where others read it: whoever is known is told, in their own place."""
        person_id = await self._identity.person(event)
        if person_id is None:
            return "nobody known"
        await self._settled(event, await self._identity.show_the_way(event, person_id))
        return "shown the way"

    async def _opened(self, event: Inbound) -> str:
        person_id = await self._identity.person(event)
        if person_id is not None:
            await self._identity.refresh(event)
        await self._home.show(event, person_id)
        return "shown"
