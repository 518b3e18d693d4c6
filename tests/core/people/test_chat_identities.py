"""Who a chat user is, where a person is written to, and what their watches do while they cannot be reached."""

from itertools import count

import pytest

from core.clock import DAY, HOUR, MINUTE
from core.errors import NotFound
from core.ids import nonce
from core.model.card_states import CardState
from core.model.notices import ChangeNotice
from core.model.watching import ScopeType
from core.model.work import Extent, Place, stranger
from core.store.tables import Audit, ChatIdentity, NotifyDelivery, Person, Watch
from tests.support.deliveries import Worker
from tests.support.memories import change_row, document, page, put, rows, watch_request
from tests.support.posting import PLATFORM, connect, member, message, place, take
from tests.support.threads import at_once

HERE, THERE = place("Ada", "A"), place("Ada", "B")


def travel(meals=40):
    return page("Travel", {"Meals": f"A meal costs {meals} EUR."})


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A", "B")
    put(memory, "travel.md", travel())
    memory.sweep()
    return member(memory, "Ada")


@pytest.fixture
def watch(memory, ada):
    return memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)


@pytest.fixture
def worker(memory, watch):
    return Worker(memory)


def change(memory, meals):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals))
    memory.sweep()
    memory.clock.advance(MINUTE)


def watching(memory):
    """Of each watch: whether it stands, and why it is quiet."""
    return {row.name: (row.enabled, row.suspended) for row in rows(memory, Watch)}


def states(memory):
    return {view.place.workspace: (view.state, view.reason) for view in memory.people.places("default")}


def departed(memory, where=HERE, reason="account_inactive"):
    memory.people.departed("default", where, reason)


def write(memory, where=HERE, event="e1"):
    return memory.inbound.receive("default", where, event, "question", {"text": "hello"})


# ── bound and unbound ──


def test_a_bound_user_is_that_person_in_any_thread_and_nobody_elsewhere(memory, ada):
    assert memory.people.at("default", place("Ada", thread="t1")) == ada.person_id
    for elsewhere in (THERE, place("ada"), Place("other", "A", "Ada")):
        assert memory.people.at("default", elsewhere) is None
    memory.people.ensure_tenant("other", "Other")
    assert memory.people.at("other", HERE) is None


def test_an_unknown_person_cannot_be_bound(memory, watch):
    with pytest.raises(NotFound, match="no person"):
        memory.people.bind("default", watch.watch_id, THERE)
    assert memory.people.at("default", THERE) is None


def test_an_unbound_user_is_nobody_and_cannot_be_unbound_again(memory):
    memory.people.unbind("default", HERE)
    assert (memory.people.at("default", HERE), memory.people.places("default")) == (None, [])
    with pytest.raises(NotFound, match="nobody is bound to the fake user Ada"):
        memory.people.unbind("default", HERE)


def test_whose_only_place_is_unbound_waits_with_their_watches_and_goes_on_wherever_they_are_bound_next(
    memory, ada, watch
):
    for next_place in (HERE, THERE):
        bound = memory.people.places("default")[0].place
        memory.people.unbind("default", bound)
        assert watching(memory) == {"travel": (True, "unreachable")}
        memory.people.bind("default", ada.person_id, next_place)
        assert watching(memory) == {"travel": (True, None)}


def test_who_was_lost_in_one_place_goes_on_when_they_are_bound_in_another(memory, ada, watch):
    departed(memory)
    memory.people.bind("default", ada.person_id, THERE)
    assert watching(memory) == {"travel": (True, None)}
    assert states(memory) == {"A": ("unreachable", "account_inactive"), "B": ("bound", None)}


def test_a_place_given_to_another_is_lost_to_whom_it_was_before(memory, ada, watch):
    bob = member(memory, "Bob", "B")
    memory.watch(watch_request(bob, ScopeType.ENTITY, document("travel.md"), name="bobs"), bob)
    memory.people.bind("default", bob.person_id, HERE)
    assert memory.people.at("default", HERE) == bob.person_id
    assert watching(memory) == {"travel": (True, "unreachable"), "bobs": (True, None)}


