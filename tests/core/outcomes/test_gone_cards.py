"""Where the platform says that a card is gone, one new card says what it said; where nobody may see that, none does."""

from dataclasses import replace

import pytest

from core.clock import DAY, HOUR, MINUTE
from core.model.card_states import CardState
from core.model.watching import ScopeType
from core.store.tables import CardMessage
from tests.support.deliveries import Worker
from tests.support.memories import change_row, document, page, put, source_id, watch_request
from tests.support.posting import connect, ids, member, message, place, post, rewrite, standing, state, take, updating

ADAS = place("Ada")


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada")


@pytest.fixture
def gone(memory):
    """A card whose update found nothing there, as it was to be shown."""
    shown = standing(memory, ADAS)
    rewrite(memory, shown.message_id, "second")
    card = updating(memory, shown.message_id)
    memory.outcomes.gone(card)
    return card


def due(memory):
    return ids(memory.delivery.due())


def test_it_is_sent_once_more_with_what_it_says_by_now_and_stands_where_that_went(memory, gone):
    assert (due(memory), ids(memory.outcomes.outdated())) == ([gone.message_id], [])
    again = take(memory, gone.message_id)
    assert (again.card["words"], again.message_ref) == ("second", None)
    assert memory.outcomes.sent(again, "new")
    assert (message(memory, gone.message_id).message_ref, due(memory)) == ("new", [])
    rewrite(memory, gone.message_id, "third")
    assert updating(memory, gone.message_id).message_ref == "new"


def test_told_again_that_it_is_gone_nothing_more_is_sent(memory, gone):
    """By a process that looked before: it speaks of the old one."""
    again = take(memory, gone.message_id)
    memory.outcomes.gone(gone)
    assert state(memory, gone.message_id) == CardState.SENDING
    memory.outcomes.sent(again, "new")
    memory.outcomes.gone(gone)
    assert (state(memory, gone.message_id), due(memory)) == (CardState.SENT, [])


def test_what_it_says_in_the_meantime_goes_with_it(memory, gone):
    rewrite(memory, gone.message_id, "third")
    again = take(memory, gone.message_id)
    assert again.card["words"] == "third"
    rewrite(memory, gone.message_id, "fourth")
    assert updating(memory, gone.message_id) is None, "it is not there yet"
    memory.outcomes.sent(again, "new")
    assert updating(memory, gone.message_id).card["words"] == "fourth"


@pytest.mark.parametrize("crash", [True, False])
def test_a_new_card_whose_end_nobody_knows_is_not_sent_again(memory, clock, gone, crash):
    again = take(memory, gone.message_id)
    if not crash:
        memory.outcomes.lost(again, "TimeoutError")
    clock.advance(HOUR)
    memory.outcomes.look_later(memory.outcomes.doubt("default", gone.message_id) or again)
    clock.advance(MINUTE)
    looked = memory.outcomes.doubt("default", gone.message_id)
    memory.outcomes.look_later(looked, for_good=True)
    clock.advance(DAY)
    assert (state(memory, gone.message_id), due(memory)) == (CardState.SKIPPED, [])


def test_a_new_card_that_is_refused_is_tried_again(memory, clock, gone):
    memory.outcomes.not_sent(take(memory, gone.message_id), "rate limited", retry_after=MINUTE)
    clock.advance(MINUTE)
    assert take(memory, gone.message_id).card["words"] == "second"


def test_nobody_is_sent_anew_what_they_may_not_see_any_more(memory, ada):
    put(memory, "pay.md", page("Pay", {"Bonus": "A bonus is 40 EUR."}), readers=[f"person:{ada.person_id}"])
    card = standing(memory, ADAS, source_ids=[source_id("pay.md")])
    rewrite(memory, card.message_id, "second")
    put(memory, "pay.md", page("Pay", {"Bonus": "A bonus is 40 EUR."}), readers=["role:boss"])
    withdrawn = updating(memory, card.message_id)
    assert withdrawn.card == {"words": "withdrawn"}
    memory.outcomes.gone(withdrawn)
    assert (due(memory), ids(memory.outcomes.outdated())) == ([], [])
    assert state(memory, card.message_id) == CardState.SENT


def test_the_redaction_of_a_card_that_is_gone_is_done(memory, ada):
    card = standing(memory, ADAS)
    memory.erase(ada.person_id, "left")
    memory.outcomes.redact("default", card.message_id)
    memory.outcomes.gone(updating(memory, card.message_id))
    assert (state(memory, card.message_id), due(memory)) == (CardState.REDACTED, [])


def test_what_is_erased_before_the_new_card_goes_does_not_go(memory, ada, gone):
    memory.erase(ada.person_id, "left")
    assert take(memory, gone.message_id) is None


def test_a_card_about_changes_is_sent_anew_as_it_was_and_tells_of_nothing_twice(memory, ada):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal costs 40 EUR."}))
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    memory.clock.advance(HOUR)
    put(memory, "travel.md", page("Travel", {"Meals": "A meal costs 55 EUR."}))
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker = Worker(memory)
    [card] = worker.send()
    memory.outcomes.gone(replace(card, message_ref=f"ref-{card.message_id}"))
    again = take(memory, card.message_id)
    assert again.card == card.card
    assert memory.delivery.may_go(again)
    memory.outcomes.sent(again, "r2")
    assert memory.delivery.gather() == 0


def test_a_history_that_can_never_be_read_ends_the_doubt_at_once(memory, clock):
    card = take(memory, post(memory, ADAS))
    memory.outcomes.lost(card, "TimeoutError")
    clock.advance(MINUTE)
    memory.outcomes.look_later(memory.outcomes.doubt("default", card.message_id), for_good=True)
    assert state(memory, card.message_id) == CardState.SKIPPED


def test_another_tenants_card_is_left_alone(memory):
    card = standing(memory, ADAS)
    memory.people.ensure_tenant("other", "Other")
    memory.outcomes.gone(replace(card, tenant_id="other"))
    change_row(memory, CardMessage, ("default", card.message_id), message_ref="r9")
    memory.outcomes.gone(replace(card, message_ref="r1"))
    assert state(memory, card.message_id) == CardState.SENT
