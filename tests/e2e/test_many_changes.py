"""A thousand changes under two bots that sweep and send at the same time: one of each fire for each recipient."""

import asyncio
from collections import Counter
from contextlib import closing

import pytest

from core.clock import HOUR, ManualClock
from core.model.nodes import SECTION
from core.model.watching import ScopeType
from core.model.work import Place
from core.store.tables import WatchFire
from tests.e2e.crash_told import told
from tests.e2e.crash_worlds import TENANT
from tests.fakes.platform_channel import PLATFORM, PlatformChannel, Room, platform
from tests.support.bots import parts_over
from tests.support.memories import NOW, open_memory, page, rows, watch_request
from tests.support.threads import at_once

DOCUMENTS, SECTIONS = 20, 50
PEOPLE = ("Ada", "Bob")
SETTINGS = {"watch": {"settle_secs": 0, "debounce_floor_secs": 0, "max_rows_per_tick": SECTIONS}}


@pytest.fixture
def room():
    with platform() as address:
        yield Room(f"{address}/many")


def write(memory, amount):
    for document in range(DOCUMENTS):
        words = {f"Part {part}": f"Part {part} costs {amount} EUR." for part in range(SECTIONS)}
        memory.ingest(f"{document}.md", page(f"Prices {document}", words), readers=["everyone"])


def watched_by_each(url):
    """Two people who watch every section."""
    with closing(open_memory(url, ManualClock(NOW - HOUR), **SETTINGS)) as memory:
        memory.people.ensure_tenant(TENANT, "Default")
        write(memory, 10)
        while memory.sweep().backlog:
            pass
        for name in PEOPLE:
            person_id = memory.people.put(TENANT, name)
            memory.people.bind(TENANT, person_id, Place(PLATFORM, "room", name))
            person = memory.people.principal(TENANT, person_id)
            memory.watch(watch_request(person, ScopeType.LABEL, SECTION), person)


def works(memory, room):
    parts = parts_over(memory, {PLATFORM: PlatformChannel(room.url)}, owner=str(id(memory)))
    asyncio.run(parts.worker.settle())
    parts.gateway.stop()


def test_two_sweepers_and_a_thousand_changes_make_one_of_each_fire_for_each_recipient(database_url, room):
    watched_by_each(database_url)
    clock = ManualClock(NOW)
    with (
        closing(open_memory(database_url, clock, **SETTINGS)) as one,
        closing(open_memory(database_url, clock, **SETTINGS)) as other,
    ):
        write(one, 20)
        assert at_once(lambda: works(one, room), lambda: works(other, room)) == [None, None]
        clock.advance(HOUR)
        works(one, room)
        fires = rows(one, WatchFire)
    heard = Counter((fire.watch_id, event["changed_ref_id"]) for fire in fires for event in fire.events)
    assert len(heard) == len(PEOPLE) * DOCUMENTS * SECTIONS
    assert set(heard.values()) == {1}
    news = told(database_url, room).news
    assert Counter(news.fires.values()) == {1: len(fires)}
    assert not news.cards
