"""The server-sent events of one open page.

Each event carries the order of the whole conversation and those messages this page has not been sent as they now are.
The first event is therefore the whole inbox, and a page that reconnects starts again from there: it merges by
message_id, so nothing is lost and nothing doubled. A pulse comes after each change and, as a heartbeat, after each
quiet while: a change whose pulse went missing is caught up with then.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from bot.channels.inbox.backend import InboxBackend, InboxMessage, PersonKey, PersonView
from core.clock import Clock

HEARTBEAT = 20.0
"""Seconds."""
RETRY = b"retry: 2000\n\n"


async def pulses(
    changes: AsyncGenerator[None, None], every: float, closing: asyncio.Future[None]
) -> AsyncGenerator[None, None]:
    """A pulse for each of `changes` and after each quiet `every` seconds, until `changes` ends or `closing` is done."""
    async with aclosing(changes):
        coming = asyncio.create_task(_next(changes))
        try:
            while not closing.done():
                awaited: set[asyncio.Future[Any]] = {coming, closing}
                await asyncio.wait(awaited, timeout=every, return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    if not coming.result():
                        return
                    coming = asyncio.create_task(_next(changes))
                if not closing.done():
                    yield
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


async def _next(changes: AsyncGenerator[None, None]) -> bool:
    return await anext(changes, False) is None


def unseen(seen: Mapping[str, InboxMessage], messages: Sequence[InboxMessage]) -> list[InboxMessage]:
    return [message for message in messages if seen.get(message.message_id) != message]


def event(view: PersonView, now: int, order: Sequence[str], changed: Sequence[InboxMessage]) -> bytes:
    data = {"now": now, "person": asdict(view), "order": order, "messages": [asdict(message) for message in changed]}
    return f"event: inbox\ndata: {json.dumps(data)}\n\n".encode()


async def events(
    backend: InboxBackend, person: PersonKey, clock: Clock, closing: asyncio.Future[None]
) -> AsyncGenerator[bytes, None]:
    """What a page of `person` is sent, from the whole inbox on."""
    seen: dict[str, InboxMessage] = {}
    async with aclosing(pulses(backend.changes(person), HEARTBEAT, closing)) as pulsing:
        async for _ in pulsing:
            messages, view = await backend.messages(person), await backend.describe(person)
            yield event(view, clock.now(), [message.message_id for message in messages], unseen(seen, messages))
            seen = {message.message_id: message for message in messages}
