"""What is done with stays in the tables for ever: whatever runs at every tick or word must not go through it."""

from uuid import UUID

import pytest

from core.jobs.kinds import Audience, JobKind
from core.store import messages
from core.store.tables import Brief, CardMessage, Inbox, Job, NotifyDelivery
from tests.support.memories import NOW, add_person, open_memory, place_of
from tests.support.steps import steps

FEW, MANY = 20, 2000


@pytest.fixture
def memory(sqlite_url, clock):
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    yield memory
    memory.close()


def settle(memory, person_id, numbers):
    """Cards that stand, events and jobs that are done, deliveries that arrived, and a brief that is not due."""
    common = {"tenant_id": "default", "not_before": NOW, "created_at": NOW, "lease_until": 0, "attempts": 1}
    place = {"platform": "local", "workspace": "local", "user_id": str(person_id), "thread": None}
    sent = {"person_id": person_id, "state": "sent", "platform": "local", "workspace": "local", "place": place}
    sent |= {"kind": "answer", "fingerprint": "", "card": {}, "source_ids": [], "shown": [], "fence": 1, "revision": 1}
    sent |= {"message_ref": "r", "reason": None, "update_at": None, "sent_at": NOW}
    done = {"person_id": person_id, "speaker": f"local:local:{person_id}", "place": place, "kind": "question"}
    done |= {"body": {}, "state": "done", "result": "answered"}
    job = {"audience": Audience.CLARIFY, "kind": JobKind.NOTIFY_WATCH, "payload": {}, "state": "done"}
    job |= {"lease_owner": "w", "error": None}
    told = {"tenant_id": "default", "person_id": person_id, "kind": "memory_change", "state": "sent", "reason": None}
    told |= {"not_before": NOW, "created_at": NOW}
    ids = [UUID(int=number) for number in numbers]
    with memory._database.write("default") as tx:
        cards = ({"message_id": id_, "subject": f"fires:{id_}", "nonce": str(id_)} for id_ in ids)
        tx.insert(CardMessage, (common | sent | card for card in cards))
        tx.insert(Inbox, (common | done | {"event_id": f"local:local:{person_id}:{id_}"} for id_ in ids))
        tx.insert(Job, (common | job | {"job_id": id_} for id_ in ids))
        tx.insert(NotifyDelivery, (told | {"fire_id": id_, "message_id": id_} for id_ in ids))
        brief = {
            "tenant_id": "default",
            "cursor_tx": 0,
            "period": "weekly",
            "slot": "",
            "sent_at": 0,
            "next_due_at": NOW * 2,
        }
        tx.insert(Brief, (brief | {"person_id": id_} for id_ in ids))


def taken_up(memory, person_id):
    """A card about changes that waits, with one delivery."""
    with memory._database.write("default") as tx:
        card = messages.new(tx, person_id, place_of(person_id), f"fires:open {tx.now}", "memory_change")
        messages.add_delivery(tx, card.message_id, person_id, "memory_change", "immediate")
    return card.message_id


TICK = {
    "cards to send": lambda memory, _: memory.delivery.due(),
    "cards in doubt": lambda memory, _: memory.outcomes.doubtful(),
    "cards to update": lambda memory, _: memory.outcomes.outdated(),
    "people to tell": lambda memory, _: memory.delivery.gather(),
    "events": lambda memory, _: memory.inbound.lease(),
    "jobs": lambda memory, _: memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WATCH], "w"),
    "briefs": lambda memory, _: memory.briefs.schedule("default"),
}
WORD = {
    "a word": lambda memory, ada: memory.inbound.receive("default", place_of(ada), str(memory.clock.now()), "home", {}),
    "a choice": lambda memory, ada: memory.people.mute("default", ada, 0),
    "a card composed": lambda memory, ada: memory.delivery.take("default", taken_up(memory, ada), lambda _, __: {}),
}


@pytest.mark.parametrize("what", [*TICK, *WORD])
def test_what_is_settled_costs_nothing(memory, clock, what):
    ada, look = add_person(memory, "Ada").person_id, (TICK | WORD)[what]
    settle(memory, ada, range(FEW))
    with steps(memory) as few:
        look(memory, ada)
    settle(memory, ada, range(FEW, MANY))
    clock.advance(1)
    with steps(memory) as many:
        look(memory, ada)
    assert many[0] <= few[0] * 1.5 + 20


def test_what_waits_for_briefs_costs_no_tick(memory, clock):
    """For up to a week it is due, and not to be told at once."""
    ada = add_person(memory, "Ada").person_id
    waits = {"tenant_id": "default", "person_id": ada, "kind": "memory_change", "state": "pending", "reason": None}
    waits |= {"not_before": NOW, "created_at": NOW, "cadence": "weekly", "message_id": None}

    def tick(numbers):
        with memory._database.write("default") as tx:
            tx.insert(NotifyDelivery, (waits | {"fire_id": UUID(int=number)} for number in numbers))
        with steps(memory) as taken:
            memory.delivery.gather()
        return taken[0]

    few = tick(range(FEW))
    assert tick(range(FEW, MANY)) <= few * 1.5 + 20


def test_the_count_sees_what_goes_through_everything(memory):
    """So that the tests above can fail."""
    ada = add_person(memory, "Ada").person_id
    settle(memory, ada, range(MANY))
    with steps(memory) as taken:
        memory.status("default")
    assert taken[0] > 500
