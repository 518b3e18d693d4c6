"""A watch that cannot reach the one person it is for rests after three times; one for several people goes on."""

import pytest

from core.model.nodes import SECTION
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.model.work import Place
from core.store.tables import Watch
from tests.support.briefs import change, meals_line, travel
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, add_person, place_of, put, rows


@pytest.fixture
def worker(memory):
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def grace(memory, worker):
    """She sets watches for others."""
    return add_person(memory, "Grace", ["member", "steward"])


@pytest.fixture
def away(memory):
    """Somebody who is bound nowhere."""
    return add_person(memory, "Away", bound=False)


def rest(memory):
    return [row.suspended for row in rows(memory, Watch)]


def for_them(memory, owner, target):
    memory.watch(WatchRequest("sections", ScopeType.LABEL, (SECTION,), CHANGES, target, debounce_secs=0), owner)


def on_sections(memory, owner, who):
    for_them(memory, owner, {"kind": TargetKind.PERSON, "person_id": str(who.person_id)})


def in_vain(memory, worker, times, start=41):
    for meals in range(start, start + times):
        change(memory, worker, meals=meals)
        worker.take()


def test_after_three_times_it_rests_and_its_owner_is_told(memory, worker, grace, away):
    on_sections(memory, grace, away)
    in_vain(memory, worker, 2)
    assert (rest(memory), worker.send()) == ([None], [])
    in_vain(memory, worker, 1, 43)
    assert rest(memory) == ["unreachable"]
    [card] = worker.send() or worker.taken
    assert (card.person_id, card.kind) == (grace.person_id, "resting")


def test_it_goes_on_when_the_person_can_be_reached_and_their_next_card_tells_what_they_missed(
    memory, worker, grace, away
):
    on_sections(memory, grace, away)
    in_vain(memory, worker, 3)
    memory.people.bind("default", away.person_id, place_of(away.person_id))
    assert rest(memory) == [None]
    change(memory, worker, meals=50)
    cards = [card for card in worker.send() if card.person_id == away.person_id]
    assert len(cards) == 1
    assert [(c.before, c.after) for c in worker.notices[-1].lines[0].changes] == meals_line(40, 50)


def test_three_in_a_row_count_and_no_others(memory, worker, grace, away):
    on_sections(memory, grace, away)
    in_vain(memory, worker, 2)
    memory.people.bind("default", away.person_id, place_of(away.person_id))
    change(memory, worker, meals=50)
    assert len(worker.send()) == 1
    memory.people.unbind("default", place_of(away.person_id))
    in_vain(memory, worker, 2, 60)
    assert rest(memory) == [None]
    in_vain(memory, worker, 1, 62)
    assert rest(memory) == ["unreachable"]


def test_one_of_several_who_is_out_of_reach_keeps_it_from_nobody(memory, worker, grace, away):
    for_them(memory, grace, {"kind": TargetKind.SHARED, "audience": {"persons": [str(away.person_id)]}})
    in_vain(memory, worker, 4)
    assert rest(memory) == [None]


def test_somebody_who_was_never_bound_is_told_of_their_own_watch_when_they_are(memory, worker, away):
    on_sections(memory, away, away)
    in_vain(memory, worker, 3)
    assert rest(memory) == ["unreachable"]
    memory.people.bind("default", away.person_id, Place("local", "local", "late"))
    assert rest(memory) == [None]
    assert [card.kind for card in worker.send()] == ["resting"]


def test_while_its_owner_is_out_of_reach_it_rests_whoever_returns(memory, worker, grace, away):
    on_sections(memory, grace, away)
    memory.people.departed("default", place_of(grace.person_id), "account_inactive")
    memory.people.bind("default", away.person_id, place_of(away.person_id))
    assert rest(memory) == ["unreachable"]
    memory.people.returned("default", place_of(grace.person_id))
    assert rest(memory) == [None]
