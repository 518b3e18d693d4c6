"""Who a chat user is: bound by an admin, or by an e-mail address that a trusted workspace has verified."""

from collections.abc import Mapping
from uuid import UUID

import structlog

from bot.channels.base import Channel, Profile, Unreachable
from bot.delivery import Courier
from bot.memory_gateway import MemoryGateway
from cards.codec import to_json
from cards.model import Card
from cards.notices import notice, unbound, welcome
from core.clock import to_datetime
from core.model.work import Inbound

log = structlog.get_logger()

HERE = ("I answer in this chat", "Write to me here: what others would read, I do not answer.")
HOW = "Ask whoever runs this bot to add you, and tell them this user id: {user_id}."


class Identity:
    def __init__(self, gateway: MemoryGateway, courier: Courier, channels: Mapping[str, Channel]) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier
        self._channels = channels

    async def person(self, event: Inbound) -> UUID | None:
        """Who an event comes from; None for somebody nobody knows. Raises Unreachable: that cannot be told now."""
        known = await self._gateway.call(self._memory.people.at, event.tenant_id, event.place)
        return known or await self._matched(event)

    async def _matched(self, event: Inbound) -> UUID | None:
        place, people = event.place, self._memory.people
        workspace = await self._gateway.call(self._memory.workspaces.find, place.platform, place.workspace)
        profile = await self._profile(event) if workspace is not None and workspace.trusted else None
        if profile is None or not profile.active or profile.email is None:
            return None
        person_id = await self._gateway.call(people.recognise, event.tenant_id, profile.email, place)
        if person_id is None:
            return None
        await self._gateway.call(people.moved, event.tenant_id, place, profile.zone, profile.locale)
        log.info("identity.bound", tenant=event.tenant_id, person=str(person_id), platform=place.platform)
        return person_id

    async def _profile(self, event: Inbound) -> Profile | None:
        channel = self._channels.get(event.place.platform)
        return await channel.profile(event.place.workspace, event.place.user_id) if channel else None

    async def refresh(self, event: Inbound) -> None:
        """Take over where the platform says they live; what cannot be found out now is left as it was."""
        try:
            profile = await self._profile(event)
        except Unreachable:
            return
        if profile is not None:
            moved = self._memory.people.moved
            await self._gateway.call(moved, event.tenant_id, event.place, profile.zone, profile.locale)

    async def greet(self, event: Inbound) -> UUID:
        """Tell somebody nobody knows how to be known, in their own place, at most once a day; the id of the card."""
        day = to_datetime(self._memory.clock.now()).date().isoformat()
        card = to_json(unbound(HOW.format(user_id=event.place.user_id)))
        message_id = await self._gateway.call(self._memory.messages.greet, event.tenant_id, event.place, day, card)
        await self._courier.send(event.tenant_id, message_id)
        return message_id

    async def welcome(self, event: Inbound, person_id: UUID | None) -> UUID:
        """Say hello in somebody's own place, at most once a day; the id of the card."""
        if person_id is None:
            return await self.greet(event)
        person = await self._gateway.call(self._memory.people.get, event.tenant_id, person_id)
        return await self._once_a_day(event, person_id, "welcome", welcome(person.display_name))

    async def show_the_way(self, event: Inbound, person_id: UUID) -> UUID:
        """Say in somebody's own place that the bot works there alone, at most once a day; the id of the card."""
        return await self._once_a_day(event, person_id, "elsewhere", notice(*HERE))

    async def _once_a_day(self, event: Inbound, person_id: UUID, subject: str, card: Card) -> UUID:
        day = to_datetime(self._memory.clock.now()).date().isoformat()
        where = event.tenant_id, person_id, event.place, f"{subject}:{day}", "notice"
        message_id = await self._gateway.call(self._memory.messages.post, *where, lambda _: to_json(card))
        await self._courier.send(event.tenant_id, message_id)
        return message_id
