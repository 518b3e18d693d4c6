"""Cards put down once per subject and rewritten in place, and what a chat user whom nobody knows may be sent."""

import pytest

from core.clock import DAY, HOUR
from core.errors import NotFound
from core.model.card_states import CardState
from core.model.grants import PermittedAction, grant_from_json
from core.model.work import GREETING, HOME, NOTHING_OFFERED, PLACEHOLDER, Offer, Rewritten, stranger
from core.outcomes.engine import LOOK_AFTER
from core.store.tables import CardGrant, CardMessage
from tests.support.memories import change_row, page, put, rows, source_id
from tests.support.posting import (
    connect,
    ids,
    member,
    message,
    place,
    post,
    rewrite,
    saying,
    standing,
    state,
    take,
    updating,
)
from tests.support.threads import at_once

ADAS = place("Ada")
STOP = Offer((PermittedAction("watch_mute", "w-1", ("stop",)),), "g-1")


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A", "B")
    return member(memory, "Ada")


def words(memory, message_id):
    return message(memory, message_id).card["words"]


# ── once per subject ──


def test_two_threads_that_put_one_subject_put_one_card_and_one_of_their_words(memory):
    posted = at_once(*[lambda n=n: post(memory, ADAS, words=f"words {n}") for n in range(4)])
    [row] = rows(memory, CardMessage)
    assert set(posted) == {row.message_id}
    assert row.card["words"] in {f"words {n}" for n in range(4)}


def test_the_same_subject_of_another_person_is_another_card(memory):
    member(memory, "Bob")
    assert post(memory, ADAS) != post(memory, place("Bob"))


def test_a_card_permits_what_was_offered_and_nothing_else(memory, ada):
    message_id = post(memory, ADAS, offer=STOP)
    [grant] = rows(memory, CardGrant)
    assert (grant.fingerprint, grant_from_json(grant.body).actions) == (
        message(memory, message_id).fingerprint,
        STOP.actions,
    )
    tapped = memory.messages.tapped(message(memory, message_id).nonce)
    assert (tapped.person_id, tapped.generation_id) == (ada.person_id, "g-1")


# ── a placeholder and its answer ──


def waits(memory, clock, card):
    """Not sent yet."""
    return card


def refused(memory, clock, card):
    memory.outcomes.not_sent(take(memory, card), "down")
    clock.advance(HOUR)
    return card


def in_flight(memory, clock, card):
    return take(memory, card)


def sent(memory, clock, card):
    outgoing = take(memory, card)
    memory.outcomes.sent(outgoing, "ref")
    return outgoing


def in_doubt(memory, clock, card):
    memory.outcomes.lost(take(memory, card), "time-out")
    clock.advance(LOOK_AFTER)
    return memory.outcomes.doubt("default", card)


@pytest.fixture
def placeholder(memory):
    return post(memory, ADAS, words="Looking…", kind=PLACEHOLDER)


@pytest.mark.parametrize("before", [waits, refused])
def test_a_placeholder_that_is_not_out_gives_way_so_that_the_answer_itself_is_sent(memory, clock, placeholder, before):
    before(memory, clock, placeholder)
    assert post(memory, ADAS, words="the answer") == placeholder
    card = take(memory, placeholder)
    assert (card.card["words"], card.kind) == ("the answer", "answer")


def test_a_placeholder_in_flight_gives_way_and_the_answer_is_shown_once_it_has_arrived(memory, clock, placeholder):
    card = in_flight(memory, clock, placeholder)
    post(memory, ADAS, words="the answer")
    assert updating(memory, placeholder) is None
    memory.outcomes.sent(card, "ref")
    assert ids(memory.outcomes.outdated()) == [placeholder]
    assert updating(memory, placeholder).card["words"] == "the answer"


