"""A watch is muted for a time, by whom it tells and for them alone, or ended; what was held comes as one card."""

import pytest

from core.clock import DAY, HOUR, MINUTE
from core.errors import NotFound
from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.store.tables import NotifyDelivery
from tests.support.briefs import FRIDAY, MONDAY, arrive, change, travel
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, add_person, made_steward, put, rows, section, watch_request
from tests.support.threads import at_once

MEALS = section("travel.md", "Travel", "Meals")


@pytest.fixture
def worker(memory, clock):
    clock.ts = FRIDAY
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def meals(memory, worker, ada):
    return memory.watch(watch_request(ada, ScopeType.ENTITY, MEALS, name="Meals"), ada)


@pytest.fixture
def shared(memory, worker, ada, bob):
    """Bob's watch, for every member."""
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    request = WatchRequest("team", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0)
    return memory.watch(request, made_steward(memory, bob))


def mute(memory, watch, who, until):
    with memory._database.write("default") as tx:
        return memory._engines.watch.mute(tx, watch.watch_id, who, until)


def sent(worker):
    return {card.person_id for card in worker.send()}


def shown(notice):
    return [(c.before, c.after) for line in notice.lines for c in line.changes]


CATCH_UP = [("Meals cost at most 40 EUR.", "Meals cost at most 46 EUR.")]


def all_of_it(memory, watch, ada):
    memory.mute_for(ada, "1d")


def that_watch(memory, watch, ada):
    mute(memory, watch, ada, memory.clock.now() + DAY)


@pytest.mark.parametrize("muted", [that_watch, all_of_it])
def test_a_mute_holds_its_cards_and_ends_in_one_that_catches_up(memory, worker, meals, ada, muted):
    muted(memory, meals, ada)
    for amount in (45, 46):
        change(memory, worker, meals=amount)
        assert worker.send() == []
    memory.clock.advance(DAY)
    assert len(worker.send()) == 1
    assert shown(worker.notices[-1]) == CATCH_UP
    assert worker.send() == []


@pytest.mark.parametrize("muted", [that_watch, all_of_it])
def test_a_mute_that_is_ended_early_brings_what_it_held_at_once(memory, worker, meals, ada, muted):
    muted(memory, meals, ada)
    change(memory, worker, meals=46)
    assert worker.send() == []
    memory.mute_for(ada, "off")
    mute(memory, meals, ada, 0)
    assert len(worker.send()) == 1
    assert shown(worker.notices[-1]) == CATCH_UP


def test_until_tomorrow_is_the_persons_own_morning(memory, ada):
    memory.people.put("default", "Ada", zone="Pacific/Kiritimati")
    memory.mute_for(ada, "tomorrow")
    until = memory.people.get("default", ada.person_id).muted_until
    assert (until // HOUR - (6 - 14)) % 24 == 0
    assert 0 < until - memory.clock.now() <= DAY


# ── of somebody else's ──


def test_one_of_many_mutes_it_for_themselves_alone(memory, worker, shared, ada, bob):
    change(memory, worker, meals=45)
    assert sent(worker) == {ada.person_id, bob.person_id}
    mute(memory, shared, ada, memory.clock.now() + DAY)
    change(memory, worker, meals=46)
    assert sent(worker) == {bob.person_id}
    memory.clock.advance(DAY)
    assert sent(worker) == {ada.person_id}


def test_its_owner_too_mutes_it_for_themselves_alone_and_the_list_says_so(memory, worker, shared, ada, bob):
    mute(memory, shared, bob, memory.clock.now() + DAY)
    [view] = memory.watches(bob)
    assert view.muted_until == memory.clock.now() + DAY
    change(memory, worker, meals=45)
    assert sent(worker) == {ada.person_id}


def test_an_owner_who_watches_it_again_hears_of_it_again(memory, worker, shared, ada, bob):
    mute(memory, shared, bob, memory.clock.now() + DAY)
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    again = WatchRequest("team", ScopeType.LABEL, (SECTION,), CHANGES, target)
    assert memory.watch(again, made_steward(memory, bob)).watch_id == shared.watch_id
    change(memory, worker, meals=45)
    assert sent(worker) == {ada.person_id, bob.person_id}


def test_one_of_many_hears_no_more_of_it_and_the_others_do(memory, worker, shared, ada, bob):
    change(memory, worker, meals=45)
    sent(worker)
    mute(memory, shared, ada, None)
    change(memory, worker, meals=46)
    assert sent(worker) == {bob.person_id}
    assert {row.reason for row in rows(memory, NotifyDelivery) if row.person_id == ada.person_id} == {
        None,
        "suppressed",
    }
    memory.prefer(bob, "brief_day", "off")
    assert arrive(memory, worker, MONDAY) == [], "nor in the brief"


def test_its_owner_ends_it_for_everybody(memory, worker, shared, bob):
    mute(memory, shared, bob, None)
    change(memory, worker, meals=45)
    assert sent(worker) == set()


def test_the_one_person_whom_a_steward_set_may_have_it_no_more(memory, worker, ada, bob):
    target = {"kind": TargetKind.PERSON, "person_id": str(ada.person_id)}
    request = WatchRequest("for Ada", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0)
    watch = memory.watch(request, made_steward(memory, bob))
    change(memory, worker, meals=45)
    assert sent(worker) == {ada.person_id}
    mute(memory, watch, ada, None)
    change(memory, worker, meals=46)
    assert sent(worker) == set()
    assert [view.name for view in memory.watches(bob)] == ["for Ada"]


def test_whom_it_told_nothing_has_no_say(memory, worker, shared, meals):
    eve = add_person(memory, "Eve", ["guest"])
    for watch in (shared, meals):
        for until in (None, memory.clock.now() + DAY):
            with pytest.raises(NotFound):
                mute(memory, watch, eve, until)


# ── everything ──


def test_everything_that_one_watches_is_stopped_and_nothing_of_anybody_else(memory, worker, meals, shared, ada, bob):
    memory.save_answer(memory.generate("What do meals cost at most?", ada).trace_id, ada)
    with memory._database.write("default") as tx:
        assert memory._engines.watch.stop_all(tx, ada) == 2
    assert memory.watches(ada) == []
    assert len(memory.answers(ada)) == 1
    assert [view.name for view in memory.watches(bob)] == ["team"]


def test_stopped_twice_at_once_it_is_stopped_once_and_what_waited_is_not_sent(memory, worker, meals, ada):
    change(memory, worker, meals=45)
    memory.delivery.gather()

    def stop():
        with memory._database.write("default") as tx:
            return memory._engines.watch.stop_all(tx, ada)

    assert 1 in at_once(stop, stop)
    memory.clock.advance(MINUTE)
    assert worker.send() == []
    assert [row.reason for row in rows(memory, NotifyDelivery)] == ["suppressed"]
