"""A watch on what stands no more says so in its owner's list, and goes on when that comes back."""

import pytest

from core.graph.records import Record
from core.ids import derived
from core.model.watching import EventKind, ScopeType
from tests.support.memories import page, put, section, source_id, watch_request

RECORD = derived("record", "price")
MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)


def write(memory, heading="Meals"):
    put(memory, "travel.md", page("Travel", {heading: "A meal may cost 40 EUR.", "Nights": "150 EUR."}), ["member"])


def gone(memory, who):
    return {view.name for view in memory.watches(who) if view.gone}


@pytest.fixture
def watched(memory, ada):
    write(memory)
    memory.put_node(Record(RECORD, "PRICE", {"amount": 40}, ["member"]))
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="meals"), ada)
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Nights"), name="nights"), ada)
    memory.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=MOVED, name="page"), ada)
    memory.watch(watch_request(ada, ScopeType.ENTITY, str(RECORD), name="price"), ada)
    memory.watch(watch_request(ada, ScopeType.LABEL, "NOTHING", name="a label"), ada)
    return memory


def test_what_stands_is_not_gone(watched, ada):
    assert gone(watched, ada) == set()


def test_a_section_under_another_heading_is_gone_until_it_has_the_old_one_again(watched, ada):
    write(watched, heading="Food")
    assert gone(watched, ada) == {"meals"}
    write(watched)
    assert gone(watched, ada) == set()


def test_with_a_document_all_that_stood_in_it_is_gone_and_a_record_by_itself(watched, ada):
    watched.remove("travel.md")
    assert gone(watched, ada) == {"meals", "nights", "page"}
    watched.remove_node(RECORD)
    assert gone(watched, ada) == {"meals", "nights", "page", "price"}
