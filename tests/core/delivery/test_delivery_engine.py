"""From fires to cards: one card for what belongs together, sent once, and only to whom it may be sent now."""

import pytest

from core.clock import DAY, HOUR, MINUTE, SECOND
from core.delivery.engine import DeliveryEngine
from core.ids import nonce
from core.jobs.kinds import Audience, JobKind
from core.model.card_states import CardState
from core.model.local_time import next_moment
from core.model.nodes import SECTION
from core.model.watching import EventKind, ScopeType, TargetKind, WatchRequest
from core.model.work import Extent, Place, Rewritten
from core.notices.engine import NoticesEngine
from core.store import messages
from core.store.tables import CardMessage, ChatIdentity, LastShown, NotifyDelivery, Person, Source, Watch, WatchFire
from tests.support.deliveries import Worker
from tests.support.memories import (
    CHANGES,
    add_person,
    change_row,
    document,
    made_steward,
    open_memory,
    page,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)
from tests.support.threads import at_once

MOVED = (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED)


def travel(meals=40, hotels=150):
    words = {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": f"Hotels cost at most {hotels} EUR."}
    return page("Travel", words)


@pytest.fixture
def worker(memory, ada):
    """Works on a memory with one document, swept once."""
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


@pytest.fixture
def meals(worker, memory, ada):
    """Ada's watch on one section."""
    return memory.watch(
        watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="Meals"), ada
    )


def doubtful(memory):
    """Every card in doubt that may be looked for now."""
    due = memory.outcomes.doubtful()
    found = [memory.outcomes.doubt(one.tenant_id, one.message_id) for one in due]
    return [card for card in found if card is not None]


def change(memory, data, readers=("member",)):
    """A change, swept, and settled."""
    memory.clock.advance(HOUR)
    put(memory, "travel.md", data, readers)
    memory.sweep()
    memory.clock.advance(MINUTE)


def deliveries(memory):
    return sorted(((row.state, row.reason) for row in rows(memory, NotifyDelivery)), key=str)


def fire_states(memory):
    return sorted((row.status, row.reason) for row in rows(memory, WatchFire))


def mute(memory, watch, until=None):
    values = {"enabled": False} if until is None else {"muted_until": until}
    change_row(memory, Watch, ("default", watch.watch_id), **values)


# ── one card ──


def test_a_change_makes_one_card_that_says_what_changed_and_why_one_hears_of_it(memory, worker, meals):
    change(memory, travel(meals=45))
    (card,) = worker.send()
    (notice,) = worker.notices
    (line,) = notice.lines
    assert [(c.before, c.after) for c in line.changes] == [("Meals cost at most 40 EUR.", "Meals cost at most 45 EUR.")]
    assert [reason.name for reason in notice.reasons] == ["Meals"]
    assert (card.place.platform, memory.messages.state("default", card.message_id)) == ("local", CardState.SENT)
    assert (deliveries(memory), fire_states(memory)) == ([("sent", None)], [("delivered", None)])
    assert worker.send() == []


def test_a_person_who_is_still_editing_is_not_reported_half_way(memory, worker, meals):
    put(memory, "travel.md", travel(meals=45), ["member"])
    memory.sweep()
    assert worker.spread() == 0
    memory.clock.advance(30 * SECOND)
    assert worker.spread() == 1


def test_three_watches_on_one_change_share_one_card(memory, worker, meals, ada):
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION, name="sections"), ada)
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="document"), ada)
    change(memory, travel(meals=45))
    assert len(rows(memory, WatchFire)) == 3
    assert len(worker.send()) == 1
    assert {reason.name for reason in worker.notices[0].reasons} == {"Meals", "sections", "document"}
    assert len(rows(memory, CardMessage)) == 1


