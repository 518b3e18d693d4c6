"""Cards as messages in the personal chats of Teams.

Teams keeps no history that could be read, and knows no key of a message: what is not known to have arrived is in doubt
for good. A chat that Teams does not know is opened once and written to once more, which is safe since Teams said that
there is no such place. Everything that takes time comes before `may_go`: the bot's own token, the address, the turn.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from bot.channels.base import (
    CALLED_OFF,
    CannotTell,
    Gone,
    NotSent,
    Profile,
    SendOutcome,
    Sent,
    Unreachable,
    UpdateOutcome,
)
from bot.channels.pace import Pace
from bot.channels.teams.address import PLATFORM, Address
from bot.channels.teams.addresses import Addresses
from bot.channels.teams.outcomes import NO_SUCH_MESSAGE, no_token
from bot.channels.teams.port import Json, Refused, Transport
from bot.channels.writing import MayGo, NotWritten, drawn
from cards.teams import to_teams_message
from core.model.notices import Outgoing
from core.model.work import HOME, Extent, Place, stranger

AT_ONCE = 16
"""Requests under way."""
_LET_GO = NotSent("they have removed the app", lasting=Extent.PERSON)
"""Of somebody nobody knows, who was written to since they had written: there was an address."""


class TeamsChannel:
    """The chats of one tenant of Entra's. `workspace`: its id; None until it is known.

    `may_go`: asked of a card whose turn has come.
    """

    def __init__(
        self,
        transport: Transport,
        addresses: Addresses,
        pace: Pace,
        may_go: MayGo,
        workspace: Callable[[], str | None],
    ) -> None:
        self._transport = transport
        self._addresses = addresses
        self._pace = pace
        self._may_go = may_go
        self._workspace = workspace
        self._at_once = asyncio.Semaphore(AT_ONCE)

    async def send(self, card: Outgoing) -> SendOutcome:
        try:
            message = await self._prepared(card)
            address = await self._addresses.find(card.place)
            if not address.conversation and card.person_id == stranger(card.place):
                return _LET_GO
            outcome = await self._post(card, address, message) if address.conversation else Gone("there is no chat yet")
            if isinstance(outcome, Gone):
                address = await self._opened(card.place, address)
                outcome = await self._post(card, address, message)
                if isinstance(outcome, Sent):
                    await self._addresses.keep(card.place, address)
        except NotWritten as refused:
            return refused.outcome
        return NotSent(outcome.reason, read=True) if isinstance(outcome, Gone) else outcome  # it may be passing

    async def update(self, card: Outgoing) -> UpdateOutcome:
        match (card.message_ref or "").rsplit("|", 2):
            case [service_url, conversation, activity_id]:
                return await self._update(card, service_url, conversation, activity_id)
        return NotSent(f"{card.message_ref!r} is no message of Teams'", lasting=Extent.CARD)

    async def _update(self, card: Outgoing, service_url: str, conversation: str, activity_id: str) -> UpdateOutcome:
        """`service_url`: where it was sent, for whoever has no address any more."""
        try:
            message = await self._prepared(card)
        except NotWritten as refused:
            return refused.outcome
        address = replace(await self._addresses.find(card.place, service_url), conversation=conversation)
        await self._pace.turn(conversation)
        async with self._at_once:
            outcome = await self._transport.update(address, activity_id, message)
        if isinstance(outcome, Gone) and outcome.reason != NO_SUCH_MESSAGE:  # it may be passing, and the message stand
            return NotSent(outcome.reason, read=True)
        return Sent(card.message_ref or "") if isinstance(outcome, Sent) else outcome

    async def find_sent(self, card: Outgoing) -> CannotTell:  # noqa: ARG002  # whichever it is
        return CannotTell("Teams has no history to look into", for_good=True)

    async def profile(self, workspace: str, user_id: str) -> Profile | None:
        place = Place(PLATFORM, workspace, user_id)
        try:
            await self._ready(workspace)
            address = await self._addresses.find(place)
        except NotWritten as refused:
            raise Unreachable(refused.outcome.reason) from refused
        if not address.conversation:  # whoever is asked about has written, and let the bot go since
            return None
        await self._pace.turn(address.conversation)
        async with self._at_once:
            found = await self._transport.member(address, workspace, user_id)
        return found and replace(found, zone=address.zone, locale=address.locale)

    async def _prepared(self, card: Outgoing) -> Json:
        """The message, once nothing is missing that it needs."""
        if card.kind == HOME:
            raise NotWritten(NotSent("Teams has no home tab", lasting=Extent.CARD))
        message = drawn(card, to_teams_message)
        await self._ready(card.place.workspace)
        return message

    async def _ready(self, workspace: str) -> None:
        mine = self._workspace()
        if workspace != mine:
            raise NotWritten(NotSent(f"the bot is let into the tenant {mine}, and not into {workspace}"))
        try:
            await self._transport.ready()
        except Refused as refused:
            trouble = no_token(refused)
            raise NotWritten(NotSent(trouble.error, lasting=trouble.lasting)) from refused

    async def _post(self, card: Outgoing, address: Address, message: Json) -> SendOutcome | Gone:
        await self._pace.turn(address.conversation)
        async with self._at_once:
            if not await self._may_go(card):
                return CALLED_OFF
            outcome = await self._transport.send(address, message)
        return Sent(address.message_ref(outcome.message_ref)) if isinstance(outcome, Sent) else outcome

    async def _opened(self, place: Place, address: Address) -> Address:
        """A chat with them."""
        await self._pace.turn(place.user_id)
        async with self._at_once:
            opened = await self._transport.open_dm(place.workspace, address)
        if isinstance(opened, NotSent):
            raise NotWritten(opened)
        return opened
