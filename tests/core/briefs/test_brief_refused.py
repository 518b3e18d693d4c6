"""A brief that one place of a person refuses for good goes to their other; and never to two."""

import pytest

from core.clock import MINUTE
from core.model.card_states import CardState
from core.model.work import Extent, Place
from core.outcomes.engine import LOOK_AFTER
from tests.support.briefs import MONDAY, WEEK, arrive, brief_cards, in_hand, meals_line, revise, said, week
from tests.support.memories import place_of

GONE = "account_inactive"


@pytest.fixture
def other(memory, ada):
    """A second place of Ada's, seen last."""
    place = Place("local", "other", "Ada")
    memory.clock.advance(1)
    memory.people.bind("default", ada.person_id, place)
    return place


def refuse(memory, card):
    """As a courier does whose platform says that nobody is there any more."""
    memory.people.departed(card.tenant_id, card.place, GONE)
    memory.outcomes.not_sent(card, GONE, lasting=Extent.PERSON)


def places(memory):
    return [(card.subject, card.place["workspace"], card.state) for card in brief_cards(memory)]


def test_a_brief_refused_at_one_place_comes_at_the_other_in_the_same_week(memory, worker, meals, ada, other):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    assert card.place == other
    refuse(memory, card)
    [brief] = week(worker)
    assert said(brief) == [meals_line(40, 45)]
    assert sorted(places(memory)) == [
        ("brief:2026-W50", "other", CardState.SKIPPED),
        ("brief:2026-W50:2", "local", CardState.SENT),
    ]


def test_it_comes_there_also_when_it_is_looked_at_before_the_refusal_is_written_down(memory, worker, meals, other):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    memory.people.departed(card.tenant_id, card.place, GONE)
    assert week(worker) == [], "the card is on its way still"
    memory.outcomes.not_sent(card, GONE, lasting=Extent.PERSON)
    memory.clock.advance(MINUTE)
    assert len(week(worker)) == 1


def test_a_brief_that_arrived_in_spite_of_all_comes_no_second_time(memory, worker, meals, other):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    memory.people.departed(card.tenant_id, card.place, "deactivated")
    worker.brief()
    assert memory.outcomes.sent(card, "ref")
    memory.clock.advance(MINUTE)
    assert week(worker) == []
    assert places(memory) == [("brief:2026-W50", "other", CardState.SENT)]
    assert memory.briefs.schedule("default") == 0, "and nobody looks for ever"


def test_a_brief_in_doubt_is_waited_for(memory, worker, meals, other):
    revise(memory, worker, meals=45)
    card = in_hand(memory, worker)
    memory.outcomes.lost(card, "timeout")
    memory.people.departed(card.tenant_id, card.place, "deactivated")
    assert week(worker) == []
    memory.clock.advance(LOOK_AFTER)
    found = memory.outcomes.doubt(card.tenant_id, card.message_id)
    memory.outcomes.found(found, "ref")
    memory.clock.advance(MINUTE)
    assert week(worker) == []
    assert len(brief_cards(memory)) == 1


def test_where_there_is_no_other_place_the_week_is_told_in_the_next_brief(memory, worker, meals, ada):
    revise(memory, worker, meals=45)
    refuse(memory, in_hand(memory, worker))
    assert week(worker) == []
    memory.people.returned("default", place_of(ada.person_id))
    [brief] = arrive(memory, worker, MONDAY + WEEK)
    assert said(brief) == [meals_line(40, 45)]


def test_a_brief_refused_at_each_place_in_turn_is_tried_once_at_each(memory, worker, meals, other):
    revise(memory, worker, meals=45)
    refuse(memory, in_hand(memory, worker))
    worker.brief()
    [second] = worker.take()
    refuse(memory, second)
    assert week(worker) == []
    assert [state for _, _, state in places(memory)] == [CardState.SKIPPED] * 2


def test_a_place_lost_when_nothing_was_refused_makes_no_brief(memory, worker, meals, other):
    revise(memory, worker, meals=45)
    assert len(arrive(memory, worker, MONDAY)) == 1
    memory.people.departed("default", other, "deactivated")
    assert week(worker) == []
