"""What changes while a card waits is looked at when it is taken: nothing is sent, and the rows say why."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from core.clock import DAY, FOREVER, HOUR, MINUTE, to_datetime
from core.jobs.kinds import Audience, JobKind
from core.model.card_states import CardState
from core.model.notices import Outgoing
from core.model.watching import ScopeType
from core.model.work import Extent
from core.store.tables import CardMessage, Clarification, NotifyDelivery, Source, Watch, WatchFire
from tests.support.deliveries import Worker
from tests.support.memories import change_row, page, place_of, put, rows, section, source_id, watch_request
from tests.support.questions import opened

KINDS = ("memory_change", "answer_updated", "brief", "clarification")


@dataclass
class World:
    """A card of one kind that waits to be taken, and nothing else."""

    memory: Any
    worker: Worker
    ada: Any
    kind: str

    def card(self) -> CardMessage:
        [found] = [row for row in rows(self.memory, CardMessage) if row.kind == self.kind]
        return found

    def take(self) -> list[Outgoing]:
        due = self.memory.delivery.due()
        taken = [self.memory.delivery.take(one.tenant_id, one.message_id, self.worker.present) for one in due]
        return [card for card in taken if card is not None and card.kind == self.kind]

    def reasons(self) -> set[tuple[str, str | None]]:
        """What is written down of it: on its deliveries, and of a question, which has none, on the card."""
        told = {(row.state, row.reason) for row in rows(self.memory, NotifyDelivery)}
        return told or {(self.card().state, self.card().reason)}


def travel(meals=40):
    return page("Travel", {"Meals": f"Meals cost at most {meals} EUR."})


def _changed(memory, worker, ada):
    memory.clock.advance(HOUR)
    put(memory, "travel.md", travel(45), ["member"])
    memory.sweep()
    for job in memory.jobs.lease(Audience.INTERNAL, [JobKind.CHECK_ANSWER], "me"):
        memory.check_answer(UUID(job.payload["answer_id"]))
        memory.jobs.complete(job)
    memory.clock.advance(MINUTE)
    worker.spread()


def a_change(memory, worker, ada):
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals"), name="Meals"), ada)
    _changed(memory, worker, ada)
    memory.delivery.gather()


def an_answer(memory, worker, ada):
    memory.save_answer(memory.generate("What do meals cost at most?", ada).trace_id, ada)
    _changed(memory, worker, ada)
    memory.delivery.gather()


def a_brief(memory, worker, ada):
    """Of what no card could tell: so it is the brief's to say."""
    a_change(memory, worker, ada)
    [card] = worker.take()
    memory.outcomes.not_sent(card, "too long", lasting=Extent.CARD)
    worker.brief()
    memory.clock.advance(8 * DAY)
    worker.brief()


def a_question(memory, worker, ada):
    opened(memory)
    for job in memory.jobs.lease(Audience.CLARIFY, [JobKind.CLARIFY_ASK], "me"):
        memory.delivery.ask(job, worker.present)


MAKE = dict(zip(KINDS, (a_change, an_answer, a_brief, a_question), strict=True))


@pytest.fixture(params=KINDS)
def world(request, memory, ada):
    put(memory, "travel.md", travel(), ["member"])
    memory.sweep()
    worker = Worker(memory)
    MAKE[request.param](memory, worker, ada)
    return World(memory, worker, ada, request.param)


def ends(world, *expected):
    """Nothing is sent, now or ever, and that is why."""
    assert world.take() == []
    world.memory.clock.advance(30 * DAY)
    world.worker.spread()
    assert [card for card in world.worker.take() if card.kind == world.kind] == []
    assert (world.card().state, world.card().reason) in expected
    for_the_brief = {("carried", "too long")} if world.kind == "brief" else set()
    assert world.reasons() <= {("skipped", reason) for _, reason in expected} | for_the_brief


def skipped(*reasons):
    return [(CardState.SKIPPED, reason) for reason in reasons]


def test_so_it_is_sent_if_nothing_changes(world):
    """So that the tests below can fail."""
    assert len(world.take()) == 1


def test_rights_that_end_meanwhile(world, memory):
    for uri in ("travel.md", "day.md"):
        if any(row.uri == uri for row in rows(memory, Source)):
            change_row(memory, Source, ("default", source_id(uri)), readers=["legal"])
    ends(world, *skipped("not_authorised", "suppressed", "no_net_change"))


def test_a_person_who_is_let_go_meanwhile(world, memory, ada):
    memory.people.set_active("default", ada.person_id, False)
    ends(world, *skipped("not_authorised"))


