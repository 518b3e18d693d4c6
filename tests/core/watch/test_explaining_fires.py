"""Why was I notified? A fire tells its watch's owner what it heard, and what became of it for each recipient."""

import pytest

from core.clock import HOUR, MINUTE
from core.errors import NotFound
from core.ids import random_id
from core.model.nodes import SECTION
from core.model.watching import EventKind, Outcome, ScopeType, TargetKind, WatchRequest
from core.store.tables import Person, Source, WatchFire
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, add_person, change_row, made_steward, page, put, rows, section, source_id


@pytest.fixture
def fire(memory, ada, bob):
    """Of Ada's watch for every member; Bob has left before the card."""
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 40 EUR."}))
    memory.sweep()
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target), made_steward(memory, ada))
    memory.clock.advance(HOUR)
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 45 EUR."}))
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker = Worker(memory)
    worker.spread()
    change_row(memory, Person, ("default", bob.person_id), active=False)
    worker.send()
    (found,) = rows(memory, WatchFire)
    return found


def test_a_fire_is_explained_by_its_watch_its_events_and_each_outcome(memory, ada, bob, fire):
    told = memory.explain_fire(fire.fire_id, ada)
    assert (told.watch_name, told.scope_type, told.scope_refs) == ("sections", ScopeType.LABEL, (SECTION,))
    (event,) = told.events
    assert (event.kind, str(event.ref_id)) == (EventKind.FACT_CHANGED, section("travel.md", "Travel", "Meals"))
    assert told.window == (event.change_tx, event.change_tx)
    assert (told.status, told.reason, told.truncated) == ("delivered", None, 0)
    assert set(told.recipients) == {
        Outcome(ada.person_id, "sent", None),
        Outcome(bob.person_id, "skipped", "unreachable"),
    }


def test_only_the_owner_of_the_watch_hears_it(memory, bob, fire):
    memory.people.ensure_tenant("other", "Other")
    abroad = add_person(memory, "Ada", tenant="other")
    for person in (bob, abroad):
        with pytest.raises(NotFound):
            memory.explain_fire(fire.fire_id, person)


def test_a_fire_that_never_was_is_not_found(memory, ada):
    with pytest.raises(NotFound):
        memory.explain_fire(random_id(), ada)


def test_whoever_else_was_told_sees_what_became_of_it_for_them_alone(memory, ada, fire):
    cleo = add_person(memory, "Cleo")
    memory.clock.advance(HOUR)
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 50 EUR."}))
    memory.sweep()
    memory.clock.advance(MINUTE)
    Worker(memory).send()
    [second] = [row for row in rows(memory, WatchFire) if row.fire_id != fire.fire_id]
    told = memory.explain_fire(second.fire_id, cleo)
    assert (told.own, told.watch_name, told.recipients) == (
        False,
        "sections",
        (Outcome(cleo.person_id, "sent", None),),
    )
    assert memory.recent_fires(cleo) == [second.fire_id]
    assert memory.recent_fires(ada) == [second.fire_id, fire.fire_id]
    with pytest.raises(NotFound):
        memory.explain_fire(fire.fire_id, cleo)


def test_they_see_nothing_of_what_they_may_no_longer_read(memory, ada, fire):
    cleo = add_person(memory, "Cleo")
    put(memory, "pay.md", page("Pay", {"Bonus": "None."}), ["member"])
    memory.clock.advance(HOUR)
    put(memory, "travel.md", page("Travel", {"Meals": "Meals cost at most 50 EUR."}))
    memory.sweep()
    memory.clock.advance(MINUTE)
    Worker(memory).send()
    [second] = [row for row in rows(memory, WatchFire) if row.fire_id != fire.fire_id]
    assert len(memory.explain_fire(second.fire_id, cleo).events) == 3
    change_row(memory, Source, ("default", source_id("pay.md")), readers=["legal"])
    assert len(memory.explain_fire(second.fire_id, cleo).events) == 1
    assert len(memory.explain_fire(second.fire_id, ada).events) == 3
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["legal"])
    with pytest.raises(NotFound):
        memory.explain_fire(second.fire_id, cleo)