def test_twenty_answers_that_cite_one_page_share_one_card(memory, worker, ada):
    saved = [memory.generate("What do meals cost at most?", ada) for _ in range(20)]
    ids = {memory.save_answer(answer.trace_id, ada) for answer in saved}
    change(memory, travel(meals=45))
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me", 100):
        memory.check_answer(next(i for i in ids if str(i) == job.payload["answer_id"]))
        memory.jobs.complete(job)
    memory.clock.advance(MINUTE)
    assert len(worker.send()) == 1
    assert {answer.answer_id for answer in worker.notices[0].answers} == ids


def test_two_people_get_a_card_each(memory, worker, ada, bob):
    for person in (ada, bob):
        memory.watch(watch_request(person, ScopeType.LABEL, SECTION), person)
    change(memory, travel(meals=45))
    assert {card.person_id for card in worker.send()} == {ada.person_id, bob.person_id}


def test_a_shared_audience_is_whoever_has_the_role_when_the_job_is_done(memory, worker, ada):
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"], "persons": []}}
    memory.watch(WatchRequest("shared", ScopeType.LABEL, (SECTION,), CHANGES, target), made_steward(memory, ada))
    change(memory, travel(meals=45))
    late = add_person(memory, "Late")
    add_person(memory, "Guest", ["guest"])
    assert {card.person_id for card in worker.send()} == {ada.person_id, late.person_id}


def test_two_workers_that_gather_and_take_at_once_hand_out_one_card(memory, worker, meals):
    change(memory, travel(meals=45))
    worker.spread()
    others = [Worker(memory), Worker(memory)]
    taken = at_once(*[other.take for other in others])
    assert sorted(len(cards) for cards in taken) == [0, 1]
    assert len(rows(memory, CardMessage)) == 1


def test_one_job_spread_twice_makes_one_delivery(memory, worker, meals):
    change(memory, travel(meals=45))
    (job,) = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WATCH], "me")
    memory.clock.advance(MINUTE)
    (again,) = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WATCH], "other")
    for leased in (job, again, again):
        memory.delivery.spread(leased)
    assert len(rows(memory, NotifyDelivery)) == 1


def test_while_a_card_is_in_flight_the_next_change_waits_for_what_it_will_have_shown(memory, worker, meals):
    change(memory, travel(meals=45))
    worker.spread()
    (card,) = worker.take()
    change(memory, travel(meals=50))
    worker.spread()
    assert worker.take() == []
    assert not memory.outcomes.sent(card, "late") or len(worker.take()) == 1


# ── net state ──


def test_the_next_card_speaks_of_what_is_different_since_the_last(memory, worker, meals):
    change(memory, travel(meals=45))
    worker.send()
    change(memory, travel(meals=50))
    worker.send()
    assert [(c.before, c.after) for c in worker.notices[1].lines[0].changes] == [
        ("Meals cost at most 45 EUR.", "Meals cost at most 50 EUR.")
    ]


def test_what_came_back_to_what_was_shown_makes_no_card(memory, worker, meals):
    for amount in (45, 40):
        change(memory, travel(meals=amount))
    assert worker.send() == []
    assert deliveries(memory) == [("skipped", "no_net_change")] * 2
    assert fire_states(memory) == [("skipped", "no_net_change")] * 2


def test_a_fact_that_becomes_true_tomorrow_makes_a_card_tomorrow(memory, worker, meals):
    put(memory, "travel.md", travel(meals=45), ["member"], valid_start=memory.clock.now() + DAY)
    memory.sweep()
    memory.clock.advance(DAY + HOUR)
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.send()
    assert [(c.before, c.after) for c in worker.notices[0].lines[0].changes] == [
        ("Meals cost at most 40 EUR.", "Meals cost at most 45 EUR.")
    ]


def test_a_removed_document_makes_a_card_that_shows_what_is_gone(memory, worker, ada):
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    memory.clock.advance(HOUR)
    memory.remove("travel.md")
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.send()
    (line,) = worker.notices[0].lines
    assert "Meals cost at most 40 EUR." in [c.before for c in line.changes]
    assert {c.after for c in line.changes} == {""}


