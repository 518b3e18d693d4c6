"""What people say and tap is kept once, driven until it is done, and given back by whoever cannot go on with it."""

import pytest

from core.clock import DAY, SECOND
from core.jobs.backoff import CEILING
from core.model.work import Place
from core.store.tables import ChatIdentity, Inbox
from tests.support.memories import rows
from tests.support.posting import connect, member, place
from tests.support.threads import at_once

ADAS, EVES = place("Ada", thread="t1"), place("Eve")
BODY = {"text": "What may a meal cost?"}


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A", "B")
    return member(memory, "Ada")


def receive(memory, event_id="e1", where=ADAS, body=BODY):
    return memory.inbound.receive("default", where, event_id, "question", body)


def states(memory):
    return [(row.state, row.attempts, row.result) for row in rows(memory, Inbox)]


def lease(memory):
    [event] = memory.inbound.lease()
    return event


# ── kept once ──


def test_an_event_is_kept_as_it_came(memory, ada):
    assert receive(memory)
    event = lease(memory)
    assert (event.place, event.person_id, event.kind, event.body) == (ADAS, ada.person_id, "question", BODY)
    assert event.attempts == 1


def test_an_event_of_somebody_nobody_knows_is_kept_without_a_person(memory):
    assert receive(memory, where=EVES)
    assert (lease(memory).person_id, rows(memory, Inbox)[0].place["user_id"]) == (None, "Eve")


@pytest.mark.parametrize("what", ["while it waits", "while it is worked on", "when it is done"])
def test_a_repeat_changes_nothing(memory, what):
    receive(memory)
    if what != "while it waits":
        event = lease(memory)
    if what == "when it is done":
        memory.inbound.finish(event, "answered")
    before = rows(memory, Inbox)
    assert not receive(memory, body={"text": "something else"})
    assert rows(memory, Inbox) == before


def test_four_threads_that_receive_one_event_keep_one(memory):
    received = at_once(*[lambda: receive(memory)] * 4)
    assert sorted(received) == [False, False, False, True]
    assert len(rows(memory, Inbox)) == 1


def test_two_processes_that_receive_one_event_keep_one(memory, reopen):
    other = reopen()
    for number in range(4):
        received = at_once(*[lambda of=of, n=number: receive(of, f"e{n}") for of in (memory, other)])
        assert sorted(received) == [False, True]


def test_one_id_is_another_event_from_another_user_workspace_or_platform(memory):
    places = [ADAS, EVES, place("Ada", "B"), Place("other", "A", "Ada")]
    assert [receive(memory, where=where) for where in places] == [True] * 4
    assert len(rows(memory, Inbox)) == 4


def test_one_id_in_another_thread_is_the_same_event(memory):
    receive(memory)
    assert not receive(memory, where=place("Ada", thread="t2"))


# ── in hand ──


USERS = [place(name) for name in ("Zoe", "Yan", "Xia")]


def names(events):
    return [event.place.user_id for event in events]


def test_events_come_oldest_first_and_each_to_one(memory, clock):
    for where in USERS:
        receive(memory, where=where)
        clock.advance(1)
    assert (names(memory.inbound.lease(2)), names(memory.inbound.lease(2))) == (["Zoe", "Yan"], ["Xia"])
    assert memory.inbound.lease() == []


def test_of_one_user_one_event_is_in_hand_at_a_time_in_the_order_they_came(memory, clock):
    for number in range(3):
        receive(memory, f"e{9 - number}", place("Ada", thread=f"t{number}"))
        clock.advance(1)
    worked_on = []
    while events := memory.inbound.lease():
        [event] = events
        assert memory.inbound.lease() == []
        worked_on.append(event.event_id.rpartition(":")[2])
        memory.inbound.finish(event, "answered")
    assert worked_on == ["e9", "e8", "e7"]


