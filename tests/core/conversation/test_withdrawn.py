"""A message that was deleted or says something else now is in no conversation, and neither is the answer to it."""

import pytest

from core.contextplan import PayloadRevoked
from core.conversation.payloads import ThreadPayloads
from core.model.threads import ASSISTANT, USER, Asked, Said, Turn, event_ref, thread_of
from core.store import spool
from core.store.tables import Spooled, ThreadEvent
from tests.support.memories import add_person, change_row, dump, place_of, rows


def key(who, event_id):
    return f"local:local:{who.person_id}:{event_id}"


def say(memory, who, event_id, question="secret plan", answer="a secret answer"):
    turn = Turn(key(who, event_id), [Said(USER, question), Said(ASSISTANT, answer)])
    memory.conversation.append(who.tenant_id, who.person_id, place_of(who.person_id), turn)


def withdraw(memory, who, event_id, text=None):
    return memory.conversation.withdraw(who.tenant_id, place_of(who.person_id), event_id, text)


def told(memory, who):
    return memory.conversation.told(who, Asked(thread_of(who.tenant_id, place_of(who.person_id))))


@pytest.mark.parametrize("text", [None, "another plan", ""])
def test_what_was_deleted_or_changed_leaves_no_word_and_a_place_that_says_so(memory, ada, text):
    say(memory, ada, "e1")
    with memory._database.write("default") as tx:
        spool.keep(tx, [event_ref("default", key(ada, "e1"), 0)])
    assert withdraw(memory, ada, "e1", text)
    assert "secret" not in dump(memory)
    assert rows(memory, Spooled) == []
    found = told(memory, ada)
    payloads = ThreadPayloads.of(found)
    assert [payloads.status(str(one.ref)).revoked for one in found] == [True, True]
    assert payloads.status(str(found[0].ref)).size == len("secret plan")
    with pytest.raises(PayloadRevoked):
        payloads.get(str(found[0].ref))


def test_a_change_that_leaves_the_words_as_they_were_revokes_nothing(memory, ada):
    say(memory, ada, "e1")
    assert not withdraw(memory, ada, "e1", "secret plan")
    assert not any(one.withheld for one in told(memory, ada))


def test_the_same_words_of_another_event_or_person_stay(memory, ada, bob):
    for who, event_id in ((ada, "e1"), (ada, "e2"), (bob, "e1")):
        say(memory, who, event_id)
    withdraw(memory, ada, "e1")
    assert [one.withheld for one in told(memory, ada)] == [True, True, False, False]
    assert not any(one.withheld for one in told(memory, bob))


def test_nobody_revokes_what_another_tenants_user_said(memory, ada):
    memory.people.ensure_tenant("other", "Other")
    eve = add_person(memory, "Eve", tenant="other", bound=False)
    say(memory, ada, "e1")
    assert not memory.conversation.withdraw(eve.tenant_id, place_of(ada.person_id), "e1", None)
    assert not any(one.withheld for one in told(memory, ada))


@pytest.mark.parametrize("text", [None, "another plan"])
def test_what_was_withdrawn_before_it_was_answered_never_enters_its_thread(memory, ada, text):
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "secret plan"})
    assert withdraw(memory, ada, "e1", text)
    say(memory, ada, "e1")
    assert [one.withheld for one in told(memory, ada)] == [True]
    assert not any(row.content for row in rows(memory, ThreadEvent))


def test_an_unfurled_link_in_what_waits_to_be_answered_changes_nothing(memory, ada):
    memory.inbound.receive("default", place_of(ada.person_id), "e1", "question", {"text": "secret plan"})
    assert not withdraw(memory, ada, "e1", "secret plan")
    say(memory, ada, "e1")
    assert [one.withheld for one in told(memory, ada)] == [False, False]


def test_what_was_never_part_of_a_thread_leaves_no_row(memory, ada):
    assert not withdraw(memory, ada, "e1")
    assert rows(memory, ThreadEvent) == []


def test_withdrawn_twice_is_once_and_what_was_revoked_is_no_longer_compared(memory, ada):
    say(memory, ada, "e1")
    withdraw(memory, ada, "e1")
    assert withdraw(memory, ada, "e1", "secret plan")
    assert all(one.withheld for one in told(memory, ada))


def test_what_was_compacted_is_revoked_too(memory, ada):
    say(memory, ada, "e1")
    ref = event_ref("default", key(ada, "e1"), 0)
    with memory._database.write("default") as tx:
        spool.keep(tx, [ref])
    change_row(memory, ThreadEvent, ("default", ref), content=b"", compacted="k")
    withdraw(memory, ada, "e1")
    assert rows(memory, Spooled) == []
