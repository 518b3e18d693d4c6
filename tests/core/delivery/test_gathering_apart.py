"""Whom no card can be made for keeps no news from the others."""

import pytest

from core.delivery.engine import REST
from core.model.watching import ScopeType
from core.store.tables import CardMessage, NotifyDelivery, Person
from tests.support.briefs import change, travel
from tests.support.deliveries import Worker
from tests.support.memories import add_person, change_row, put, rows, section, watch_request

NOWHERE = "Mars/Olympus"


@pytest.fixture
def worker(memory):
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def people(memory, worker):
    """Four people with news waiting."""
    found = [add_person(memory, f"Person {number}") for number in range(4)]
    for person in found:
        request = watch_request(person, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="Meals")
        memory.watch(request, person)
    change(memory, worker, meals=45)
    return found


def spoil(memory, person):
    """A row that no quiet hours can be computed for."""
    memory.prefer(person, "quiet_from", "8")
    memory.prefer(person, "quiet_until", "11")
    change_row(memory, Person, ("default", person.person_id), zone=NOWHERE)


def told(memory):
    return {card.person_id for card in rows(memory, CardMessage)}


def test_one_whom_no_card_can_be_made_for_stops_nobody_else(memory, people):
    bad, *good = people
    spoil(memory, bad)
    with pytest.raises(ExceptionGroup) as failed:
        memory.delivery.gather()
    assert len(failed.value.exceptions) == 1
    assert told(memory) == {person.person_id for person in good}


def test_many_who_fail_each_time_do_not_starve_the_rest(memory, people):
    """Looked at one by one, and in whatever order, everybody has their turn."""
    *bad, good = people
    for person in bad:
        spoil(memory, person)
    for _ in people:
        try:
            memory.delivery.gather(limit=1)
        except ExceptionGroup:
            continue
    assert told(memory) == {good.person_id}
    assert memory.delivery.gather() == 0, "they are left alone for a while"


def test_who_failed_is_looked_at_again_and_has_their_news_once_it_can_be_told(memory, people, clock):
    bad = people[0]
    spoil(memory, bad)
    with pytest.raises(ExceptionGroup):
        memory.delivery.gather()
    change_row(memory, Person, ("default", bad.person_id), zone="UTC")
    assert memory.delivery.gather() == 0
    clock.advance(REST)
    assert memory.delivery.gather() == 1
    assert bad.person_id in told(memory)


@pytest.mark.parametrize("place", range(4))
def test_whoever_waits_for_a_brief_alone_keeps_nobody_out(memory, people, place):
    """Whichever of them is looked at first."""
    told_now = people[place]
    for row in rows(memory, NotifyDelivery):
        if row.person_id != told_now.person_id:
            change_row(memory, NotifyDelivery, ("default", row.fire_id, row.person_id, row.kind), cadence="daily")
    assert memory.delivery.gather(limit=1) == 1
    assert told(memory) == {told_now.person_id}