def test_a_placeholder_that_stands_becomes_the_answer_in_place(memory, clock, placeholder):
    sent(memory, clock, placeholder)
    post(memory, ADAS, words="the answer")
    shown = updating(memory, placeholder)
    assert (shown.card["words"], shown.message_ref) == ("the answer", "ref")
    assert (memory.delivery.due(), take(memory, placeholder)) == ([], None)


@pytest.mark.parametrize("there", [True, False])
def test_a_placeholder_in_doubt_gives_way_whether_it_is_there_or_not(memory, clock, placeholder, there):
    card = in_doubt(memory, clock, placeholder)
    post(memory, ADAS, words="the answer")
    memory.outcomes.found(card, "ref" if there else None)
    out = updating(memory, placeholder) if there else take(memory, placeholder)
    assert out.card["words"] == "the answer"


def test_the_answer_brings_its_own_buttons_and_sources(memory, clock, placeholder):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal costs 40 EUR."}))
    sent(memory, clock, placeholder)
    post(memory, ADAS, words="the answer", offer=STOP, source_ids=[source_id("travel.md")])
    row = message(memory, placeholder)
    assert row.source_ids == [str(source_id("travel.md"))]
    assert memory.messages.tapped(row.nonce).generation_id == "g-1"


@pytest.mark.parametrize("before", [waits, refused, in_flight, sent, in_doubt])
@pytest.mark.parametrize("kind", ["answer", "notice", PLACEHOLDER])
def test_an_answer_never_gives_way(memory, clock, before, kind):
    card = post(memory, ADAS, words="the answer", offer=STOP)
    before(memory, clock, card)
    row = message(memory, card)
    assert post(memory, ADAS, words="another", kind=kind) == card
    assert message(memory, card) == row


@pytest.mark.parametrize("before", [waits, in_flight, sent])
def test_a_placeholder_gives_way_to_no_placeholder(memory, clock, placeholder, before):
    before(memory, clock, placeholder)
    post(memory, ADAS, words="Still looking…", kind=PLACEHOLDER)
    assert words(memory, placeholder) == "Looking…"
    assert memory.outcomes.outdated() == []


def test_the_first_of_two_answers_that_come_at_once_stays(memory, clock, placeholder):
    sent(memory, clock, placeholder)
    at_once(*[lambda n=n: post(memory, ADAS, words=f"answer {n}") for n in range(3)])
    first = words(memory, placeholder)
    post(memory, ADAS, words="late")
    assert first.startswith("answer")
    assert updating(memory, placeholder).card["words"] == first


# ── the bot's own page ──


def show(memory, person, where=ADAS, said="page", offer=NOTHING_OFFERED):
    return memory.messages.show("default", person.person_id, where, HOME, saying(said), offer)


def test_a_page_put_again_is_the_same_message_with_other_buttons(memory, ada):
    first = show(memory, ada, offer=STOP)
    memory.outcomes.sent(take(memory, first), "page")
    old = message(memory, first).nonce
    assert show(memory, ada, said="second", offer=STOP) == first
    shown = updating(memory, first)
    assert (shown.card, shown.message_ref) == ({"words": "second", "nonce": shown.nonce}, "page")
    assert memory.messages.tapped(old) is None
    assert memory.messages.tapped(shown.nonce).message_id == first


def test_a_page_put_again_before_it_was_sent_is_sent_as_it_is_now(memory, ada):
    first = show(memory, ada)
    show(memory, ada, said="second")
    card = take(memory, first)
    assert card.card == {"words": "second", "nonce": message(memory, first).nonce}


def test_a_page_put_again_while_it_is_on_its_way_is_shown_as_it_is_now(memory, ada):
    first = show(memory, ada)
    card = take(memory, first)
    show(memory, ada, said="second")
    memory.outcomes.sent(card, "page")
    assert updating(memory, first).card["words"] == "second"


def test_a_page_permits_what_it_offers_now(memory, ada):
    first = show(memory, ada, offer=STOP)
    show(memory, ada)
    fingerprint = message(memory, first).fingerprint
    [grant] = [row for row in rows(memory, CardGrant) if row.fingerprint == fingerprint]
    assert grant_from_json(grant.body).actions == ()


