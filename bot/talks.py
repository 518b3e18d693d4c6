"""What people say and tap, from the durable inbox to its handler: of one person in order, of several side by side."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import structlog
from structlog.contextvars import bound_contextvars

from bot.conversation import Handler, NotYet
from bot.faults import described
from bot.keeping import BEATS, LeaseLost, kept
from bot.lanes import Lanes
from bot.memory_gateway import MemoryGateway
from cards.codec import to_json
from cards.notices import error as error_card
from core.model.work import Inbound, Place, stranger

log = structlog.get_logger()

TALKS = 32
"""Events in hand at once: more than the threads that work on them, few enough for each to end within its lease."""

_AWAITED = {"question", "tap"}
"""Kinds of event whose person waits for a word."""
_BROKEN = to_json(error_card("Something is broken on my side.", "Try again later, or tell whoever runs this bot."))

Ended = Callable[[Inbound], None]
"""Told of an event that was worked on: whoever shows the place it came from shows what waits."""


class Talks:
    def __init__(self, gateway: MemoryGateway, handlers: Mapping[str, Handler], ended: Ended) -> None:
        self._gateway = gateway
        self._memory = gateway.memory
        self._handlers = handlers
        self._ended = ended
        self._beat_secs = gateway.memory.config.watch.lease_secs / BEATS
        self._stopping = False
        self.lanes: Lanes[Place] = Lanes()

    def stop(self) -> None:
        """What has not begun by now does not: it is given back."""
        self._stopping = True

    async def begin(self) -> int:
        """Begin with what came in, as far as there is room; how much that was."""
        room = TALKS - len(self.lanes)
        events = await self._gateway.call(self._memory.inbound.lease, room) if room > 0 else []
        for event in events:
            self.lanes.start(replace(event.place, thread=None), partial(self._drive, event))
        return len(events)

    async def _drive(self, event: Inbound) -> None:
        inbound = self._memory.inbound
        if self._stopping:
            await self._gateway.call(inbound.release, event)
            return
        person = {"person": str(event.person_id)} if event.person_id else {}
        try:
            with bound_contextvars(event_id=event.event_id, **person):
                await self._handle(event)
        finally:
            self._ended(event)

    async def _handle(self, event: Inbound) -> None:
        extend = partial(self._gateway.call, self._memory.inbound.extend, event)
        try:
            result = await kept(self._handlers[event.kind](event), extend, self._beat_secs)
        except LeaseLost:
            log.warning("inbound.lost", tenant=event.tenant_id, kind=event.kind)
        except NotYet as reason:
            await self._drive_again(event, str(reason))
        except asyncio.CancelledError:
            await self._gateway.call(self._memory.inbound.release, event)
            raise
        except Exception as error:  # noqa: BLE001  # kept in the inbox and driven again
            log.warning("inbound.failed", tenant=event.tenant_id, kind=event.kind, error=described(error))
            if await self._drive_again(event, described(error)) and event.kind in _AWAITED:
                await self._say_that_it_failed(event)
        else:
            await self._gateway.call(self._memory.inbound.finish, event, result)

    async def _drive_again(self, event: Inbound, reason: str) -> bool:
        """True when it is not, since all its attempts are spent."""
        given_up = await self._gateway.call(self._memory.inbound.fail, event, reason)
        if given_up:
            log.error("inbound.given_up", tenant=event.tenant_id, kind=event.kind, error=reason)
        return given_up

    async def _say_that_it_failed(self, event: Inbound) -> None:
        """Leave nobody without a word. Beside the answer's own card, since an event that comes again is driven anew."""
        known = await self._gateway.call(self._memory.people.at, event.tenant_id, event.place)
        person_id, subject = known or stranger(event.place), f"given up:{event.event_id}"
        post = self._memory.messages.post
        await self._gateway.call(post, event.tenant_id, person_id, event.place, subject, "notice", lambda _: _BROKEN)