def test_a_lost_place_given_to_another_brings_back_nobody_elses_watches(memory, watch):
    bob = member(memory, "Bob", "B")
    departed(memory)
    memory.people.bind("default", bob.person_id, HERE)
    assert watching(memory) == {"travel": (True, "unreachable")}
    assert states(memory)["A"] == ("bound", None)


def test_binding_somebody_again_to_where_they_are_lets_them_be_written_to_and_moves_nothing(memory, ada, watch):
    memory.people.bind("default", ada.person_id, THERE)
    departed(memory)
    departed(memory, THERE)
    memory.clock.advance(DAY)
    memory.people.bind("default", ada.person_id, HERE)
    assert states(memory) == {"A": ("bound", None), "B": ("unreachable", "account_inactive")}
    assert watching(memory) == {"travel": (True, None)}


def test_binding_somebody_again_to_where_they_are_is_no_sign_of_them(memory, ada, worker):
    """At each start everybody is bound to their inbox: their cards must not go there for that."""
    memory.people.bind("default", ada.person_id, THERE)
    memory.clock.advance(DAY)
    memory.people.bind("default", ada.person_id, HERE)
    change(memory, 50)
    assert [card.place for card in worker.send()] == [THERE]


def test_one_user_bound_to_two_people_at_once_is_one_of_them(memory, ada):
    bob = member(memory, "Bob", "B")
    at_once(*[lambda who=who: memory.people.bind("default", who.person_id, HERE) for who in (ada, bob)] * 2)
    assert memory.people.at("default", HERE) in {ada.person_id, bob.person_id}
    assert len([view for view in memory.people.places("default") if view.place == HERE]) == 1


# ── e-mail ──


USERS = count()


def named(memory, email, tenant="default"):
    """Who a user is taken for that nobody has heard of, by a verified address."""
    user = place(f"user {next(USERS)}")
    found = memory.people.recognise(tenant, email, user)
    assert memory.people.at(tenant, user) == found
    return found


@pytest.fixture
def grace(memory):
    return memory.people.put("default", "Grace", email="Grace@Example.com")


def another_grace(memory):
    """As databases may have it in which people were told apart by the case of their address."""
    person_id = memory.people.put("default", "Another Grace", email="another@example.com")
    change_row(memory, Person, ("default", person_id), email="grace@example.com")
    return person_id


@pytest.mark.parametrize("written", ["Grace@Example.com", "grace@example.com", "GRACE@EXAMPLE.COM"])
def test_an_address_finds_its_one_person_whatever_its_case(memory, grace, written):
    assert named(memory, written) == grace


def test_an_address_that_only_folds_to_theirs_is_somebody_elses(memory):
    """The Kelvin sign's lower case is k: whoever has an address with it must not become who has one with k."""
    memory.people.put("default", "Mike", email="mike@example.com")
    memory.people.put("default", "Ärne", email="Ärne@example.com")
    assert named(memory, "mi\u212ae@example.com") is None
    assert named(memory, "Ärne@example.com") is not None
    assert named(memory, "ärne@example.com") is None


def test_nobody_has_the_address_that_theirs_only_folds_to(memory):
    memory.people.put("default", "Mike", email="mi\u212ae@example.com")
    assert named(memory, "mike@example.com") is None
    assert named(memory, "MIKE@example.com") is None
    assert named(memory, "mi\u212ae@example.com") is not None


@pytest.mark.parametrize(
    "written", ["grace@example.co", "race@example.com", "grace@example.com.evil", "%", "_race@example.com", ""]
)
def test_no_other_address_finds_them(memory, grace, written):
    assert named(memory, written) is None


def test_an_address_that_several_have_finds_nobody(memory, grace):
    another_grace(memory)
    assert named(memory, "grace@example.com") is None


def test_of_several_only_who_is_active_counts(memory, grace):
    second = another_grace(memory)
    change_row(memory, Person, ("default", grace), active=False)
    assert named(memory, "grace@example.com") == second
    change_row(memory, Person, ("default", second), active=False)
    assert named(memory, "grace@example.com") is None


