"""A memory on a Friday, with one document and somebody who watches a section of it."""

import pytest

from core.model.watching import ScopeType
from tests.support.briefs import FRIDAY, travel
from tests.support.deliveries import Worker
from tests.support.memories import put, section, watch_request


@pytest.fixture
def clock(clock):
    clock.ts = FRIDAY
    return clock


@pytest.fixture
def worker(memory, ada):
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def meals(worker, memory, ada):
    """Ada's watch on one section."""
    request = watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="Meals")
    return memory.watch(request, ada)
