"""A watch rests where it can do nothing but harm or nothing at all; its owner is told once, and it comes back."""

import pytest

from core.clock import DAY, HOUR, MINUTE
from core.model.notices import RestNotice
from core.model.watching import ScopeType, Suspension, TargetKind, WatchRequest
from core.model.work import Extent
from core.store import watches
from core.store.tables import CardMessage, NotifyDelivery, Source, Watch, WatchFire
from tests.support.briefs import FRIDAY, MONDAY, arrive
from tests.support.deliveries import Worker
from tests.support.memories import (
    CHANGES,
    add_person,
    change_row,
    document,
    page,
    place_of,
    put,
    rows,
    section,
    source_id,
    watch_request,
)
from tests.support.threads import at_once

MEALS = section("travel.md", "Travel", "Meals")


def travel(meals=40):
    return page("Travel", {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": "Hotels cost 150 EUR."})


@pytest.fixture
def worker(memory, ada):
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    return Worker(memory)


def on(memory, who, scope=ScopeType.ENTITY, ref=MEALS, name="Meals", **more):
    return memory.watch(watch_request(who, scope, ref, name=name, **more), who)


def change(memory, worker, meals, readers=("member",)):
    """A change whose fires have been spread."""
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(meals), readers)
    memory.sweep()
    memory.clock.advance(MINUTE)
    worker.spread()


def let_read(memory, *readers):
    change_row(memory, Source, ("default", source_id("travel.md")), readers=list(readers))


def rest(memory):
    return {row.name: row.suspended for row in rows(memory, Watch)}


def deliveries(memory):
    return sorted((row.state, row.reason) for row in rows(memory, NotifyDelivery))


def fires(memory):
    return [(row.status, row.reason) for row in sorted(rows(memory, WatchFire), key=lambda row: row.fire_tx)]


def told(worker):
    """What each card about resting watches says of them."""
    found = [notice for notice in worker.notices if isinstance(notice, RestNotice)]
    return [[(one.name, one.reason) for one in notice.watches] for notice in found]


def suspend(memory, watch, reason):
    with memory._database.write("default") as tx:
        return watches.suspend(tx, watches.get(tx, watch.watch_id), reason)


# ── what an owner may not read any more ──


def test_a_watch_on_what_its_owner_may_no_longer_read_rests_and_its_fire_says_why(memory, worker, ada):
    on(memory, ada)
    change(memory, worker, 45)
    let_read(memory, "legal")
    assert [card.kind for card in worker.send() + worker.send()] == ["resting"]
    assert (deliveries(memory), fires(memory)) == ([("skipped", "not_authorised")], [("skipped", "not_authorised")])
    assert (rest(memory), told(worker)) == ({"Meals": "not_readable"}, [[("Meals", "not_readable")]])
    assert memory.watches(ada)[0].suspended == Suspension.NOT_READABLE


@pytest.mark.parametrize(
    ("scope", "ref"),
    [(ScopeType.ENTITY, document("travel.md")), (ScopeType.SOURCE, str(source_id("travel.md")))],
    ids=["a document", "a source"],
)
def test_so_it_is_with_whatever_it_is_on(memory, worker, ada, scope, ref):
    on(memory, ada, scope, ref, events=("fact_changed", "new_source_version"))
    change(memory, worker, 45)
    let_read(memory, "legal")
    worker.send()
    assert rest(memory) == {"Meals": "not_readable"}


def test_a_watch_on_everything_of_a_kind_rests_never_it_tells_nothing(memory, worker, ada):
    on(memory, ada, ScopeType.LABEL, "SECTION", name="sections")
    change(memory, worker, 45)
    let_read(memory, "legal")
    assert worker.send() == []
    assert (rest(memory), deliveries(memory)) == ({"sections": None}, [("skipped", "not_authorised")])


def test_a_watch_on_several_things_goes_on_while_its_owner_may_read_one(memory, worker, ada):
    put(memory, "other.md", page("Other", {"Lunch": "At noon."}), ["member"])
    memory.watch(watch_request(ada, ScopeType.ENTITY, MEALS, document("other.md"), name="both"), ada)
    change(memory, worker, 45)
    let_read(memory, "legal")
    assert worker.send() == []
    assert rest(memory) == {"both": None}


def test_of_a_shared_watch_nobody_is_told_when_its_owner_may_not_read_it(memory, worker, bob):
    grace = add_person(memory, "Grace", ["steward", "auditor"])
    let_read(memory, "member", "auditor")
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member", "steward"]}}
    memory.watch(WatchRequest("shared", ScopeType.ENTITY, (MEALS,), CHANGES, target, debounce_secs=0), grace)
    change(memory, worker, 45, ("member", "auditor"))
    let_read(memory, "member")
    cards = worker.send() + worker.send()
    assert [(card.person_id, card.kind) for card in cards] == [(grace.person_id, "resting")]
    assert set(deliveries(memory)) == {("skipped", "not_authorised")}
    assert rest(memory) == {"shared": "not_readable"}


def test_a_saved_answer_none_of_whose_sources_may_be_read_tells_nothing(memory, worker, ada):
    answer_id = memory.save_answer(memory.generate("What do meals cost at most?", ada).trace_id, ada)
    change(memory, worker, 45)
    memory.check_answer(answer_id)
    memory.clock.advance(MINUTE)
    worker.spread()
    let_read(memory, "legal")
    assert [card.kind for card in worker.send() + worker.send()] == ["resting"]
    assert deliveries(memory) == [("skipped", "not_authorised")]


def test_several_that_begin_to_rest_together_are_told_of_in_one_card(memory, worker, ada):
    on(memory, ada)
    on(memory, ada, ref=document("travel.md"), name="travel")
    change(memory, worker, 45)
    let_read(memory, "legal")
    worker.send()
    worker.send()
    assert told(worker) == [[("Meals", "not_readable"), ("travel", "not_readable")]]


def test_when_the_right_returns_the_next_change_is_told_and_it_goes_on(memory, worker, ada):
    on(memory, ada)
    change(memory, worker, 45)
    let_read(memory, "legal")
    worker.send()
    worker.send()
    change(memory, worker, 50, ["legal"])
    assert (worker.send(), rest(memory)) == ([], {"Meals": "not_readable"})
    let_read(memory, "member")
    assert memory.watches(ada)[0].suspended is None, "what the owner sees is as of now"
    change(memory, worker, 55)
    assert [card.kind for card in worker.send()] == ["memory_change"]
    assert rest(memory) == {"Meals": None}
    [change_] = worker.notices[-1].lines[0].changes
    assert change_.after == "Meals cost at most 55 EUR."


def test_watching_again_brings_it_back_at_once(memory, worker, ada):
    watch = on(memory, ada)
    suspend(memory, watch, Suspension.BROKEN)
    again = on(memory, ada)
    assert (again.watch_id, again.suspended, again.fresh) == (watch.watch_id, None, False)
    assert worker.send() == [], "there is nothing to tell any more"


def test_a_right_that_returns_before_its_owner_was_told_is_nothing_to_tell(memory, worker, ada):
    on(memory, ada)
    change(memory, worker, 45)
    let_read(memory, "legal")
    assert memory.delivery.gather() == 0
    assert rest(memory) == {"Meals": "not_readable"}
    let_read(memory, "member")
    change(memory, worker, 50)
    assert [card.kind for card in worker.send()] == ["memory_change"]


# ── told once ──


def test_two_workers_tell_an_owner_once(memory, worker, ada):
    suspend(memory, on(memory, ada), Suspension.BROKEN)
    at_once(*[memory.delivery.gather] * 3)
    taken = at_once(*[Worker(memory).take] * 2)
    assert sorted(len(cards) for cards in taken) == [0, 1]
    assert [card.kind for card in rows(memory, CardMessage)] == ["resting"]


def test_suspended_twice_at_once_it_rests_once(memory, worker, ada):
    watch = on(memory, ada)
    done = at_once(*[lambda: suspend(memory, watch, Suspension.BROKEN)] * 2)
    assert sorted(done) == [False, True]


def test_a_card_in_doubt_that_is_given_up_is_not_made_again(memory, worker, ada):
    suspend(memory, on(memory, ada), Suspension.BROKEN)
    [card] = worker.take()
    memory.outcomes.lost(card, "time-out")
    memory.clock.advance(2 * HOUR)
    [due] = memory.outcomes.doubtful()
    memory.outcomes.look_later(memory.outcomes.doubt("default", due.message_id))
    memory.clock.advance(DAY)
    assert (worker.take(), memory.outcomes.doubtful()) == ([], [])


def test_a_watch_that_rests_anew_is_told_of_anew(memory, worker, ada):
    watch = on(memory, ada)
    for _ in range(2):
        suspend(memory, watch, Suspension.BROKEN)
        assert len(worker.send()) == 1
        on(memory, ada)
    assert told(worker) == [[("Meals", "broken")]] * 2


def test_a_stopped_watch_does_not_rest_and_one_stopped_meanwhile_is_not_told_of(memory, worker, ada):
    watch = on(memory, ada)
    change_row(memory, Watch, ("default", watch.watch_id), enabled=False)
    assert not suspend(memory, watch, Suspension.BROKEN)
    other = on(memory, ada, ref=document("travel.md"), name="travel")
    suspend(memory, other, Suspension.BROKEN)
    memory.delivery.gather()
    change_row(memory, Watch, ("default", other.watch_id), enabled=False)
    assert worker.take() == []


def test_the_engines_own_watch_rests_without_a_word(memory, worker, ada):
    memory.save_answer(memory.generate("What do meals cost at most?", ada).trace_id, ada)
    [internal] = [row for row in rows(memory, Watch) if row.target["kind"] == TargetKind.INTERNAL]
    assert suspend(memory, internal, Suspension.BROKEN)
    assert worker.send() == []


def test_what_is_muted_is_told_when_the_mute_ends(memory, worker, ada):
    memory.mute_all(ada, memory.clock.now() + DAY)
    suspend(memory, on(memory, ada), Suspension.BROKEN)
    assert worker.send() == []
    memory.mute_all(ada, 0)
    assert len(worker.send()) == 1


# ── out of reach ──


def test_who_is_out_of_reach_is_told_on_their_return_that_their_watches_go_on(memory, worker, ada):
    on(memory, ada)
    memory.people.departed("default", place_of(ada.person_id), "account_inactive")
    assert (rest(memory), worker.send()) == ({"Meals": "unreachable"}, [])
    memory.clock.advance(DAY)
    assert worker.send() == []
    memory.people.returned("default", place_of(ada.person_id))
    assert len(worker.send()) == 1
    assert (rest(memory), told(worker)) == ({"Meals": None}, [[("Meals", None)]])
    assert worker.send() == []


def test_what_began_to_rest_while_its_owner_was_gone_is_told_on_their_return(memory, worker, ada):
    watch = on(memory, ada)
    memory.people.departed("default", place_of(ada.person_id), "account_inactive")
    change_row(memory, Watch, ("default", watch.watch_id), suspended=None)
    suspend(memory, watch, Suspension.BROKEN)
    assert worker.send() == []
    memory.people.returned("default", place_of(ada.person_id))
    worker.send()
    assert told(worker) == [[("Meals", "broken")]]


def test_a_card_that_the_person_refuses_comes_on_their_return(memory, worker, ada):
    suspend(memory, on(memory, ada), Suspension.BROKEN)
    [card] = worker.take()
    memory.people.departed("default", place_of(ada.person_id), "account_inactive")
    memory.outcomes.not_sent(card, "account_inactive", lasting=Extent.PERSON)
    assert worker.send() == []
    memory.people.returned("default", place_of(ada.person_id))
    assert len(worker.send()) == 1
    assert worker.send() == []


def test_whoever_goes_while_the_card_waits_has_it_on_their_return(memory, worker, ada):
    suspend(memory, on(memory, ada), Suspension.BROKEN)
    memory.delivery.gather()
    memory.people.departed("default", place_of(ada.person_id), "account_inactive")
    assert worker.send() == []
    memory.people.returned("default", place_of(ada.person_id))
    assert len(worker.send()) == 1


def test_the_watches_of_whoever_is_let_go_rest_until_they_are_let_back_in(memory, worker, ada):
    on(memory, ada)
    memory.people.set_active("default", ada.person_id, False)
    assert rest(memory) == {"Meals": "unreachable"}
    memory.people.set_active("default", ada.person_id, True)
    assert rest(memory) == {"Meals": None}


def test_nor_does_a_brief_tell_of_what_its_owner_may_not_read(memory, clock, bob):
    clock.ts = FRIDAY
    grace = add_person(memory, "Grace", ["steward", "auditor"])
    put(memory, "travel.md", travel(), ["member", "auditor"])
    memory.sweep()
    worker = Worker(memory)
    target = {"kind": TargetKind.SHARED, "audience": {"roles": ["member"]}}
    memory.watch(WatchRequest("shared", ScopeType.ENTITY, (MEALS,), CHANGES, target, debounce_secs=0), grace)
    change(memory, worker, 45, ("member", "auditor"))
    assert [card.person_id for card in worker.send()] == [bob.person_id]
    let_read(memory, "member")
    assert memory.briefs.preview(bob) is None
    assert arrive(memory, worker, MONDAY) == []
    assert rest(memory) == {"shared": "not_readable"}
