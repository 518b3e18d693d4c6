"""Answers say how old the last look at the sources is, when it is late."""

import pytest

from bot.config import SourceSettings
from bot.freshness import Freshness, ago
from bot.memory_gateway import MemoryGateway
from core.clock import DAY, HOUR, MINUTE, SECOND, ManualClock
from core.memory import Memory


@pytest.fixture
def kept() -> list[SourceSettings]:
    return [SourceSettings(name="handbook", path="/nowhere", readers=("everyone",), every_secs=60)]


async def test_nothing_is_said_while_the_sources_are_in_step(memory: Memory, clock: ManualClock, kept) -> None:
    freshness = Freshness(MemoryGateway(memory), "default", kept)
    assert await freshness.note() == "", "a set without documents is not late"
    memory.ingest("handbook/a.md", b"Leave is 25 days.", readers=["everyone"], source_set="handbook")
    clock.advance(180 * SECOND)
    assert await freshness.note() == ""


async def test_three_missed_rounds_are_late_until_the_next_look(memory: Memory, clock: ManualClock, kept) -> None:
    freshness = Freshness(MemoryGateway(memory), "default", kept)
    memory.ingest("handbook/a.md", b"Leave is 25 days.", readers=["everyone"], source_set="handbook")
    clock.advance(3 * HOUR)
    assert "“handbook” was last read 3 hours ago" in await freshness.note()
    memory.documents.checked("default", "handbook")
    assert await freshness.note() == ""


@pytest.mark.parametrize(
    ("micros", "words"),
    [(0, "a moment ago"), (MINUTE, "1 minute ago"), (3 * HOUR + MINUTE, "3 hours ago"), (2 * DAY, "2 days ago")],
)
def test_ago_is_in_the_largest_unit_that_fits(micros: int, words: str) -> None:
    assert ago(micros) == words
