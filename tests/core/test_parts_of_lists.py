"""A list is read a part at a time, and its parts are the whole, in one order in either database."""

from uuid import UUID

import pytest

from core.clarifications.opening import Opening
from core.clock import HOUR
from core.model.paging import Part
from core.model.watching import ScopeType
from tests.support.memories import add_person, page, put, section, watch_request

URIS = ("B.md", "a.md", "\u00e4.md", "b-1.md", "b 1.md", "travel.md")
MEALS = UUID(section("travel.md", "Travel", "Meals"))


@pytest.fixture
def filled(memory, ada):
    """Of each list more than a part."""
    for number, uri in enumerate(URIS):
        put(memory, uri, page("Travel", {"Meals": "A meal may cost 40 EUR."}), ["admin"] if number == 1 else ["member"])
    watch_id = memory.watch(watch_request(ada, ScopeType.LABEL, "SECTION"), ada).watch_id
    memory.sweep()
    for number in range(5):
        memory.save_answer(memory.generate(f"What may {number} meals cost?", ada).trace_id, ada)
        memory.clarify.open("default", Opening(MEALS, f"Is it {number}?", ["member"]))
        put(memory, "b-1.md", page("Travel", {"Meals": f"A meal may cost {number} EUR."}), ["member"])
        memory.clock.advance(HOUR)
        memory.sweep()
    return watch_id


LISTS = {
    "documents": lambda memory, who, _: (
        lambda part: memory.documents.part(who, part),
        lambda one: (one.uri,),
        [uri for uri in sorted(URIS, key=str.encode) if uri != "a.md"],
        lambda one: one.uri,
    ),
    "watches": lambda memory, who, _: (
        lambda part: memory.watched.part(who, part),
        lambda one: (one.created_tx, one.watch_id),
        [one.watch_id for one in memory.watches(who)],
        lambda one: one.watch_id,
    ),
    "fires": lambda memory, who, watch_id: (
        lambda part: memory.watched.fires(watch_id, who, part),
        lambda one: (one.fire_tx, one.fire_id),
        [one.fire_id for one in memory.watched.fires(watch_id, who)],
        lambda one: one.fire_id,
    ),
    "answers": lambda memory, who, _: (
        lambda part: memory.answers(who, part),
        lambda one: (one.saved_at, one.answer_id),
        [one.answer_id for one in memory.answers(who)],
        lambda one: one.answer_id,
    ),
    "clarifications": lambda memory, who, _: (
        lambda part: memory.questions.part(who, part),
        lambda one: (one.clarification_id,),
        sorted(one.clarification_id for one in memory.clarifications(who)),
        lambda one: one.clarification_id,
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_parts_of_a_list_are_the_whole_in_its_order(memory, ada, filled, name):
    read, place, whole, named = LISTS[name](memory, ada, filled)
    seen, after = [], None
    while found := read(Part(after, 2)):
        seen += found
        after = place(found[-1])
    assert [named(one) for one in seen] == whole
    assert len(whole) >= 5


def test_of_many_that_may_not_be_read_none_is_shown_and_none_ends_the_list(memory, ada):
    for number in range(12):
        put(memory, f"{number:02}.md", page("T", {"S": f"{number}"}), ["member"] if number in {0, 11} else ["admin"])
    assert [one.uri for one in memory.documents.part(ada, Part(None, 2))] == ["00.md", "11.md"]
    everything = memory.documents.part(add_person(memory, "Root", ("admin",)), Part())
    assert [one.uri for one in everything] == [f"{number:02}.md" for number in range(12)]
