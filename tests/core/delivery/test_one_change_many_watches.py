"""One change that several watches of one person heard is one thing to tell, by whatever scope they heard it."""

import pytest

from core.clock import MINUTE
from core.model.nodes import SECTION
from core.model.watching import Cadence, EventKind, ScopeType
from core.store.tables import CardMessage, WatchFire
from tests.support.briefs import FRIDAY, MONDAY, arrive, meals_line, revise, said, travel
from tests.support.deliveries import Worker
from tests.support.memories import put, rows, section, source_id, watch_request

MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)
NAMES = {"the section", "every section", "the page"}


@pytest.fixture
def worker(memory, clock):
    clock.ts = FRIDAY
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


def watch_all(memory, ada, cadence=None):
    """By the section itself, by its label, and by the source that it stands in."""
    more = {"cadence": cadence}
    meals, page = section("travel.md", "Travel", "Meals"), str(source_id("travel.md"))
    memory.watch(watch_request(ada, ScopeType.ENTITY, meals, name="the section", **more), ada)
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="every section", **more), ada)
    memory.watch(watch_request(ada, ScopeType.SOURCE, page, events=MOVED, name="the page", **more), ada)


def test_by_its_entity_its_label_and_its_source_it_is_one_card_that_names_all_three_watches(memory, worker, ada):
    watch_all(memory, ada)
    revise(memory, worker, meals=45)
    assert len(rows(memory, WatchFire)) == 3
    [notice] = worker.notices
    assert {reason.name for reason in notice.reasons} == NAMES
    assert len(rows(memory, CardMessage)) == 1


def test_and_in_the_weeks_brief_it_is_one_line_that_names_all_three(memory, worker, ada):
    watch_all(memory, ada)
    revise(memory, worker, meals=45)
    [brief] = arrive(memory, worker, MONDAY)
    assert (said(brief), brief.more, set(brief.watches)) == ([meals_line(40, 45)], 0, NAMES)


@pytest.mark.parametrize("cadence", [Cadence.HOURLY, Cadence.DAILY], ids=["hourly", "daily"])
def test_and_so_it_is_in_the_brief_of_an_hour_or_a_day(memory, worker, ada, cadence):
    watch_all(memory, ada, cadence)
    revise(memory, worker, meals=45)
    [brief] = arrive(memory, worker, MONDAY - 2 * MINUTE)
    assert (said(brief), brief.period, set(brief.watches)) == ([meals_line(40, 45)], cadence, NAMES)
