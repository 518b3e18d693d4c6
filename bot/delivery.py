"""Carrying cards: what core hands out is sent once, and what became of it is told back.

Cards go by lanes, one a workspace: a lane carries a few cards at a time, and a slow one holds up no other.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from itertools import starmap
from typing import TypeVar
from uuid import UUID

import structlog

from bot.channels.base import (
    CALLED_OFF,
    Absent,
    CannotTell,
    Channel,
    Found,
    Gone,
    NotSent,
    SendOutcome,
    Sent,
    Unknown,
    UpdateOutcome,
)
from bot.faults import described
from bot.lanes import Lanes
from bot.memory_gateway import MemoryGateway
from bot.presenters import present, withdrawn
from core.model.notices import Outgoing
from core.model.work import Extent, Lane, Waiting

log = structlog.get_logger()

Outcome = TypeVar("Outcome", bound=UpdateOutcome)
Carrying = Callable[[str, UUID], Awaitable[None]]
AT_ONCE = 8
"""Cards of one workspace in flight: enough for a pace of a few a second where an answer takes up to two."""

PAUSE_SECS = 1.0
"""How long a lane waits where not even that can be written down, so that a full disk is not met over and over."""


async def may_go(gateway: MemoryGateway, card: Outgoing) -> bool:
    """Whether a card in hand may be sent: to be asked right before, with nothing awaited between.

    The clock is read once more after the look, since whatever held up the event loop lay in between.
    """
    may = await gateway.call(gateway.memory.delivery.may_go, card)
    return may and card.is_held(gateway.memory.clock.now())


class Courier:
    def __init__(
        self,
        gateway: MemoryGateway,
        channels: Mapping[str, Channel],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._gateway = gateway
        self._delivery = gateway.memory.delivery
        self._outcomes = gateway.memory.outcomes
        self._channels = channels
        self._sleep = sleep
        self.lanes: Lanes[Lane] = Lanes()
        self._stopping = False
        self._kinds = (
            (self._delivery.due, self.send),
            (self._outcomes.doubtful, self._reconcile),
            (self._outcomes.outdated, self.bring_up_to_date),
        )

    # ── what is due ──

    async def carry(self) -> int:
        """Let every idle lane begin to send, look for and update what is due; how many cards were begun with."""
        begun = 0
        while not self._stopping and (due := await self._due()):
            for lane, cards in due.items():
                self.lanes.start(lane, partial(self._carry_all, cards))
                begun += len(cards)
        return begun

    async def _due(self) -> Mapping[Lane, list[tuple[Waiting, Carrying]]]:
        """What is to be done in each lane that is idle."""
        lanes: dict[Lane, list[tuple[Waiting, Carrying]]] = defaultdict(list)
        busy = self.lanes.busy
        for waiting, carry in self._kinds:
            for card in await self._gateway.call(waiting, AT_ONCE * 4, busy):
                lanes[card.lane].append((card, carry))
        return lanes

    async def _carry_all(self, cards: Iterable[tuple[Waiting, Carrying]]) -> None:
        places = asyncio.Semaphore(AT_ONCE)

        async def one(card: Waiting, carry: Carrying) -> None:
            async with places:
                if not self._stopping:
                    await self._carry(card, carry)

        await asyncio.gather(*starmap(one, cards))

    async def _carry(self, card: Waiting, carry: Carrying) -> None:
        try:
            await carry(card.tenant_id, card.message_id)
        except Exception as error:  # noqa: BLE001  # whatever it is, the others are carried
            _failed("delivery.failed", card, error)
            await self._rest(card)

    async def _rest(self, card: Waiting) -> None:
        try:
            await self._gateway.call(self._outcomes.rest, card.tenant_id, card.message_id)
        except Exception as error:  # noqa: BLE001  # whatever it is, the others are carried
            _failed("delivery.not_rested", card, error)
            await self._sleep(PAUSE_SECS)

    def stop(self) -> None:
        """Begin with no more cards; those in flight are recorded."""
        self._stopping = True

    # ── sending ──

    async def send(self, tenant_id: str, message_id: UUID) -> None:
        """Take one card and send it, unless there is nothing to send now."""
        card = await self._gateway.call(self._delivery.take, tenant_id, message_id, present)
        if card is not None:
            await self._record(card, await self._told(card, partial(self._send, card)))

    async def _send(self, card: Outgoing, channel: Channel) -> SendOutcome:
        return await channel.send(card) if await may_go(self._gateway, card) else CALLED_OFF

    async def _told(self, card: Outgoing, tell: Callable[[Channel], Awaitable[Outcome]]) -> Outcome | NotSent | Unknown:
        channel = self._channels.get(card.place.platform)
        if channel is None:
            return NotSent(f"the channel {card.place.platform} is not running here")
        try:
            with self._gateway.memory.metrics.delivery_send_seconds.labels(card.place.platform).time():
                return await tell(channel)
        except asyncio.CancelledError:  # the bot ends in the middle of it: that is written down, and no more
            return Unknown("stopped")
        except Exception as error:  # noqa: BLE001  # whatever a platform's client raises, the card may be out
            log.warning(
                "delivery.raised", tenant=card.tenant_id, message_id=str(card.message_id), error=described(error)
            )
            return Unknown(type(error).__name__)

    async def _record(self, card: Outgoing, outcome: SendOutcome) -> None:
        outcomes = self._outcomes
        match outcome:
            case Sent(message_ref):
                if not await self._gateway.call(outcomes.sent, card, message_ref):
                    log.error("delivery.lost_hold", tenant=card.tenant_id, message_id=str(card.message_id))
            case NotSent(reason, retry_after, lasting, read):
                await self._heed(card, outcome)
                refuse = partial(outcomes.not_sent, retry_after=retry_after, lasting=lasting, read=read)
                await self._gateway.call(refuse, card, reason)
            case Unknown(reason):
                await self._gateway.call(outcomes.lost, card, reason)
        self._gateway.memory.metrics.delivery_outcomes.labels(_name(outcome)).inc()
        _log("delivery.ended", card, outcome)

    async def _heed(self, card: Outgoing, refusal: NotSent) -> None:
        """Let a refusal reach as far as it says: this workspace waits, is paused, or this person is not written to."""
        memory, place = self._gateway.memory, card.place
        if refusal.retry_after is not None:
            hold = memory.workspaces.hold
            await self._gateway.call(hold, card.tenant_id, place.platform, place.workspace, refusal.retry_after)
        if refusal.lasting is Extent.WORKSPACE:
            pause = memory.workspaces.pause
            if await self._gateway.call(pause, card.tenant_id, place.platform, place.workspace, refusal.reason):
                log.error("workspace.paused", workspace=place.workspace, platform=place.platform, reason=refusal.reason)
        elif refusal.lasting is Extent.PERSON:
            await self._gateway.call(memory.people.departed, card.tenant_id, place, refusal.reason)

    # ── in doubt ──

    async def _reconcile(self, tenant_id: str, message_id: UUID) -> None:
        """Look for a card in doubt in the platform's own history."""
        card = await self._gateway.call(self._outcomes.doubt, tenant_id, message_id)
        if card is None:
            return
        match await self._find(card):
            case Found(message_ref):
                await self._gateway.call(self._outcomes.found, card, message_ref)
            case Absent():
                await self._gateway.call(self._outcomes.found, card, None)
            case CannotTell(reason, for_good):
                log.info("delivery.cannot_tell", tenant=card.tenant_id, message_id=str(message_id), reason=reason)
                await self._gateway.call(partial(self._outcomes.look_later, for_good=for_good), card)

    async def _find(self, card: Outgoing) -> Found | Absent | CannotTell:
        channel = self._channels.get(card.place.platform)
        if channel is None:
            return CannotTell("the channel is not running here")
        try:
            return await channel.find_sent(card)
        except Exception as error:  # noqa: BLE001  # the history could not be read: nothing is known
            return CannotTell(type(error).__name__)

    # ── standing ──

    async def bring_up_to_date(self, tenant_id: str, message_id: UUID) -> None:
        """Show what the card says, and again what it was made to say meanwhile."""
        updating = partial(self._outcomes.updating, tenant_id, message_id, withdrawn)
        shown = True
        while shown and (card := await self._gateway.call(updating)):
            shown = await self._show(card)

    async def _show(self, card: Outgoing) -> bool:
        outcome = await self._told(card, lambda channel: channel.update(card))
        match outcome:
            case Sent():
                await self._gateway.call(self._outcomes.updated, card)
            case NotSent(_, retry_after, lasting, read):
                await self._heed(card, outcome)
                for_good = lasting in {Extent.CARD, Extent.PERSON}
                await self._gateway.call(self._outcomes.not_updated, card, retry_after, for_good=for_good, read=read)
            case Gone():
                await self._gateway.call(self._outcomes.gone, card)
            case Unknown():
                await self._gateway.call(self._outcomes.not_updated, card, None, for_good=False)
        _log("update.ended", card, outcome)
        return isinstance(outcome, Sent)


def _failed(name: str, card: Waiting, error: Exception) -> None:
    log.error(name, tenant=card.tenant_id, message_id=str(card.message_id), error=described(error))


def _log(name: str, card: Outgoing, outcome: UpdateOutcome) -> None:
    reason = "" if isinstance(outcome, Sent) else outcome.reason
    ids = {"tenant": card.tenant_id, "person": str(card.person_id), "message_id": str(card.message_id)}
    log.info(name, outcome=_name(outcome), reason=reason, **ids)


def _name(outcome: UpdateOutcome) -> str:
    return type(outcome).__name__.lower()
