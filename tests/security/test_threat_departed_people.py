"""A cookie outlives its person's leaving: it must open nothing from then on."""

from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot import keys
from bot.app import Bot, signer_of
from bot.channels.inbox.backend import PersonKey
from bot.config import Settings, open_memory
from tests.support.inboxes import inbox_over

WORDS = "A meal may cost 40 EUR"


@pytest.fixture
async def inbox(tmp_path, sqlite_url) -> AsyncIterator[tuple[Bot, PersonKey, aiohttp.ClientSession, str]]:
    """Ada, signed in to her inbox, in which she was told something."""
    keys.create(tmp_path / "keys")
    settings = Settings(database=sqlite_url, keys=tmp_path / "keys", embedder="none")
    with open_memory(settings) as memory:
        memory.people.ensure_tenant("default", "Default")
        ada = PersonKey("default", memory.people.put("default", "Ada"))
        memory.local.post("default", ada.person_id, "event:e1", "person", {"text": WORDS})
        bot = Bot(settings, memory, signer_of(settings.keys))
        async with (
            inbox_over(bot.inbox, memory.clock) as server,
            aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session,
        ):
            link = server.link_for(ada)
            async with session.get(link, headers={"Host": link.split("/")[2]}) as entered:
                assert entered.status == 200
            yield bot, ada, session, link.partition("/enter/")[0]
        bot.gateway.stop()


async def first_event(session, base):
    async with session.get(f"{base}/events") as stream:
        return b"".join([line async for line in stream.content if line.startswith(b"data:")][:1])


async def status_of(session, base, method="GET", path="/", body=None):
    headers = {"Origin": base, "X-Clarify-Inbox": "1"} if body else {}
    async with session.request(method, base + path, json=body, headers=headers) as answer:
        return answer.status


async def test_whoever_left_sees_and_asks_nothing_with_the_cookie_they_have(inbox):
    bot, ada, session, base = inbox
    asked = {"event_id": "e2", "text": "What may a meal cost?"}
    assert await status_of(session, base) == 200
    assert await status_of(session, base, "POST", "/ask", asked) == 202
    people = bot.gateway.memory.people
    people.set_active("default", ada.person_id, active=False)
    assert await status_of(session, base) == 409
    assert await status_of(session, base, "POST", "/ask", asked | {"event_id": "e3"}) == 409
    assert await first_event(session, base) == b""
    history, _ = bot.gateway.memory.local.history("default", ada.person_id)
    assert len(history) == 2, "what they said then is what was said"


async def test_whoever_comes_back_finds_what_they_were_told(inbox):
    bot, ada, session, base = inbox
    people = bot.gateway.memory.people
    people.set_active("default", ada.person_id, active=False)
    people.set_active("default", ada.person_id, active=True)
    assert await status_of(session, base) == 200