@pytest.mark.parametrize("ended", [CardState.SKIPPED, CardState.PARKED, CardState.REDACTED])
def test_after_a_page_that_ended_comes_a_new_one_each_time(memory, ada, ended):
    pages = []
    for _ in range(3):
        pages.append(show(memory, ada))
        assert state(memory, pages[-1]) == CardState.PENDING
        change_row(memory, CardMessage, ("default", pages[-1]), state=ended)
    assert len(set(pages)) == 3
    last = show(memory, ada)
    assert show(memory, ada, said="again") == last, "and it stays"
    card = take(memory, last)
    assert (card.card["words"], card.kind) == ("again", HOME), "and is a page, not a message"


def test_a_page_opened_in_another_workspace_goes_there(memory, ada):
    memory.people.bind("default", ada.person_id, place("Ada", "B"))
    first = show(memory, ada)
    show(memory, ada, place("Ada", "B"))
    assert take(memory, first).place == place("Ada", "B")


def test_two_threads_that_show_a_page_at_once_show_one(memory, ada):
    shown = at_once(*[lambda n=n: show(memory, ada, said=f"page {n}") for n in range(4)])
    [row] = rows(memory, CardMessage)
    assert set(shown) == {row.message_id}
    assert row.card["nonce"] == row.nonce, "the buttons on it are those that work"


# ── whom nobody knows ──

EVES = place("Eve", thread="t1")


def greet(memory, where=EVES, day="2026-09-21"):
    return memory.messages.greet("default", where, day, {"words": f"hello {where.user_id}"})


def test_a_stranger_is_greeted_once_a_day_in_their_own_place(memory):
    greeting = greet(memory)
    assert greet(memory) == greeting == greet(memory, place("Eve", thread="another thread"))
    card = take(memory, greeting)
    assert (card.place, card.kind, card.person_id) == (EVES, GREETING, stranger(EVES))
    memory.outcomes.sent(card, "ref")
    assert greet(memory) == greeting
    assert (memory.delivery.due(), memory.outcomes.outdated()) == ([], [])
    assert greet(memory, day="2026-09-22") != greeting


def test_two_threads_that_greet_at_once_greet_once(memory):
    assert len(set(at_once(*[lambda: greet(memory)] * 4))) == 1
    assert len(rows(memory, CardMessage)) == 1


def test_each_chat_user_and_each_workspace_has_a_greeting_of_its_own(memory):
    places = [place("Eve"), place("Mallory"), place("Eve", "B")]
    assert len({greet(memory, where) for where in places}) == 3
    assert {take(memory, one.message_id).place for one in memory.delivery.due()} == set(places)


def test_a_greeting_that_waits_is_dropped_once_they_are_known(memory, ada):
    greeting = greet(memory)
    memory.people.bind("default", ada.person_id, EVES)
    assert take(memory, greeting) is None
    row = message(memory, greeting)
    assert (row.state, row.reason) == (CardState.SKIPPED, "bound")


def test_a_strangers_page_that_waits_never_comes_over_that_of_whom_they_turned_out_to_be(memory, ada):
    eve = stranger(EVES)
    page_id = memory.messages.show("default", eve, EVES, HOME, saying("who are you"), NOTHING_OFFERED)
    memory.outcomes.sent(take(memory, page_id), "page")
    memory.messages.show("default", eve, EVES, HOME, saying("who are you, still"), NOTHING_OFFERED)
    memory.people.bind("default", ada.person_id, EVES)
    assert updating(memory, page_id) is None
    assert memory.outcomes.outdated() == []


def test_a_stranger_gets_nothing_that_was_made_for_a_person(memory, ada):
    message_id = memory.messages.post("default", ada.person_id, EVES, "event", "answer", saying("secret"))
    assert (take(memory, message_id), state(memory, message_id)) == (None, CardState.SKIPPED)


