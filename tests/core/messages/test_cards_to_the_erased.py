"""Whoever still holds what somebody said, while they are erased, writes down nothing of where they are."""

import pytest

from core.errors import NotFound
from core.model.work import HOME, NOTHING_OFFERED, Place
from core.store.tables import CardMessage
from tests.support.memories import dump, rows

HERS = Place("slack", "T1", "U0QUENTIN")


@pytest.fixture
def held(memory):
    """What Quentin said, in a worker's hands; she was erased meanwhile."""
    person_id = memory.people.put("default", "Quentin")
    memory.people.bind("default", person_id, HERS)
    memory.inbound.receive("default", HERS, "e1", "question", {"text": "What may a meal cost?"})
    [event] = memory.inbound.lease()
    assert HERS.user_id in event.event_id, "else this would prove nothing"
    memory.erase(person_id, "left")
    return event


def reply(memory, event):
    memory.messages.post("default", event.person_id, event.place, f"event:{event.event_id}", "reply", lambda _: {})


def home(memory, event):
    memory.messages.show("default", event.person_id, event.place, HOME, lambda _: {}, NOTHING_OFFERED)


@pytest.mark.parametrize("write", [reply, home])
def test_no_card_is_put_down_for_who_was_erased_meanwhile(write, memory, held):
    with pytest.raises(NotFound, match="was erased"):
        write(memory, held)
    assert rows(memory, CardMessage) == []
    assert HERS.user_id not in dump(memory)


def test_who_comes_back_is_written_to(memory, held):
    person_id = memory.people.put("default", "Quentin")
    assert person_id == held.person_id
    reply(memory, held)
    assert len(rows(memory, CardMessage)) == 1