class Interrupted:
    """A library during whose first reading of words something is written."""

    def __init__(self, library, meddle):
        self._library, self._meddle = library, [meddle]

    def __getattr__(self, name):
        return getattr(self._library, name)

    def pieces(self, *asked, **how):
        found = self._library.pieces(*asked, **how)
        while self._meddle:
            self._meddle.pop()()
        return found


def test_what_is_written_while_a_card_is_composed_is_the_next_cards(postgres_url, clock):
    memory = open_memory(postgres_url, clock)
    memory.people.ensure_tenant("default", "Default")
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    change(memory, travel(meals=45))
    worker = Worker(memory)
    worker.spread()
    memory.delivery.gather()
    library = Interrupted(memory._engines.library, lambda: put(memory, "travel.md", travel(meals=50), ["member"]))
    defaults = memory.people.preferences("default", ada.person_id)
    delivery = DeliveryEngine(
        memory._database,
        NoticesEngine(library, memory.questions),
        memory.briefs,
        memory.questions,
        memory.delivery._rests,
        defaults,
        lease_secs=60,
    )
    (due,) = delivery.due()
    memory.outcomes.sent(delivery.take(due.tenant_id, due.message_id, worker.present), "ref")
    memory.sweep()
    memory.clock.advance(HOUR)
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.send()
    told = [[(c.before, c.after) for c in notice.lines[0].changes] for notice in worker.notices]
    assert [found[0][1] for found in told] == ["Meals cost at most 45 EUR.", "Meals cost at most 50 EUR."]
    memory.close()


# ── mutes ──


def test_a_mute_for_a_time_holds_its_cards_and_ends_in_one(memory, worker, meals):
    mute(memory, meals, memory.clock.now() + DAY)
    for amount in (45, 50):
        change(memory, travel(meals=amount))
        assert worker.send() == []
    memory.clock.advance(DAY)
    assert len(worker.send()) == 1
    assert [(c.before, c.after) for c in worker.notices[0].lines[0].changes] == [
        ("Meals cost at most 40 EUR.", "Meals cost at most 50 EUR.")
    ]


def test_quiet_hours_hold_cards_until_the_persons_own_morning_and_end_in_one(memory, worker, meals, ada):
    memory.prefer(ada, "quiet_from", "20")
    memory.prefer(ada, "quiet_until", "8")
    evening = next_moment(memory.clock.now(), "UTC", 21 * 60)
    memory.clock.ts = evening
    for amount in (45, 50):
        change(memory, travel(meals=amount))
        assert worker.send() == []
    memory.clock.ts = next_moment(evening, "UTC", 8 * 60)
    assert len(worker.send()) == 1
    assert [(c.before, c.after) for c in worker.notices[0].lines[0].changes] == [
        ("Meals cost at most 40 EUR.", "Meals cost at most 50 EUR.")
    ]


@pytest.mark.parametrize("early", [True, False], ids=["unmuted", "quiet no more"])
def test_what_was_held_comes_as_soon_as_nothing_holds_it(memory, worker, meals, ada, early):
    if early:
        memory.mute_all(ada, memory.clock.now() + 7 * DAY)
    else:
        memory.prefer(ada, "quiet_from", "0")
        memory.prefer(ada, "quiet_until", "23")
        memory.clock.ts = next_moment(memory.clock.now(), "UTC", 12 * 60)
    change(memory, travel(meals=45))
    assert worker.send() == []
    if early:
        memory.mute_all(ada, 0)
    else:
        memory.prefer(ada, "quiet_from", "off")
    assert len(worker.send()) == 1


def test_a_watch_that_is_muted_stays_so_when_its_person_is_muted_no_more(memory, worker, meals, ada):
    mute(memory, meals, memory.clock.now() + DAY)
    change(memory, travel(meals=45))
    assert worker.send() == []
    memory.mute_all(ada, 0)
    assert worker.send() == []
    memory.clock.advance(DAY)
    assert len(worker.send()) == 1


