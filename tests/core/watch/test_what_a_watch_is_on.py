"""What a watch is on: however it is written, each thing once, and as the feed names it."""

import pytest

from core.errors import InvalidRequest
from core.model.nodes import SECTION
from core.model.watching import ScopeType
from core.store.tables import Watch
from tests.support.briefs import FRIDAY, revise, travel
from tests.support.deliveries import Worker
from tests.support.memories import put, rows, section, source_id, watch_request

MEALS = section("travel.md", "Travel", "Meals")
TRAVEL = str(source_id("travel.md"))


@pytest.fixture
def worker(memory, clock):
    clock.ts = FRIDAY
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.mark.parametrize(
    ("scope", "ways"),
    [
        (ScopeType.ENTITY, [[MEALS], [MEALS.upper()], [MEALS.replace("-", "")], [MEALS, MEALS]]),
        (ScopeType.LABEL, [[SECTION], [SECTION, SECTION]]),
    ],
)
def test_however_it_is_written_it_is_one_watch_and_hears(memory, worker, ada, scope, ways):
    made = [memory.watch(watch_request(ada, scope, *refs), ada) for refs in reversed(ways)]
    assert {view.refs for view in made} == {tuple(ways[0])}
    assert len(rows(memory, Watch)) == 1
    revise(memory, worker, meals=45)
    assert len(worker.notices) == 1


def test_a_source_named_twice_is_one(memory, worker, ada):
    assert memory.watch(watch_request(ada, ScopeType.SOURCE, TRAVEL, TRAVEL.upper()), ada).refs == (TRAVEL,)


@pytest.mark.parametrize("scope", [ScopeType.ENTITY, ScopeType.SOURCE, ScopeType.CLARIFICATION])
def test_what_is_no_id_is_refused_and_named(memory, worker, ada, scope):
    with pytest.raises(InvalidRequest, match="'meals' is no id"):
        memory.watch(watch_request(ada, scope, "meals"), ada)