def test_an_address_finds_nobody_of_another_tenant(memory, grace):
    memory.people.ensure_tenant("other", "Other")
    assert named(memory, "grace@example.com", "other") is None


def actions(memory):
    return [(row.action, row.actor) for row in rows(memory, Audit) if row.action.startswith("chat_")]


def test_whom_an_admin_has_unbound_no_address_makes_anybody_until_they_are_bound(memory, grace):
    user = place("graces")
    assert memory.people.recognise("default", "grace@example.com", user) == grace
    memory.people.unbind("default", user, "operator:cli")
    for _ in range(2):
        assert memory.people.recognise("default", "grace@example.com", user) is None
        memory.inbound.receive("default", user, nonce(), "question", {"text": "hello"})
        memory.people.returned("default", user)
    assert (memory.people.at("default", user), named(memory, "grace@example.com")) == (None, grace)
    memory.people.bind("default", grace, user)
    assert memory.people.recognise("default", "grace@example.com", user) == grace
    assert ("chat_unbound", "operator:cli") in actions(memory)


def test_an_address_takes_nobody_from_whom_an_admin_has_bound(memory, grace, ada):
    assert memory.people.recognise("default", "grace@example.com", HERE) == ada.person_id
    assert memory.people.at("default", HERE) == ada.person_id


def test_whom_an_admin_has_unbound_is_greeted_like_anybody_unknown_and_hears_nothing_else(memory, ada, worker):
    memory.people.unbind("default", HERE)
    change(memory, 50)
    assert worker.send() == []
    memory.messages.greet("default", HERE, "2026-06-01", {"text": "who are you"})
    assert [card.person_id for card in worker.take()] == [stranger(HERE)]


# ── where they live ──


@pytest.mark.parametrize(
    ("zone", "locale", "expected"),
    [
        ("Asia/Kolkata", "de", ("Asia/Kolkata", "de")),
        (None, "de", ("UTC", "de")),
        ("Asia/Kolkata", None, ("Asia/Kolkata", "en")),
        ("Mars/Olympus", "de", ("UTC", "de")),
        ("../../etc/passwd", None, ("UTC", "en")),
        ("", "", ("UTC", "en")),
    ],
)
def test_what_the_platform_says_of_where_they_live_is_taken_over_as_far_as_it_means_anything(
    memory, ada, zone, locale, expected
):
    memory.people.moved("default", HERE, zone, locale)
    person = memory.people.get("default", ada.person_id)
    assert (person.zone, person.locale) == expected


def test_of_somebody_nobody_knows_nothing_is_taken_over(memory, ada):
    before = memory.people.all("default")
    memory.people.moved("default", THERE, "Asia/Kolkata", "de")
    assert memory.people.all("default") == before


# ── lost and back ──


def test_whom_no_card_can_reach_any_more_waits_with_their_watches_none_deleted_or_ended(memory, watch):
    departed(memory)
    assert states(memory) == {"A": ("unreachable", "account_inactive")}
    assert watching(memory) == {"travel": (True, "unreachable")}


def test_as_long_as_another_way_is_left_the_watches_go_on(memory, ada, watch):
    memory.people.bind("default", ada.person_id, THERE)
    departed(memory)
    assert watching(memory) == {"travel": (True, None)}
    departed(memory, THERE)
    assert watching(memory) == {"travel": (True, "unreachable")}


def test_nobody_elses_watches_wait_with_theirs(memory, watch):
    bob = member(memory, "Bob")
    memory.watch(watch_request(bob, ScopeType.ENTITY, document("travel.md"), name="bobs"), bob)
    departed(memory)
    assert watching(memory) == {"travel": (True, "unreachable"), "bobs": (True, None)}


def test_lost_twice_is_lost_once_and_the_first_reason_stays(memory, watch):
    departed(memory)
    departed(memory, reason="late")
    assert states(memory) == {"A": ("unreachable", "account_inactive")}


def test_who_was_never_known_cannot_be_lost(memory, watch):
    departed(memory, THERE)
    memory.people.returned("default", THERE)
    assert watching(memory) == {"travel": (True, None)}


