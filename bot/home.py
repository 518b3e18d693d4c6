"""The bot's own page: what a person watches and saved, and how they want to hear of it.

Where a platform has a place for it, it stands there; anywhere it comes as a card to whoever writes “preferences”.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from bot.delivery import Courier
from bot.identity import HOW
from bot.memory_gateway import MemoryGateway
from bot.presenters import answer_entry, watch_entry, watch_offer, withdrawn
from cards.codec import from_json, to_json
from cards.home import HOME_ROWS, HomeContent, home, is_home
from cards.model import Card, with_outcome
from cards.notices import unbound
from cards.phrases import plural
from core.clock import FOREVER
from core.model.answers import SavedAnswer
from core.model.grants import PermittedAction
from core.model.local_time import local
from core.model.preferences import ANY, CHOICES, MUTE, settable
from core.model.principals import Principal
from core.model.watching import WatchView
from core.model.work import HOME, NOTHING_OFFERED, Inbound, Offer, Rewritten, Tapped, stranger

_SHOWN = (*(name for name in CHOICES if name != "platform"), MUTE)


@dataclass(frozen=True, slots=True)
class Page:
    """`card` is made for the nonce it gets; `offer` is what it permits."""

    card: Callable[[str], Card]
    offer: Offer


async def page_of(gateway: MemoryGateway, principal: Principal) -> Page:
    """A person's page as it is to be now."""
    memory, now = gateway.memory, gateway.memory.clock.now()
    watches = await gateway.call(memory.watches, principal)
    answers = await gateway.call(memory.answers, principal)
    person = await gateway.call(memory.people.get, principal.tenant_id, principal.person_id)
    chosen = (await gateway.call(memory.people.preferences, principal.tenant_id, principal.person_id)).to_rows()
    platforms = await gateway.call(memory.people.platforms, principal.tenant_id, principal.person_id)
    status = await gateway.call(memory.status, principal.tenant_id)

    def card(nonce: str) -> Card:
        return home(
            HomeContent(
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
                platforms=platforms,
                platform=chosen["platform"],
            )
        )

    return Page(card, _offer(watches, answers, platforms, now))


class Home:
    def __init__(self, gateway: MemoryGateway, courier: Courier) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._courier = courier

    async def show(self, event: Inbound, person_id: UUID | None) -> None:
        """Put the page in its place as it is to be now; for somebody nobody knows, how to be known."""
        if person_id is None:
            asked = unbound(HOW.format(user_id=event.place.user_id))
            await self._put(event, stranger(event.place), Page(lambda _: asked, NOTHING_OFFERED))
            return
        since = await self._gateway.call(self._memory.messages.moment, event.tenant_id)
        await self._put(event, person_id, await self._page(event.tenant_id, person_id), since)

    async def stands_on(self, card: Tapped) -> bool:
        """Whether a card holds the page."""
        standing = self._memory.outcomes.standing
        return is_home(from_json(await self._gateway.call(standing, card.tenant_id, card.message_id, withdrawn)))

    async def renew(self, card: Tapped, words: str) -> None:
        """Put the page anew on the card that holds it, with what came of a tap."""
        since = await self._gateway.call(self._memory.messages.moment, card.tenant_id)
        page = await self._page(card.tenant_id, card.person_id)

        def renewed(_: dict[str, Any], nonce: str) -> Rewritten:
            return Rewritten(to_json(with_outcome(page.card(nonce), words)), page.offer)

        rewrite = self._memory.messages.rewrite
        await self._gateway.call(rewrite, card.tenant_id, card.message_id, renewed, renew=True, since=since)
        await self._courier.bring_up_to_date(card.tenant_id, card.message_id)

    async def _page(self, tenant_id: str, person_id: UUID) -> Page:
        principal = await self._gateway.call(self._memory.people.principal, tenant_id, person_id)
        return await page_of(self._gateway, principal)

    async def _put(self, event: Inbound, person_id: UUID, page: Page, since: int = FOREVER) -> None:
        message_id = await self._gateway.call(
            self._memory.messages.show,
            event.tenant_id,
            person_id,
            event.place,
            HOME,
            lambda nonce: to_json(page.card(nonce)),
            page.offer,
            since,
        )
        await self._courier.send(event.tenant_id, message_id)
        await self._courier.bring_up_to_date(event.tenant_id, message_id)


def _until(ts: int, zone: str) -> str:
    return f"Muted until {local(ts, zone):%A, %H:%M}."


def _offer(watches: Sequence[WatchView], answers: Sequence[SavedAnswer], platforms: Sequence[str], now: int) -> Offer:
    stop = watch_offer(watches[:HOME_ROWS], now, paces=False)
    refresh = [PermittedAction("answer_refresh", str(saved.answer_id)) for saved in answers[:HOME_ROWS]]
    places = [PermittedAction("preference_set", "platform", (ANY, *platforms))] if len(platforms) > 1 else []
    return Offer((*stop, *refresh, *map(settable, _SHOWN), *places))