def test_a_person_whom_the_platform_no_longer_knows(world, memory, ada):
    memory.people.departed("default", place_of(ada.person_id), "account_inactive")
    ends(world, *skipped("unreachable"))


def test_what_is_muted_meanwhile_waits_and_comes_once(world, memory, ada):
    memory.mute_all(ada, memory.clock.now() + DAY)
    assert world.take() == []
    assert world.card().state in {CardState.PENDING, CardState.SKIPPED}
    memory.clock.advance(DAY - 1)
    assert [card for card in world.worker.take() if card.kind == world.kind] == []
    memory.clock.advance(1)
    assert len([card for card in world.worker.take() if card.kind == world.kind]) == 1


def test_quiet_hours_that_begin_meanwhile_hold_it(world, memory, ada):
    hour = to_datetime(memory.clock.now()).hour
    memory.prefer(ada, "quiet_from", str(hour))
    memory.prefer(ada, "quiet_until", str((hour + 2) % 24))
    assert world.take() == []
    memory.clock.advance(3 * HOUR)
    assert len([card for card in world.worker.take() if card.kind == world.kind]) == 1


def test_what_is_stopped_meanwhile(world, memory):
    """Of a question there is no watch: whoever was asked is asked no more when it is settled."""
    for watch in rows(memory, Watch):
        change_row(memory, Watch, ("default", watch.watch_id), enabled=False)
    if world.kind == "clarification":
        [asked] = {row.clarification_id for row in rows(memory, Clarification)}
        memory.clarify.vote(asked, 0, world.ada)
        return ends(world, *skipped("settled"))
    return ends(world, *skipped("suppressed", "no_net_change"))


def test_a_fire_says_why_nobody_was_told(world, memory, ada):
    if world.kind in {"memory_change", "answer_updated"}:
        memory.people.set_active("default", ada.person_id, False)
        world.take()
        told = {(row.status, row.reason) for row in rows(memory, WatchFire) if row.target_kind == "chat_person"}
        assert told == {("skipped", "not_authorised")}


def test_what_changes_after_it_was_taken_is_seen_before_it_is_sent_again(world, memory, ada):
    [card] = world.take()
    memory.outcomes.not_sent(card, "rate limited")
    memory.people.set_active("default", ada.person_id, False)
    memory.clock.advance(HOUR)
    ends(world, *skipped("not_authorised"))


# ── between taking and sending ──


def test_a_card_in_hand_may_go_while_nothing_changes_and_no_card_but_that(world, memory):
    [card] = world.take()
    assert memory.delivery.may_go(card)
    assert not memory.delivery.may_go(replace(card, fence=card.fence + 1))
    memory.clock.advance(MINUTE)
    assert not memory.delivery.may_go(card), "its lease is over"


CALLED_OFF = {
    "let go": lambda w: w.memory.people.set_active("default", w.ada.person_id, False),
    "moved away": lambda w: w.memory.people.unbind("default", place_of(w.ada.person_id)),
    "muted": lambda w: w.memory.mute_for(w.ada, "1h"),
    "quiet": lambda w: [w.memory.prefer(w.ada, f"quiet_{end}", hour) for end, hour in quiet(w.memory)],
    "rights": lambda w: [
        change_row(w.memory, Source, ("default", row.source_id), readers=["legal"]) for row in rows(w.memory, Source)
    ],
}


def quiet(memory):
    hour = to_datetime(memory.clock.now()).hour
    return [("from", str(hour)), ("until", str((hour + 2) % 24))]


@pytest.mark.parametrize("what", CALLED_OFF)
def test_a_card_in_hand_may_not_go_after(world, memory, what):
    [card] = world.take()
    CALLED_OFF[what](world)
    assert not memory.delivery.may_go(card)
    memory.outcomes.not_sent(card, "called off")
    memory.clock.advance(30 * MINUTE)
    assert world.take() == [], "and looked at again it is not sent either"


@pytest.mark.parametrize("how", [{"enabled": False}, {"muted_until": FOREVER - 1}], ids=["stopped", "muted"])
def test_nor_when_its_watch_is_stopped_or_muted(world, memory, how):
    if world.kind == "clarification":
        return
    [card] = world.take()
    for watch in rows(memory, Watch):
        change_row(memory, Watch, ("default", watch.watch_id), **how)
    assert not memory.delivery.may_go(card)


def test_an_answer_that_was_asked_for_goes_though_its_reader_is_muted(memory, ada):
    memory.mute_for(ada, "1d")
    memory.messages.post("default", ada.person_id, place_of(ada.person_id), "e1", "answer", lambda given: {"n": given})
    [card] = Worker(memory).take()
    assert memory.delivery.may_go(card)
