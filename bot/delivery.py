"""Carrying cards: what core's delivery engine hands out is sent once, and what became of it is told back."""

from collections.abc import Mapping
from uuid import UUID

import structlog

from bot.channels.base import Absent, CannotTell, Channel, Found, NotSent, SendOutcome, Sent, Unknown
from bot.memory_gateway import MemoryGateway
from bot.presenters import present
from core.model.notices import Outgoing

log = structlog.get_logger()


class Courier:
    def __init__(self, gateway: MemoryGateway, channels: Mapping[str, Channel]) -> None:
        self._gateway = gateway
        self._delivery = gateway.memory.delivery
        self._channels = channels

    async def send_due(self) -> int:
        """Send every card whose time has come; how many were tried."""
        due = await self._gateway.call(self._delivery.due)
        for tenant_id, message_id in due:
            await self.send(tenant_id, message_id)
        return len(due)

    async def send(self, tenant_id: str, message_id: UUID) -> None:
        """Take one card and send it, unless there is nothing to send now."""
        card = await self._gateway.call(self._delivery.take, tenant_id, message_id, present)
        if card is not None:
            await self._record(card, await self._try(card))

    async def _try(self, card: Outgoing) -> SendOutcome:
        channel = self._channels.get(card.platform)
        if channel is None:
            return NotSent(f"the channel {card.platform} is not running here")
        try:
            return await channel.send(card)
        except Exception as error:  # noqa: BLE001  # whatever a platform's client raises, the card may be out
            log.warning("delivery.raised", tenant=card.tenant_id, message_id=str(card.message_id), error=repr(error))
            return Unknown(type(error).__name__)

    async def _record(self, card: Outgoing, outcome: SendOutcome) -> None:
        delivery = self._delivery
        match outcome:
            case Sent(message_ref):
                await self._gateway.call(delivery.sent, card, message_ref)
            case NotSent(reason, retry_after, permanent):
                await self._gateway.call(delivery.not_sent, card, reason, retry_after=retry_after, permanent=permanent)
            case Unknown(reason):
                await self._gateway.call(delivery.lost, card, reason)
        ended = type(outcome).__name__.lower()
        log.info("delivery.ended", outcome=ended, tenant=card.tenant_id, message_id=str(card.message_id))

    async def reconcile(self) -> int:
        """Look for cards in doubt in the platform's own history; how many were looked for."""
        doubtful = await self._gateway.call(self._delivery.doubtful)
        for card in doubtful:
            match await self._find(card):
                case Found(message_ref):
                    await self._gateway.call(self._delivery.found, card, message_ref)
                case Absent():
                    await self._gateway.call(self._delivery.found, card, None)
                case CannotTell():
                    await self._gateway.call(self._delivery.look_later, card)
        return len(doubtful)

    async def _find(self, card: Outgoing) -> Found | Absent | CannotTell:
        channel = self._channels.get(card.platform)
        if channel is None:
            return CannotTell("the channel is not running here")
        try:
            return await channel.find_sent(card)
        except Exception as error:  # noqa: BLE001  # the history could not be read: nothing is known
            return CannotTell(type(error).__name__)

    async def update(self, card: Outgoing) -> None:
        """Show a rewritten card in place."""
        await self._channels[card.platform].update(card)