BACK = {
    "they write": write,
    "the platform says so": lambda memory: memory.people.returned("default", HERE),
    "an admin binds them": lambda memory: memory.people.bind("default", memory.people.at("default", HERE), HERE),
}


@pytest.mark.parametrize("back", BACK)
def test_who_is_back_goes_on_with_exactly_the_watches_that_waited_for_them(memory, ada, watch, back):
    for name in ("stopped", "otherwise", "bobs"):
        put(memory, f"{name}.md", travel())
    bob = member(memory, "Bob")
    views = {
        name: memory.watch(watch_request(who, ScopeType.ENTITY, document(f"{name}.md"), name=f"{name} watch"), who)
        for name, who in (("stopped", ada), ("otherwise", ada), ("bobs", bob))
    }
    change_row(memory, Watch, ("default", views["stopped"].watch_id), enabled=False)
    change_row(memory, Watch, ("default", views["otherwise"].watch_id), suspended="by an admin")
    departed(memory, place("Bob"))
    before = watching(memory)
    departed(memory)
    assert watching(memory)["travel"] == (True, "unreachable")
    BACK[back](memory)
    assert watching(memory) == before
    assert before["bobs watch"] == (True, "unreachable"), "who is still away is left alone"


def test_who_has_opted_out_is_not_written_to_for_having_written(memory, ada, worker):
    change_row(memory, ChatIdentity, ("default", PLATFORM, "A", "Ada"), state="opted_out")
    write(memory)
    change(memory, 50)
    assert worker.send() == []


# ── a lasting refusal of a person ──


def refused(memory, card):
    """What a courier makes of it."""
    memory.people.departed("default", card.place, "account_inactive")
    memory.outcomes.not_sent(card, "account_inactive", lasting=Extent.PERSON)


@pytest.fixture
def card(memory, worker):
    """A card about a change, in hand, for where Ada is."""
    change(memory, 50)
    worker.spread()
    [card] = worker.take()
    return card


def test_what_one_place_refuses_goes_to_the_persons_other_place(memory, ada, worker, card):
    memory.people.bind("default", ada.person_id, THERE)
    refused(memory, card)
    [second] = worker.send()
    assert second.place == THERE
    assert second.message_id != card.message_id
    assert [(row.state, row.message_id) for row in rows(memory, NotifyDelivery)] == [("sent", second.message_id)]
    assert [change.after for change in worker.notices[-1].lines[0].changes] == ["A meal costs 50 EUR."]


def test_where_there_is_no_other_place_nothing_is_sent_and_the_row_says_why(memory, worker, card, clock):
    refused(memory, card)
    clock.advance(30 * DAY)
    assert (worker.send(), message(memory, card.message_id).state) == ([], CardState.SKIPPED)
    assert [(row.state, row.reason) for row in rows(memory, NotifyDelivery)] == [("skipped", "unreachable")]
    assert watching(memory) == {"travel": (True, "unreachable")}


def test_what_changes_after_they_are_back_is_told_again(memory, worker, card):
    refused(memory, card)
    worker.send()
    write(memory)
    change(memory, 60)
    cards = worker.send()
    assert {card.kind for card in cards} == {"memory_change", "resting"}, "that their watches go on, they are told too"
    assert {card.place for card in cards} == {HERE}
    [notice] = [notice for notice in worker.notices[-2:] if isinstance(notice, ChangeNotice)]
    assert [change.after for change in notice.lines[0].changes] == ["A meal costs 60 EUR."]


def test_what_no_card_could_tell_them_is_told_once_they_write(memory, clock, worker, card):
    memory.outcomes.not_sent(card, "too big", lasting=Extent.CARD)
    clock.advance(DAY)
    assert worker.send() == []
    write(memory)
    [told] = worker.send()
    assert told.message_id != card.message_id
    assert [row.state for row in rows(memory, NotifyDelivery)] == ["sent"]


# ── where cards go ──