def test_quiet_hours_never_hold_an_answer(memory, worker, ada):
    memory.prefer(ada, "quiet_from", "0")
    memory.prefer(ada, "quiet_until", "23")
    memory.clock.ts = next_moment(memory.clock.now(), "UTC", 12 * 60)
    post(memory, ada)
    assert len(worker.take()) == 1


def test_a_mute_set_after_the_card_was_gathered_holds_it_all_the_same(memory, worker, meals, ada):
    change(memory, travel(meals=45))
    worker.spread()
    memory.delivery.gather()
    change_row(memory, Person, ("default", ada.person_id), muted_until=memory.clock.now() + HOUR)
    assert worker.take() == []
    memory.clock.advance(HOUR)
    assert len(worker.take()) == 1


def test_a_stopped_watch_tells_nothing_more(memory, worker, meals):
    change(memory, travel(meals=45))
    mute(memory, meals)
    assert worker.send() == []
    assert deliveries(memory) == [("skipped", "suppressed")]


@pytest.fixture
def hotels(worker, memory, ada):
    """Ada's watch on another section."""
    ref = section("travel.md", "Travel", "Hotels")
    return memory.watch(watch_request(ada, ScopeType.ENTITY, ref, name="Hotels"), ada)


def told(worker):
    return [[(reason.name) for reason in notice.reasons] for notice in worker.notices]


def test_a_watch_muted_while_its_card_waits_holds_no_other_watch_back(memory, worker, meals, hotels):
    change(memory, travel(meals=45))
    worker.spread()
    memory.delivery.gather()
    mute(memory, meals, memory.clock.now() + DAY)
    assert worker.take() == []
    change(memory, travel(meals=45, hotels=160))
    assert len(worker.send()) == 1
    memory.clock.advance(DAY)
    assert len(worker.send()) == 1
    assert told(worker) == [["Hotels"], ["Meals"]]


def test_of_a_card_for_two_watches_what_is_muted_or_stopped_meanwhile_is_left_out(memory, worker, meals, hotels):
    for act, later in ((lambda: mute(memory, meals, memory.clock.now() + DAY), 1), (lambda: mute(memory, meals), 0)):
        change(memory, travel(meals=memory.clock.now() % 97, hotels=memory.clock.now() % 89))
        worker.spread()
        memory.delivery.gather()
        act()
        assert len(worker.send()) == 1
        assert told(worker)[-1] == ["Hotels"]
        memory.clock.advance(2 * DAY)
        assert len(worker.send()) == later
    assert ("skipped", "suppressed") in deliveries(memory)


# ── whom it may be sent to, now ──


def test_rights_lost_between_the_fire_and_the_card_skip_it(memory, worker, meals):
    change(memory, travel(meals=45))
    worker.spread()
    memory.delivery.gather()
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["legal"])
    assert worker.take() == []
    assert deliveries(memory) == [("skipped", "not_authorised")]
    assert worker.notices == []


def test_rights_lost_while_an_answer_waits_to_be_sent_again_skip_it(memory, worker, ada):
    message_id = memory.messages.post(
        "default",
        ada.person_id,
        place_of(ada.person_id),
        "event-1",
        "answer",
        lambda given: {"n": given},
        source_ids=[source_id("travel.md")],
    )
    memory.outcomes.not_sent(*worker.take(), "down")
    memory.clock.advance(HOUR)
    change_row(memory, Source, ("default", source_id("travel.md")), readers=["legal"])
    assert worker.take() == []
    assert memory.messages.state("default", message_id) == CardState.SKIPPED


def test_a_fire_that_is_for_nobody_says_so(memory, worker, ada):
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["nobody has it"]}}
    memory.watch(WatchRequest("shared", ScopeType.LABEL, (SECTION,), CHANGES, target), made_steward(memory, ada))
    change(memory, travel(meals=45))
    assert worker.send() == []
    assert fire_states(memory) == [("skipped", "nobody")]


def test_a_person_who_has_left_gets_nothing_and_the_row_says_why(memory, worker, meals, ada):
    change(memory, travel(meals=45))
    change_row(memory, Person, ("default", ada.person_id), active=False)
    assert worker.send() == []
    assert deliveries(memory) == [("skipped", "unreachable")]


