"""Whose brief cannot be looked at keeps none from the others."""

import pytest
from sqlmodel import delete

from core.briefs.engine import REST
from core.clock import FOREVER
from core.jobs.kinds import JobKind
from core.model.watching import ScopeType
from core.store.tables import Brief, Job, Person
from tests.support.briefs import MONDAY, change
from tests.support.memories import add_person, change_row, rows, section, watch_request


@pytest.fixture
def people(memory, worker):
    """Four people whose brief is due on Monday."""
    found = [add_person(memory, f"Person {number}") for number in range(4)]
    for person in found:
        memory.watch(watch_request(person, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), person)
    change(memory, worker, meals=45)
    memory.briefs.schedule("default")
    memory.clock.ts = MONDAY
    return found


def spoil(memory, person):
    change_row(memory, Person, ("default", person.person_id), zone="Mars/Olympus")


def due(memory):
    jobs = [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_BRIEF]
    return {job.payload["person_id"] for job in jobs}


def ids(people):
    return {str(person.person_id) for person in people}


def test_one_whose_brief_cannot_be_looked_at_stops_nobody_else(memory, people):
    spoil(memory, people[0])
    with pytest.raises(ExceptionGroup) as failed:
        memory.briefs.schedule("default")
    assert len(failed.value.exceptions) == 1
    assert due(memory) == ids(people[1:])


def test_many_who_fail_each_time_do_not_starve_the_rest(memory, people):
    *bad, good = people
    for person in bad:
        spoil(memory, person)
    for _ in people:
        try:
            memory.briefs.schedule("default", limit=1)
        except ExceptionGroup:
            continue
    assert due(memory) == ids([good])


def test_who_failed_is_looked_at_again(memory, people, clock):
    spoil(memory, people[0])
    with pytest.raises(ExceptionGroup):
        memory.briefs.schedule("default")
    change_row(memory, Person, ("default", people[0].person_id), zone="UTC")
    assert memory.briefs.schedule("default") == 0
    clock.advance(REST)
    assert memory.briefs.schedule("default") == 1
    assert due(memory) == ids(people)


def test_a_brief_of_nobody_is_not_looked_at_for_ever(memory, people):
    gone = people[0].person_id
    with memory._database.write("default") as tx:
        tx.session.exec(delete(Person).where(Person.person_id == gone))
    memory.briefs.schedule("default")
    assert memory.briefs.schedule("default") == 0
    assert next(row.next_due_at for row in rows(memory, Brief) if row.person_id == gone) == FOREVER
