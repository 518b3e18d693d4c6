"""What could not be told to whoever was out of reach is told when they are back: by their next card, or their brief."""

import pytest

from core.clock import HOUR
from core.model.watching import ScopeType, TargetKind, WatchRequest
from core.model.work import Extent, Place
from core.store.tables import NotifyDelivery, WatchFire
from tests.support.briefs import FRIDAY, MONDAY, arrive, change, meals_line, said, travel
from tests.support.deliveries import Worker
from tests.support.memories import CHANGES, made_steward, place_of, put, rows, section

GONE = "account_inactive"


@pytest.fixture
def worker(memory, clock):
    clock.ts = FRIDAY
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def watched(memory, worker, ada, bob):
    """Bob's watches on two sections tell Ada too."""
    for name in ("Meals", "Hotels"):
        target = {"kind": TargetKind.SHARED, "audience": {"persons": [str(ada.person_id)]}}
        refs = (section("travel.md", "Travel", name),)
        memory.watch(
            WatchRequest(name, ScopeType.ENTITY, refs, CHANGES, target, debounce_secs=0), made_steward(memory, bob)
        )


@pytest.fixture
def adas(ada):
    return place_of(ada.person_id)


def blocked(memory, worker, adas):
    """The platform refuses to write to Ada, as it does once she has shut the bot out."""
    change(memory, worker, meals=45)
    [card] = worker.take()
    memory.people.departed("default", adas, GONE)
    memory.outcomes.not_sent(card, GONE, lasting=Extent.PERSON)
    assert worker.take() == []


def gone_before(memory, worker, adas):
    """She was gone before there was anything to say."""
    memory.people.departed("default", adas, "deactivated")
    change(memory, worker, meals=45)
    assert worker.take() == []


def gone_between(memory, worker, adas):
    """She went when her card was made, and not yet sent."""
    change(memory, worker, meals=45)
    assert memory.delivery.gather() == 1
    memory.people.departed("default", adas, "deactivated")
    assert worker.take() == []


WAYS = pytest.mark.parametrize("lose", [blocked, gone_before, gone_between])


def states(memory):
    return [(row.state, row.reason) for row in rows(memory, NotifyDelivery)]


def shown(notice):
    return {(change.before, change.after) for line in notice.lines for change in line.changes}


@WAYS
def test_a_word_of_theirs_brings_what_was_missed_at_once(lose, memory, worker, watched, adas):
    lose(memory, worker, adas)
    assert states(memory) == [("skipped", "unreachable")]
    memory.inbound.receive("default", adas, "e1", "question", {"text": "I am back"})
    assert len(worker.send()) == 1
    assert shown(worker.notices[-1]) == set(meals_line(40, 45))
    assert states(memory) == [("sent", None)]
    assert [fire.status for fire in rows(memory, WatchFire)] == ["delivered"]


@WAYS
def test_when_the_platform_says_they_are_back_the_next_card_carries_what_was_missed(
    lose, memory, worker, watched, adas
):
    lose(memory, worker, adas)
    memory.people.returned("default", adas)
    assert worker.send() == [], "nothing comes by itself"
    change(memory, worker, meals=45, hotels=200)
    assert len(worker.send()) == 1
    assert {before for before, _ in shown(worker.notices[-1])} >= {"Meals cost at most 40 EUR."}
    assert {state for state, _ in states(memory)} == {"sent"}


@WAYS
def test_or_their_brief_does(lose, memory, worker, watched, adas):
    lose(memory, worker, adas)
    memory.people.returned("default", adas)
    [brief] = arrive(memory, worker, MONDAY)
    assert said(brief) == [meals_line(40, 45)]
    assert states(memory) == [("sent", None)]


@WAYS
def test_another_place_is_a_return_too(lose, memory, worker, watched, ada, adas):
    lose(memory, worker, adas)
    there = Place("local", "other", "Ada")
    memory.people.bind("default", ada.person_id, there)
    change(memory, worker, meals=50)
    [card] = worker.send()
    assert card.place == there
    assert shown(worker.notices[-1]) == set(meals_line(40, 50))


def test_what_was_skipped_for_another_reason_stays_so(memory, worker, watched, adas):
    change(memory, worker, meals=45)
    assert len(worker.take()) == 1
    memory.clock.advance(HOUR)
    with memory._database.write("default") as tx:
        for row in rows(memory, NotifyDelivery):
            row.state, row.reason = "skipped", "suppressed"
            tx.session.merge(row)
    memory.people.departed("default", adas, GONE)
    memory.people.returned("default", adas)
    assert states(memory) == [("skipped", "suppressed")]


def test_what_has_been_undone_meanwhile_is_not_told(memory, worker, watched, adas):
    gone_before(memory, worker, adas)
    change(memory, worker, meals=40)
    memory.inbound.receive("default", adas, "e1", "question", {"text": "I am back"})
    assert worker.send() == []