def test_a_person_who_leaves_while_the_card_waits_gets_nothing(memory, worker, meals, ada):
    change(memory, travel(meals=45))
    worker.spread()
    memory.delivery.gather()
    change_row(memory, Person, ("default", ada.person_id), active=False)
    assert worker.take() == []
    assert deliveries(memory) == [("skipped", "not_authorised")]


@pytest.mark.parametrize("state", ["unreachable", "opted_out"])
def test_a_person_who_cannot_be_reached_is_skipped_with_the_reason(memory, worker, meals, ada, state):
    change_row(memory, ChatIdentity, ("default", "local", "local", str(ada.person_id)), state=state)
    change(memory, travel(meals=45))
    assert worker.send() == []
    assert deliveries(memory) == [("skipped", "unreachable")]


# ── what became of a card ──


@pytest.fixture
def card(memory, worker, meals):
    """A card in hand."""
    change(memory, travel(meals=45))
    worker.spread()
    return worker.take()[0]


def state_of(memory, card):
    return memory.messages.state("default", card.message_id)


def test_a_card_in_hand_is_handed_out_to_nobody_else(memory, worker, card):
    assert worker.take() == []
    assert state_of(memory, card) == CardState.SENDING


def test_a_definite_refusal_is_tried_again_when_the_platform_says(memory, worker, card):
    memory.outcomes.not_sent(card, "rate limited", retry_after=2 * HOUR)
    memory.clock.advance(2 * HOUR - 1)
    assert worker.take() == []
    memory.clock.advance(1)
    (again,) = worker.take()
    assert (again.message_id, again.fence) == (card.message_id, card.fence + 1)


def test_a_permanent_refusal_is_parked(memory, worker, card):
    memory.outcomes.not_sent(card, "blocked", lasting=Extent.CARD)
    memory.clock.advance(DAY)
    assert (worker.take(), state_of(memory, card)) == ([], CardState.PARKED)


def test_an_earlier_attempt_can_record_nothing_on_a_later_one(memory, worker, card):
    memory.outcomes.not_sent(card, "no")
    memory.clock.advance(HOUR)
    worker.take()
    assert not memory.outcomes.sent(card, "mine")
    memory.outcomes.lost(card, "late")
    memory.outcomes.not_sent(card, "late")
    assert state_of(memory, card) == CardState.SENDING


def test_a_worker_past_its_lease_cannot_record_a_failure_once_its_card_is_in_doubt(memory, worker, card):
    memory.clock.advance(HOUR)
    assert doubtful(memory) == []
    memory.outcomes.not_sent(card, "late")
    memory.outcomes.lost(card, "late")
    assert (state_of(memory, card), worker.take()) == (CardState.UNKNOWN, [])


def test_what_the_platform_accepted_counts_however_late_it_says_so(memory, worker, card):
    memory.clock.advance(HOUR)
    doubtful(memory)
    assert memory.outcomes.sent(card, "late")
    assert (state_of(memory, card), deliveries(memory)) == (CardState.SENT, [("sent", None)])


def test_a_card_in_doubt_is_looked_for_a_minute_later_and_found(memory, worker, card):
    memory.outcomes.lost(card, "time-out")
    assert doubtful(memory) == []
    memory.clock.advance(MINUTE)
    (found,) = doubtful(memory)
    memory.outcomes.found(found, "there")
    assert (state_of(memory, card), worker.take()) == (CardState.SENT, [])
    assert deliveries(memory) == [("sent", None)]
    assert len(rows(memory, LastShown)) == 1


def test_a_card_in_doubt_is_sent_again_only_when_it_is_missing(memory, worker, card):
    memory.outcomes.lost(card, "time-out")
    memory.clock.advance(MINUTE)
    (found,) = doubtful(memory)
    assert worker.take() == []
    memory.outcomes.found(found, None)
    (again,) = worker.take()
    assert (again.message_id, again.delivery_key) == (card.message_id, card.delivery_key)
    assert memory.outcomes.sent(again, "ref")


