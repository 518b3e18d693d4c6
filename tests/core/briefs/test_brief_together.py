"""What happens at the same time is told together, once."""

import pytest

from core.clock import MINUTE, SECOND
from core.model.notices import BriefNotice
from core.model.watching import ScopeType
from tests.support.briefs import MONDAY, brief_cards, travel
from tests.support.deliveries import Worker
from tests.support.memories import section, watch_request
from tests.support.threads import at_once


@pytest.fixture
def hotels(worker, memory, ada):
    return memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Hotels")), ada)


def both_events(memory):
    """Two changes in one second, each of which a sweep of its own has found."""
    for amounts in ({"meals": 45}, {"meals": 45, "hotels": 160}):
        memory.ingest("travel.md", travel(**amounts), readers=["member"])
        memory.sweep()
        memory.clock.advance(SECOND // 3)


def test_two_events_in_one_second_make_one_digest_whoever_looks_first(memory, worker, meals, hotels):
    both_events(memory)
    memory.clock.advance(MINUTE)
    worker.send()
    worker.brief()
    memory.clock.ts = MONDAY
    workers = [worker, Worker(memory)]
    at_once(*(each.brief for each in workers))
    at_once(*(each.send for each in workers))
    digests = [notice for each in workers for notice in each.notices if isinstance(notice, BriefNotice)]
    assert [len(digest.lines) for digest in digests] == [2]
    assert [card.state for card in brief_cards(memory)] == ["sent"]


def test_two_events_in_one_second_make_one_card(memory, worker, meals, hotels):
    both_events(memory)
    memory.clock.advance(MINUTE)
    workers = [worker, Worker(memory)]
    at_once(*(each.spread for each in workers))
    at_once(*(each.send for each in workers))
    at_once(*(each.send for each in workers))
    assert [len(notice.lines) for each in workers for notice in each.notices] == [2]