def test_however_much_one_user_says_the_others_are_not_kept_waiting(memory, clock):
    for number in range(30):
        receive(memory, f"e{number}")
    clock.advance(1)
    receive(memory, where=EVES)
    assert names([*memory.inbound.lease(5), *memory.inbound.lease(5)]) == ["Ada", "Eve"]


@pytest.mark.parametrize("other", ["Ad", "Ada:", "Ada%", "Ad_", "ada", "%", "_", "Ada:e1"])
def test_a_user_whose_name_looks_like_another_is_another(memory, other):
    for where in (ADAS, place(other)):
        receive(memory, where=where)
    first = memory.inbound.lease(1)
    assert set(names([*first, *memory.inbound.lease(1)])) == {"Ada", other}


def test_after_an_event_that_is_to_be_tried_later_the_next_goes_on(memory, clock):
    for number in range(2):
        receive(memory, f"e{number}")
        clock.advance(1)
    memory.inbound.fail(lease(memory), "not yet")
    assert lease(memory).event_id.endswith(":e1")


def test_two_workers_that_lease_at_once_share_nothing(memory):
    for number in range(20):
        receive(memory, where=place(f"user {number}"))
    shares = at_once(*[lambda: memory.inbound.lease(20)] * 3)
    taken = [event.event_id for share in shares for event in share]
    assert len(taken) == len(set(taken)) == 20


def test_an_event_whose_worker_died_is_driven_again_when_its_lease_ends(memory, clock):
    receive(memory)
    lease(memory)
    clock.advance(memory.config.watch.lease_secs * SECOND - 1)
    assert memory.inbound.lease() == []
    clock.advance(1)
    assert lease(memory).attempts == 2


def test_an_event_is_kept_in_hand_while_it_is_worked_on_and_not_once_another_has_it(memory, clock):
    receive(memory)
    [first] = memory.inbound.lease()
    clock.advance(40 * SECOND)
    assert memory.inbound.extend(first)
    clock.advance(40 * SECOND)
    assert memory.inbound.lease() == []
    clock.advance(20 * SECOND)
    [second] = memory.inbound.lease()
    assert not memory.inbound.extend(first)
    assert memory.inbound.extend(second)


def test_an_event_that_kills_whoever_works_on_it_is_given_up(memory, clock):
    receive(memory)
    for attempt in range(1, memory.config.watch.max_attempts + 1):
        assert lease(memory).attempts == attempt
        clock.advance(memory.config.watch.lease_secs * SECOND)
    assert memory.inbound.lease() == []
    assert states(memory) == [("failed", memory.config.watch.max_attempts, "no worker came back within its lease")]


@pytest.mark.parametrize("late", ["finish", "fail", "release"])
def test_whoever_lost_an_event_can_say_nothing_about_it(memory, clock, late):
    receive(memory)
    lost = lease(memory)
    clock.advance(memory.config.watch.lease_secs * SECOND)
    lease(memory)
    before = rows(memory, Inbox)
    inbound = memory.inbound
    inbound.release(lost) if late == "release" else getattr(inbound, late)(lost, "late")
    assert rows(memory, Inbox) == before


def test_what_is_done_is_never_driven_again(memory, clock):
    receive(memory)
    memory.inbound.finish(lease(memory), "answered")
    clock.advance(30 * DAY)
    assert (memory.inbound.lease(), states(memory)) == ([], [("done", 1, "answered")])


def test_what_is_given_back_is_there_for_the_next_with_its_attempts_untouched(memory):
    receive(memory)
    memory.inbound.release(lease(memory))
    assert states(memory) == [("ready", 0, None)]
    assert lease(memory).attempts == 1


def test_a_failure_waits_longer_each_time_and_says_when_it_is_given_up(memory, clock):
    receive(memory)
    most, waits = memory.config.watch.max_attempts, []
    for attempt in range(1, most + 1):
        given_up = memory.inbound.fail(lease(memory), f"no {attempt}")
        assert given_up == (attempt == most)
        waits.append(rows(memory, Inbox)[0].not_before - clock.now())
        clock.advance(waits[-1] - 1)
        assert memory.inbound.lease() == []
        clock.advance(1)
    assert waits[0] < waits[1] < waits[2]
    assert max(waits) <= CEILING
    assert states(memory) == [("failed", most, f"no {most}")]
    assert memory.inbound.lease() == []


