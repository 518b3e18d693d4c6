"""A fire for several people: each is told, whatever became of it for the others."""

from core.clock import DAY, HOUR, MINUTE
from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.store.tables import NotifyDelivery, Person, WatchFire
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, add_person, change_row, made_steward, page, put, rows


def travel(meals):
    return page("Travel", {"Meals": f"Meals cost at most {meals} EUR."})


def test_a_fire_that_one_was_told_stays_for_the_other_who_is_muted(reopen):
    memory = reopen(watch={"fire_keep_per_watch": 1})
    ada, bob = add_person(memory, "Ada"), add_person(memory, "Bob")
    change_row(memory, Person, ("default", bob.person_id), muted_until=memory.clock.now() + DAY)
    put(memory, "travel.md", travel(40))
    memory.sweep()
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(WatchRequest("shared", ScopeType.LABEL, (SECTION,), CHANGES, target), made_steward(memory, ada))
    worker = Worker(memory)
    for meals in (45, 50, 55):
        memory.clock.advance(HOUR)
        put(memory, "travel.md", travel(meals))
        memory.sweep()
        memory.clock.advance(MINUTE)
        assert [card.person_id for card in worker.send()] == [ada.person_id]
    assert len(rows(memory, WatchFire)) == 3
    memory.clock.advance(DAY)
    assert [card.person_id for card in worker.send()] == [bob.person_id]
    (line,) = worker.notices[-1].lines
    assert [(c.before, c.after) for c in line.changes] == [("Meals cost at most 40 EUR.", "Meals cost at most 55 EUR.")]
    assert {row.state for row in rows(memory, NotifyDelivery)} == {"sent"}
