"""Whoever was never shown a thing is told of it from when they began to watch, however much is seen at once."""

from core.clock import MINUTE, SECOND
from core.model.notices import ChangeNotice
from core.model.watching import EventKind, ScopeType
from tests.support.deliveries import Worker
from tests.support.memories import page, place_of, put, section, source_id, watch_request


def travel(meals, hotels=150):
    return page("Travel", {"Meals": f"Meals cost {meals} EUR.", "Hotels": f"Hotels cost {hotels} EUR."})


def told(memory):
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker = Worker(memory)
    worker.send()
    changes = [notice for notice in worker.notices if isinstance(notice, ChangeNotice)]
    return [{(one.before, one.after) for line in said.lines for one in line.changes} for said in changes]


def test_of_two_changes_seen_together_the_first_card_tells_both(memory, ada):
    put(memory, "travel.md", travel(40))
    memory.sweep()
    events = [EventKind.NEW_SOURCE_VERSION]
    memory.watch(watch_request(ada, ScopeType.SOURCE, str(source_id("travel.md")), events=events), ada)
    put(memory, "travel.md", travel(45))
    put(memory, "travel.md", travel(45, hotels=200))
    assert told(memory) == [
        {("Meals cost 40 EUR.", "Meals cost 45 EUR."), ("Hotels cost 150 EUR.", "Hotels cost 200 EUR.")}
    ]


def test_a_passage_that_changed_twice_is_told_from_what_it_said_at_first(memory, ada):
    put(memory, "travel.md", travel(40))
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    put(memory, "travel.md", travel(45))
    put(memory, "travel.md", travel(50))
    assert told(memory) == [{("Meals cost 40 EUR.", "Meals cost 50 EUR.")}]


def test_what_is_as_it_was_when_they_began_to_watch_is_not_told(memory, ada):
    put(memory, "travel.md", travel(40))
    memory.sweep()
    put(memory, "travel.md", travel(45))
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    put(memory, "travel.md", travel(50))
    put(memory, "travel.md", travel(45))
    assert told(memory) == []


def test_a_change_that_takes_back_what_was_new_when_they_began_is_told(memory, ada):
    """The sweep's window began before the watch: within it nothing is different, to her it is."""
    put(memory, "travel.md", travel(40))
    memory.sweep()
    put(memory, "travel.md", travel(45))
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    put(memory, "travel.md", travel(40))
    assert told(memory) == [{("Meals cost 45 EUR.", "Meals cost 40 EUR.")}]


def test_what_waits_for_the_debounce_of_a_watch_that_comes_to_rest_is_told_on_return(memory, ada):
    put(memory, "travel.md", travel(40))
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    put(memory, "travel.md", travel(45))
    assert len(told(memory)) == 1
    memory.clock.advance(-30 * SECOND)
    put(memory, "travel.md", travel(50))
    memory.sweep()
    memory.people.departed("default", place_of(ada.person_id), "blocked")
    memory.clock.advance(2 * MINUTE)
    assert told(memory) == []
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "Hello"})
    assert told(memory) == [{("Meals cost 45 EUR.", "Meals cost 50 EUR.")}]