@pytest.fixture
def given_up(memory, clock):
    receive(memory)
    while not memory.inbound.fail(lease(memory), "no"):
        clock.advance(CEILING)


def test_an_event_that_was_given_up_is_driven_anew_when_it_comes_again(memory, given_up):
    assert receive(memory)
    event = lease(memory)
    assert (event.attempts, event.body) == (1, BODY)
    memory.inbound.finish(event, "answered")
    assert not receive(memory), "and once it is done, it is done"


def test_four_threads_that_receive_a_given_up_event_again_revive_it_once(memory, given_up):
    assert sorted(at_once(*[lambda: receive(memory)] * 4)) == [False, False, False, True]
    assert len(memory.inbound.lease()) == 1


def test_a_given_up_event_of_one_user_is_not_revived_by_another(memory, given_up):
    receive(memory, where=EVES)
    assert [state for state, *_ in states(memory)].count("failed") == 1


# ── whoever writes can be written to ──


ADDRESS = {"at": "hers"}


def leave(memory, event_id="gone"):
    return memory.inbound.left("default", ADAS, event_id, "app_removed")


def come(memory, event_id, kind="question", address=ADDRESS):
    return memory.inbound.receive("default", ADAS, event_id, kind, BODY, address)


def whereabouts(memory):
    return [view.state for view in memory.people.places("default")], memory.addresses.find("default", ADAS)


BACK, AWAY = (["bound"], ADDRESS), (["unreachable"], None)


@pytest.mark.parametrize("kind", ["question", "tap", "arrived", "home"])
def test_who_has_left_is_back_with_what_they_do_next(memory, kind):
    assert leave(memory)
    assert whereabouts(memory) == AWAY
    assert come(memory, "e1", kind)
    assert whereabouts(memory) == BACK


@pytest.mark.parametrize("before", ["that waits", "that is done", "that was given up"])
def test_what_comes_again_of_who_has_left_brings_nobody_back(memory, clock, before):
    come(memory, "e1")
    if before == "that is done":
        memory.inbound.finish(lease(memory), "answered")
    while before == "that was given up" and not memory.inbound.fail(lease(memory), "no"):
        clock.advance(CEILING)
    leave(memory)
    seen = [row.seen_at for row in rows(memory, ChatIdentity)]
    clock.advance(SECOND)
    come(memory, "e1")
    assert whereabouts(memory) == AWAY
    assert [row.seen_at for row in rows(memory, ChatIdentity)] == seen


def test_a_message_that_is_withdrawn_brings_nobody_back(memory):
    leave(memory)
    assert come(memory, "e1:deleted", "withdrawn")
    assert whereabouts(memory) == AWAY


def test_a_repeat_of_who_leaves_sends_nobody_away_who_has_come_back(memory):
    assert leave(memory)
    come(memory, "back", "arrived")
    assert not leave(memory)
    assert whereabouts(memory) == BACK
    assert leave(memory, "gone again")
    assert whereabouts(memory) == AWAY


def test_that_somebody_leaves_is_obeyed_at_the_door_and_nobody_has_to_work_on_it(memory):
    leave(memory)
    assert memory.inbound.lease() == []
    assert states(memory) == [("done", 0, "app_removed")]


def test_of_somebody_nobody_knows_the_address_goes_with_them_and_no_repeat_keeps_it(memory):
    memory.people.unbind("default", ADAS)
    come(memory, "e1")
    leave(memory)
    come(memory, "e1")
    assert whereabouts(memory) == ([], None)


def test_four_threads_that_hear_of_one_leaving_obey_once(memory):
    assert sorted(at_once(*[lambda: leave(memory)] * 4)) == [False, False, False, True]
    assert whereabouts(memory) == AWAY
