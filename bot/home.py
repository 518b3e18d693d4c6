"""The bot's own page in a chat platform: what a person watches and saved, and how they want to hear of it."""

from collections.abc import Callable, Sequence
from uuid import UUID

from bot.delivery import Courier
from bot.identity import HOW
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_entry, watch_entry, watch_offer
from cards.codec import to_json
from cards.home import HOME_ROWS, HomeContent, home
from cards.model import Card
from cards.notices import unbound
from cards.phrases import plural
from core.clock import FOREVER
from core.model.answers import SavedAnswer
from core.model.grants import PermittedAction
from core.model.local_time import local
from core.model.preferences import CHOICES, MUTE, settable
from core.model.principals import Principal
from core.model.watching import WatchView
from core.model.work import HOME, NOTHING_OFFERED, Inbound, Offer, stranger

_SHOWN = (*(name for name in CHOICES if name != "platform"), MUTE)


class Home:
    def __init__(self, gateway: MemoryGateway, courier: Courier) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier

    async def show(self, event: Inbound, person_id: UUID | None) -> None:
        """Put the page there as it is to be now; for somebody nobody knows, how to be known."""
        if person_id is None:
            asked = unbound(HOW.format(user_id=event.place.user_id))
            await self._put(event, stranger(event.place), lambda _: asked, NOTHING_OFFERED)
            return
        since = await self._gateway.call(self._memory.messages.moment, event.tenant_id)
        principal = await self._gateway.call(self._memory.people.principal, event.tenant_id, person_id)
        watches = await self._gateway.call(self._memory.watches, principal)
        answers = await self._gateway.call(self._memory.answers, principal)
        content, now = await self._content(principal, watches, answers), self._memory.clock.now()
        await self._put(event, person_id, lambda nonce: home(content(nonce)), _offer(watches, answers, now), since)

    async def _put(
        self,
        event: Inbound,
        person_id: UUID,
        card: Callable[[str], Card],
        offer: Offer,
        since: int = FOREVER,
    ) -> None:
        message_id = await self._gateway.call(
            self._memory.messages.show,
            event.tenant_id,
            person_id,
            event.place,
            HOME,
            lambda nonce: to_json(card(nonce)),
            offer,
            since,
        )
        await self._courier.send(event.tenant_id, message_id)
        await self._courier.bring_up_to_date(event.tenant_id, message_id)

    async def _content(
        self, principal: Principal, watches: Sequence[WatchView], answers: Sequence[SavedAnswer]
    ) -> Callable[[str], HomeContent]:
        people, now = self._memory.people, self._memory.clock.now()
        person = await self._gateway.call(people.get, principal.tenant_id, principal.person_id)
        chosen = (await self._gateway.call(people.preferences, principal.tenant_id, principal.person_id)).to_rows()
        status = await self._gateway.call(self._memory.status, principal.tenant_id)
        return lambda nonce: HomeContent(
            name=person.display_name,
            watches=tuple(watch_entry(view, now) for view in watches[:HOME_ROWS]),
            more_watches=len(watches[HOME_ROWS:]),
            answers=tuple(answer_entry(saved) for saved in answers[:HOME_ROWS]),
            more_answers=len(answers[HOME_ROWS:]),
            brief_day=chosen["brief_day"],
            brief_hour=chosen["brief_hour"],
            quiet_from=chosen["quiet_from"],
            quiet_until=chosen["quiet_until"],
            muted=_until(person.muted_until, person.zone) if person.muted_until > now else "",
            zone=person.zone,
            nonce=nonce,
            known=f"I remember {plural(status.documents, 'document')}.",
        )


def _until(ts: int, zone: str) -> str:
    return f"Muted until {local(ts, zone):%A, %H:%M}."


def _offer(watches: Sequence[WatchView], answers: Sequence[SavedAnswer], now: int) -> Offer:
    stop = watch_offer(watches[:HOME_ROWS], now, paces=False)
    refresh = [PermittedAction("answer_refresh", str(saved.answer_id)) for saved in answers[:HOME_ROWS]]
    return Offer((*stop, *refresh, *map(settable, _SHOWN)))