@pytest.fixture
def both(memory, ada):
    """Ada is in two workspaces, seen last in the second."""
    memory.people.bind("default", ada.person_id, THERE)
    memory.clock.advance(HOUR)
    return memory


def sent_to(worker):
    return [card.place for card in worker.send()]


def test_a_card_about_changes_goes_where_they_were_seen_last(both, worker):
    change(both, 50)
    assert sent_to(worker) == [THERE]
    write(both, HERE)
    change(both, 60)
    assert sent_to(worker) == [HERE]


def gathered(memory, worker):
    """The card that waits, for where they were seen last by now."""
    change(memory, 50)
    worker.spread()
    assert memory.delivery.gather() == 1
    memory.clock.advance(MINUTE)


def test_where_it_goes_is_chosen_when_it_is_sent_and_not_when_it_was_gathered(both, worker):
    gathered(both, worker)
    write(both, HERE)
    assert sent_to(worker) == [HERE]


def test_a_card_gathered_for_a_place_that_is_lost_goes_to_the_other(both, worker):
    gathered(both, worker)
    departed(both, THERE)
    assert sent_to(worker) == [HERE]


def test_a_card_refused_for_now_goes_where_they_are_when_it_is_sent_again(both, worker, clock):
    gathered(both, worker)
    [card] = worker.take()
    both.outcomes.not_sent(card, "down")
    write(both, HERE)
    clock.advance(HOUR)
    [again] = worker.take()
    assert (again.message_id, again.place) == (card.message_id, HERE)


def test_a_card_that_waits_for_a_paused_workspace_goes_where_they_write_from_instead(both, worker):
    """Somebody removed the bot from one workspace; who is in another must not wait for its return."""
    gathered(both, worker)
    both.workspaces.pause("default", PLATFORM, "B", "app_uninstalled")
    assert sent_to(worker) == []
    write(both, HERE)
    assert sent_to(worker) == [HERE]


@pytest.mark.parametrize("crashed", [True, False])
def test_news_does_not_wait_for_what_became_of_a_card_in_a_workspace_that_they_have_left(both, worker, clock, crashed):
    """Nobody can ask a paused workspace whether the card is there; who is in another is told of it there."""
    gathered(both, worker)
    [card] = worker.take()
    if not crashed:
        both.outcomes.lost(card, "time-out")
    both.workspaces.pause("default", PLATFORM, "B", "app_uninstalled")
    clock.advance(HOUR)
    assert both.outcomes.doubtful() == []
    write(both, HERE)
    assert message(both, card.message_id).state == CardState.SKIPPED
    assert sent_to(worker) == [HERE]
    change(both, 60)
    assert sent_to(worker) == [HERE]


def test_a_card_in_doubt_where_the_bot_is_let_in_is_looked_for_there_wherever_they_write_from(both, worker, clock):
    gathered(both, worker)
    [card] = worker.take()
    both.outcomes.lost(card, "time-out")
    clock.advance(HOUR)
    write(both, HERE)
    assert both.outcomes.doubt("default", card.message_id).place == THERE


def test_a_card_moved_to_a_paused_workspace_waits_there(both, worker):
    gathered(both, worker)
    both.workspaces.pause("default", PLATFORM, "A", "app_uninstalled")
    write(both, HERE)
    assert sent_to(worker) == []
    connect(both, "A")
    assert sent_to(worker) == [HERE]


def test_the_platform_of_their_choice_comes_first(both, worker, ada):
    elsewhere = Place("teams", "T", "Ada")
    both.people.bind("default", ada.person_id, elsewhere)
    both.prefer(ada, "platform", "teams")
    write(both, HERE)
    change(both, 50)
    assert sent_to(worker) == [elsewhere]
    departed(both, elsewhere)
    change(both, 60)
    assert sent_to(worker) == [HERE]


def test_a_reply_stays_where_it_was_asked(both):
    """However often they were seen elsewhere since."""
    ada = both.people.at("default", HERE)
    message_id = both.messages.post("default", ada, HERE, "event", "answer", lambda nonce: {"nonce": nonce})
    write(both, THERE)
    assert take(both, message_id).place == HERE