def test_a_history_that_cannot_be_read_is_looked_at_again_later(memory, worker, card):
    memory.outcomes.lost(card, "time-out")
    memory.clock.advance(MINUTE)
    memory.outcomes.look_later(doubtful(memory)[0])
    assert (doubtful(memory), worker.take()) == ([], [])
    memory.clock.advance(MINUTE)
    assert len(doubtful(memory)) == 1


def in_doubt_for_an_hour(memory, worker, card):
    memory.outcomes.lost(card, "time-out")
    memory.clock.advance(HOUR + MINUTE)
    memory.outcomes.look_later(doubtful(memory)[0])


def parked(memory, worker, card):
    memory.outcomes.not_sent(card, "blocked", lasting=Extent.CARD)


@pytest.mark.parametrize("given_up", [in_doubt_for_an_hour, parked])
def test_what_a_card_given_up_was_to_tell_is_told_by_the_next_and_sent_by_itself_never(memory, worker, card, given_up):
    given_up(memory, worker, card)
    assert [state for state, _ in deliveries(memory)] == ["carried"]
    memory.clock.advance(DAY)
    assert (worker.take(), doubtful(memory)) == ([], [])
    change(memory, travel(meals=50))
    assert len(worker.send()) == 1
    assert [(c.before, c.after) for c in worker.notices[-1].lines[0].changes] == [
        ("Meals cost at most 40 EUR.", "Meals cost at most 50 EUR.")
    ]
    assert [state for state, _ in deliveries(memory)] == ["sent", "sent"]


def test_people_who_must_wait_keep_nobody_out(memory, worker, card, bob):
    memory.watch(watch_request(bob, ScopeType.LABEL, SECTION), bob)
    change(memory, travel(meals=50))
    worker.spread()
    with memory._database.read("") as tx:
        assert messages.people_waiting(tx, memory.clock.now(), 10) == [("default", bob.person_id)]


# ── cards that answer directly ──


def post(memory, person, subject="event-1"):
    return memory.messages.post(
        "default", person.person_id, place_of(person.person_id), subject, "answer", lambda given: {"nonce": given}
    )


def test_one_event_is_answered_once(memory, ada):
    assert post(memory, ada) == post(memory, ada)
    assert len(rows(memory, CardMessage)) == 1


def test_two_workers_that_answer_one_event_at_once_answer_once(memory, ada):
    posted = at_once(*[lambda: post(memory, ada)] * 2)
    assert posted[0] == posted[1]


def test_a_reply_goes_only_to_the_place_of_the_person_who_asked(memory, worker, ada, bob):
    """A place that is nobody's, or another's by now, gets nothing."""
    for subject, place in (("e1", Place("local", "local", "nobody")), ("e2", place_of(bob.person_id))):
        message_id = memory.messages.post("default", ada.person_id, place, subject, "answer", lambda n: {"nonce": n})
        assert worker.take() == []
        assert memory.messages.state("default", message_id) == CardState.SKIPPED


def test_a_tap_finds_its_card_by_the_nonce_and_by_no_other(memory, ada):
    message_id = post(memory, ada)
    (card,) = rows(memory, CardMessage)
    assert memory.messages.tapped(card.nonce).message_id == message_id
    assert memory.messages.tapped(nonce()) is None


def test_a_renewed_card_is_found_by_its_new_nonce_alone(memory, worker, card):
    assert memory.messages.rewrite("default", card.message_id, lambda body, given: Rewritten(body)) is None
    memory.outcomes.sent(card, "ref")
    renewed = memory.messages.rewrite("default", card.message_id, lambda _, given: Rewritten({"n": given}), renew=True)
    assert renewed.card == {"n": renewed.nonce}
    assert (memory.messages.tapped(card.nonce), memory.messages.tapped(renewed.nonce).message_id) == (
        None,
        card.message_id,
    )
