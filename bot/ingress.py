"""The way in for what people say and tap on a platform: kept before it is acknowledged, then worked on."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog

from bot.actions import INACTIVE
from bot.channels.base import Profile
from bot.memory_gateway import MemoryGateway
from bot.presenters import withdrawn
from bot.taps import to_body
from core.clock import SECOND
from core.model.grants import CardAction
from core.model.work import Place

log = structlog.get_logger()

LOOK_SECS = 0.1
"""How often it is looked whether a tap is done, which may be in another process: most take about as long."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A button that was pressed. `message_ref`: the message it stands on, if that is known.

    `at_home`: it stands in the bot's own page, which is no message.
    """

    nonce: str
    action: CardAction
    message_ref: str | None = None
    at_home: bool = False

    @property
    def event_id(self) -> str:
        return f"tap:{self.nonce}:{self.action.kind}:{self.action.target}:{self.action.arg or ''}"


@dataclass(frozen=True, slots=True)
class Reach:
    """By which address somebody can be written to, in the platform's own terms, and where they live now."""

    address: Mapping[str, Any]
    zone: str | None
    locale: str | None


class Ingress:
    """What a platform waits for is one call each, ahead of the bot's own work."""

    def __init__(
        self,
        gateway: MemoryGateway,
        wake: Callable[[], None],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._wake = wake
        self._sleep = sleep

    async def said(self, place: Place, event_id: str, text: str, reach: Reach | None = None) -> None:
        """Keep a message that somebody wrote to the bot; a repeat of the same event changes nothing."""
        await self._gateway.at_the_door(self._keep, place, event_id, "question", {"text": text}, reach)
        self._wake()

    async def withdrawn(self, place: Place, event_id: str, message: str, text: str | None) -> None:
        """Keep that a message was deleted (`text` None), or says something else now; `message`: its event."""
        body = {"message": message, "text": text}
        await self._gateway.at_the_door(self._keep, place, event_id, "withdrawn", body)
        self._wake()

    async def serves(self, place: Place) -> bool:
        """Whether a workspace is known: what comes from another is not kept."""
        return await self._gateway.at_the_door(self._tenant, place) is not None

    async def arrived(self, place: Place, event_id: str, reach: Reach | None = None) -> None:
        """Keep that somebody can be written to from now on."""
        await self._gateway.at_the_door(self._keep, place, event_id, "arrived", {}, reach)
        self._wake()

    async def elsewhere(self, place: Place, event_id: str) -> None:
        """Keep that somebody whom the bot can write to called it where others read along."""
        if await self._gateway.at_the_door(self._is_reached, place):
            await self._gateway.at_the_door(self._keep, place, event_id, "elsewhere", {})
            self._wake()

    def _is_reached(self, place: Place) -> bool:
        tenant_id = self._tenant(place)
        return tenant_id is not None and self._memory.addresses.find(tenant_id, place) is not None

    async def left(self, place: Place, event_id: str, reason: str) -> None:
        """Somebody cannot be written to from now on: obeyed at once, since what is sent there goes nowhere."""
        await self._gateway.at_the_door(self._left, place, event_id, reason)

    def _left(self, place: Place, event_id: str, reason: str) -> None:
        tenant_id = self._tenant(place)
        if tenant_id is not None:
            self._memory.inbound.left(tenant_id, place, event_id, reason)

    async def opened_home(self, place: Place, event_id: str) -> None:
        """Keep that somebody looks at the bot's own page."""
        await self._gateway.at_the_door(self._keep, place, event_id, "home", {})
        self._wake()

    async def tapped(self, place: Place, tap: Tap, reach: Reach | None = None) -> str | None:
        """Keep a tap. A refusal in words, for that person only, where the button is theirs no more; else None.

        The same button with the same choice is one event, however often it is pressed: a card that may be tapped
        again has a new nonce.
        """
        refusal = await self._gateway.at_the_door(self._tapped, place, tap, reach)
        self._wake()
        return refusal

    def _tapped(self, place: Place, tap: Tap, reach: Reach | None) -> str | None:
        tenant_id = self._tenant(place)
        person_id = self._memory.people.at(tenant_id, place) if tenant_id else None
        card = self._memory.messages.tapped(tap.nonce)
        if card is None or (card.tenant_id, card.person_id) != (tenant_id, person_id):
            return INACTIVE
        body = to_body(card, tap.action) | {"message_ref": tap.message_ref, "at_home": tap.at_home}
        self._keep(place, tap.event_id, "tap", body, reach)
        return None

    async def seen_through(
        self, place: Place, tap: Tap, patience_secs: float, reach: Reach | None = None
    ) -> str | Mapping[str, Any]:
        """Keep a tap, and wait so long for what comes of it: the card as it stands then; or a refusal, in words."""
        card = await self._gateway.at_the_door(self._memory.messages.tapped, tap.nonce)
        refusal = await self.tapped(place, tap, reach)
        if refusal is not None or card is None:
            return refusal or INACTIVE
        is_open = partial(self._memory.inbound.is_open, card.tenant_id, place, tap.event_id)
        clock = self._memory.clock
        until = clock.now() + round(patience_secs * SECOND)
        while clock.now() < until and await self._gateway.at_the_door(is_open):
            await self._sleep(LOOK_SECS)
        standing = self._memory.outcomes.standing
        return await self._gateway.at_the_door(standing, card.tenant_id, card.message_id, withdrawn)

    async def profile_changed(self, place: Place, profile: Profile) -> None:
        """The platform says something new of a user: they moved, left or came back."""
        await self._gateway.at_the_door(self._changed, place, profile)

    def _changed(self, place: Place, profile: Profile) -> None:
        tenant_id, people = self._tenant(place), self._memory.people
        if tenant_id is None or people.at(tenant_id, place) is None:  # most of a workspace is nobody known
            return
        if profile.active:
            people.returned(tenant_id, place)
            people.moved(tenant_id, place, profile.zone, profile.locale)
        else:
            people.departed(tenant_id, place, "deactivated")

    async def shut_out(self, platform: str, workspace: str, reason: str) -> None:
        """The bot was removed from a workspace: nothing is sent there until it is let in again; nothing is deleted."""
        if await self._gateway.at_the_door(self._paused, platform, workspace, reason):
            log.error("workspace.paused", platform=platform, workspace=workspace, reason=reason)

    def _paused(self, platform: str, workspace: str, reason: str) -> bool:
        found = self._memory.workspaces.find(platform, workspace)
        pause = self._memory.workspaces.pause
        return found is not None and pause(found.tenant_id, platform, workspace, reason)

    def _keep(self, place: Place, event_id: str, kind: str, body: dict[str, Any], reach: Reach | None = None) -> None:
        tenant_id = self._tenant(place)
        if tenant_id is None:
            log.warning("inbound.unknown_workspace", platform=place.platform, workspace=place.workspace)
            return
        address = reach.address if reach else None
        before = self._memory.addresses.find(tenant_id, place)
        is_new = self._memory.inbound.receive(tenant_id, place, event_id, kind, body, address)
        if reach and is_new and before != address:
            self._memory.people.moved(tenant_id, place, reach.zone, reach.locale)

    def _tenant(self, place: Place) -> str | None:
        """Whose memory a workspace asks. Here several workspaces meet, each with its own tenant."""
        found = self._memory.workspaces.find(place.platform, place.workspace)
        return found.tenant_id if found else None