# ── whose place it is by now ──


def test_a_reply_is_dropped_when_its_place_is_anothers_by_now(memory):
    bob = member(memory, "Bob")
    reply = post(memory, ADAS)
    memory.people.bind("default", bob.person_id, ADAS)
    assert (take(memory, reply), message(memory, reply).reason) == (None, "not_authorised")


def test_a_reply_refused_for_now_is_dropped_when_its_place_is_nobodys_by_then(memory, clock):
    reply = post(memory, ADAS)
    memory.outcomes.not_sent(take(memory, reply), "down")
    memory.people.unbind("default", ADAS)
    clock.advance(HOUR)
    assert (take(memory, reply), state(memory, reply)) == (None, CardState.SKIPPED)


# ── rewriting ──


def test_a_card_that_is_rewritten_keeps_its_nonce_and_what_it_permits_unless_told_otherwise(memory):
    card = standing(memory, ADAS, offer=STOP)
    before = message(memory, card.message_id)
    rewrite(memory, card.message_id, "second")
    after = message(memory, card.message_id)
    assert (after.nonce, after.fingerprint, after.revision) == (before.nonce, before.fingerprint, before.revision + 1)


def test_a_card_may_be_rewritten_to_permit_something_else(memory):
    card = standing(memory, ADAS)
    memory.messages.rewrite("default", card.message_id, lambda body, nonce: Rewritten(body, STOP))
    assert memory.messages.tapped(card.nonce).generation_id == "g-1"


def test_a_rewritten_card_is_from_what_it_was_from_unless_told_otherwise(memory):
    old, new = (put_source(memory, name) for name in ("old.md", "new.md"))
    card = standing(memory, ADAS, source_ids=[old]).message_id
    rewrite(memory, card, "second")
    assert message(memory, card).source_ids == [str(old)]
    for source_ids in ([new], []):
        memory.messages.rewrite("default", card, lambda body, _, now=source_ids: Rewritten(body, source_ids=now))
        assert message(memory, card).source_ids == list(map(str, source_ids))


def put_source(memory, name):
    put(memory, name, page("Page", {"Words": "It says something."}))
    return source_id(name)


def test_two_rewrites_at_once_are_both_in_the_card(memory):
    card = standing(memory, ADAS)

    def add(name):
        memory.messages.rewrite("default", card.message_id, lambda body, _: Rewritten({**body, name: True}))

    at_once(*[lambda name=name: add(name) for name in "abc"])
    assert {"a", "b", "c"} <= set(message(memory, card.message_id).card)


def test_an_erased_card_is_no_longer_active_and_is_not_rewritten(memory):
    card = standing(memory, ADAS)
    change_row(memory, CardMessage, ("default", card.message_id), card={})
    assert memory.messages.tapped(card.nonce) is None
    assert rewrite(memory, card.message_id, "second") is None


def test_what_was_made_before_a_document_was_taken_away_is_not_put_on_a_card(memory):
    card = standing(memory, ADAS)
    put(memory, "secret.md", page("Secret", {"Pay": "Ada earns 100."}))
    since = memory.messages.moment("default")
    memory.erase(source_id("secret.md"), "asked by mail")
    with pytest.raises(NotFound):
        memory.messages.rewrite("default", card.message_id, lambda *_: Rewritten({"words": "Pay"}), since=since)
    assert words(memory, card.message_id) != "Pay"


def test_a_card_is_unknown_to_another_tenant(memory):
    card = standing(memory, ADAS)
    memory.people.ensure_tenant("other", "Other")
    assert memory.messages.state("other", card.message_id) is None
    assert memory.messages.rewrite("other", card.message_id, lambda body, _: Rewritten(body)) is None


def test_a_day_later_the_reply_to_an_event_is_still_its_only_one(memory, clock):
    card = standing(memory, ADAS)
    clock.advance(DAY)
    assert post(memory, ADAS, words="again") == card.message_id
    assert memory.outcomes.outdated() == []
