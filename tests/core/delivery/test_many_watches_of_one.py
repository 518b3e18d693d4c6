"""One person watches much: what a card costs to make does not grow by look-ups with what they watch."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlmodel import select

from core.clock import HOUR, MINUTE
from core.model.watching import ScopeType, Suspension
from core.store import watches
from core.store.tables import Watch
from tests.support.deliveries import Worker
from tests.support.memories import page, place_of, put, section, watch_request

FEW, MANY = 3, 30


@contextmanager
def statements(memory) -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    asked: list[str] = []

    def hear(_connection, _cursor, statement, *_more) -> None:
        asked.append(statement)

    event.listen(memory._database.engine, "before_cursor_execute", hear)
    yield asked
    event.remove(memory._database.engine, "before_cursor_execute", hear)


def handbook(amount):
    return page("Travel", {"Meals": f"Meals cost {amount} EUR."} | {f"Rule {n}": f"Of {n}." for n in range(MANY)})


@pytest.fixture
def worker(memory, ada):
    put(memory, "travel.md", handbook(40))
    memory.sweep()
    return Worker(memory)


def watch(memory, ada, numbers):
    """Each of these is on the meals, and on a rule of its own."""
    meals = section("travel.md", "Travel", "Meals")
    for number in numbers:
        refs = meals, section("travel.md", "Travel", f"Rule {number}")
        memory.watch(watch_request(ada, ScopeType.ENTITY, *refs, name=f"Rule {number}"), ada)


def change(memory, worker, amount):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", handbook(amount))
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.spread()


def test_a_card_takes_no_more_look_ups_for_many_watches_than_for_few(memory, worker, ada):
    asked = []
    for amount, numbers in ((41, range(FEW)), (42, range(FEW, MANY))):
        watch(memory, ada, numbers)
        change(memory, worker, amount)
        with statements(memory) as taken:
            [card] = worker.take()
        memory.outcomes.sent(card, "ref")
        asked.append(len(taken))
    assert len(worker.notices[-1].reasons) == MANY
    assert asked[1] <= asked[0] + 3


def go_on(memory):
    with memory._database.write("default") as tx:
        [watch] = tx.session.exec(select(Watch))
        watches.resume(tx, watch, Suspension.UNREACHABLE)


def test_nor_does_finding_nobody_to_take_it(memory, worker, ada):
    watch(memory, ada, range(1))
    memory.people.departed("default", place_of(ada.person_id), "blocked")
    asked = []
    for count in (FEW, MANY):
        for amount in range(count):
            go_on(memory)
            change(memory, worker, 100 * count + amount)
        with statements(memory) as taken:
            assert memory.delivery.gather() == 0
        asked.append(len(taken))
    assert asked[1] <= asked[0] + 3
