"""A thread keeps what was said in it, once an event and in order, for its own person, as long as it may be read."""

import pytest

from core.clock import DAY
from core.contextplan import PayloadNotFound, PayloadRevoked
from core.conversation.payloads import ThreadPayloads
from core.model.threads import ASSISTANT, TOOL, USER, Asked, Said, Turn, event_ref, thread_of
from core.model.work import Place
from core.retention.periods import KEPT, Spent
from core.store import spool
from core.store.tables import Person, Source, Spooled, ThreadEvent
from tests.support.memories import add_person, change_row, dump, page, put, rows, source_id
from tests.support.threads import at_once

URI = "meals.md"


def place(who, thread="t1"):
    return Place("slack", "T1", str(who.person_id), thread)


def turn(number, question="What?", answer="That.", *sources):
    said = Said(USER, question), Said(ASSISTANT, answer, source_ids=[source_id(uri) for uri in sources])
    return Turn(f"e{number}", said)


def say(memory, who, *turns, thread="t1"):
    for one in turns:
        memory.conversation.append(who.tenant_id, who.person_id, place(who, thread), one)


def told(memory, who, before="", thread="t1"):
    return memory.conversation.told(who, Asked(thread_of(who.tenant_id, place(who, thread)), before))


def texts(memory, who, before=""):
    return [one.content.decode() for one in told(memory, who, before) if not one.withheld]


@pytest.fixture
def quoted(memory, ada):
    """An answer to Ada that quotes a document."""
    put(memory, URI, page("Meals", {"Lunch": "Lunch costs 12 EUR."}))
    say(memory, ada, turn(1, "And lunch?", "Lunch costs 12 EUR.", URI))


def test_events_stand_in_the_order_in_which_they_were_said(memory, ada):
    say(memory, ada, turn(2, "a", "b"), turn(1, "c", "d"))
    assert texts(memory, ada) == ["a", "b", "c", "d"]


def test_a_repeat_writes_nothing_twice_and_changes_no_order(memory, ada):
    say(memory, ada, turn(1, "a", "b"), turn(2, "c", "d"), turn(1, "x", "y"))
    assert texts(memory, ada) == ["a", "b", "c", "d"]


def test_of_two_that_write_the_same_event_at_once_one_does(memory, reopen, ada):
    others = [memory, reopen()]
    at_once(*(lambda one=one: say(one, ada, turn(1, "a", "b")) for one in others))
    assert texts(memory, ada) == ["a", "b"]


def test_those_that_write_different_events_at_once_take_different_places(memory, reopen, ada):
    others = [memory, reopen()]
    at_once(*(lambda n=n, one=one: say(one, ada, turn(n)) for n, one in enumerate(others)))
    assert sorted(row.seq for row in rows(memory, ThreadEvent)) == [1, 2, 3, 4]


def test_what_was_said_before_a_question_ends_where_it_begins(memory, ada):
    say(memory, ada, turn(1, "a", "b"), turn(2, "c", "d"))
    assert texts(memory, ada, before="e2") == ["a", "b"]
    assert texts(memory, ada, before="e9") == ["a", "b", "c", "d"]


def test_a_thread_is_one_chat_users_and_one_tenants(memory, ada, bob):
    memory.people.ensure_tenant("other", "Other")
    eve = add_person(memory, "Eve", tenant="other")
    say(memory, ada, turn(1, "mine", "yours"))
    assert texts(memory, bob) == []
    asked = Asked(thread_of("default", place(ada)))
    assert memory.conversation.told(bob, asked) == []
    assert memory.conversation.told(eve, asked) == []
    assert told(memory, ada, thread="t2") == []


def test_the_same_words_of_two_people_are_two_payloads(memory, ada, bob):
    say(memory, ada, turn(1, "same", "words"))
    say(memory, bob, turn(2, "same", "words"))
    assert len({row.ref for row in rows(memory, ThreadEvent)}) == 4


def test_nothing_is_kept_of_somebody_who_is_gone(memory, ada):
    change_row(memory, Person, ("default", ada.person_id), active=False)
    say(memory, ada, turn(1))
    assert rows(memory, ThreadEvent) == []


def test_whatever_was_said_comes_back_byte_for_byte(memory, ada):
    odd = "caf\u00e9 \u6771\u4eac \U0001f469\u200d\U0001f467 \x00 \u202e \ud800 end"
    memory.conversation.append("default", ada.person_id, place(ada), Turn("e1", [Said(TOOL, odd, answers="c1")]))
    [one] = told(memory, ada)
    assert one.content == odd.encode("utf-8", "replace")
    assert (one.role, one.answers, one.size) == (TOOL, "c1", len(one.content))


# ── rights ──


def test_an_answer_is_withheld_when_its_source_may_no_longer_be_read_also_by_another_process(
    memory, reopen, ada, quoted
):
    other = reopen()
    assert texts(memory, ada) == ["And lunch?", "Lunch costs 12 EUR."]
    change_row(memory, Source, ("default", source_id(URI)), readers=["board"])
    for one in (memory, other):
        assert texts(one, ada) == ["And lunch?"]
    change_row(memory, Person, ("default", ada.person_id), roles=["board"])
    assert texts(other, ada) == ["And lunch?", "Lunch costs 12 EUR."], "rights are today's"


def test_a_payload_that_is_withheld_is_denied_and_says_so_without_its_words(memory, ada, quoted):
    change_row(memory, Source, ("default", source_id(URI)), readers=[])
    found = told(memory, ada)
    payloads = ThreadPayloads.of(found)
    question, answer = (str(one.ref) for one in found)
    assert payloads.get(question).content == b"And lunch?"
    with pytest.raises(PayloadRevoked):
        payloads.get(answer)
    status = payloads.status(answer)
    assert (status.revoked, status.size, status.subject_id) == (True, 19, str(ada.person_id))
    with pytest.raises(PayloadNotFound):
        payloads.get("none")
    with pytest.raises(PayloadNotFound):
        payloads.status("none")


def test_a_spool_takes_what_was_read_last_and_nothing_else(memory, ada):
    say(memory, ada, turn(1, "same", "same"))
    first, second = told(memory, ada)
    payloads = ThreadPayloads.of([first, second])
    payloads.get(str(second.ref))
    assert payloads.write(str(ada.person_id), b"same") == str(second.ref)
    assert payloads.left_out == [second]
    for subject, content in (("somebody else", b"same"), (str(ada.person_id), b"other")):
        with pytest.raises(PayloadNotFound):
            payloads.write(subject, content)


# ── the spool ──


def put_aside(memory, *refs):
    with memory._database.write("default") as tx:
        spool.keep(tx, refs)


@pytest.fixture
def spooled(memory, ada, quoted):
    """The question and the answer, put aside; their refs."""
    refs = [event_ref("default", "e1", number) for number in range(2)]
    put_aside(memory, *refs)
    put_aside(memory, *refs)
    return refs


def test_what_is_put_aside_twice_is_kept_once(memory, ada, spooled):
    kept = {row.ref: (row.person_id, row.content) for row in rows(memory, Spooled)}
    words = [(ada.person_id, b"And lunch?"), (ada.person_id, b"Lunch costs 12 EUR.")]
    assert kept == dict(zip(spooled, words, strict=True))


def test_what_was_revoked_is_put_aside_no_more(memory, ada, quoted):
    ref = event_ref("default", "e1", 0)
    change_row(memory, ThreadEvent, ("default", ref), revoked=True)
    put_aside(memory, ref)
    assert rows(memory, Spooled) == []


# ── erasure and age ──


def test_a_source_that_is_erased_takes_what_quotes_it_out_of_threads_and_the_spool(memory, ada, spooled):
    report = memory.erase(source_id(URI), "asked to")
    assert texts(memory, ada) == ["And lunch?"]
    assert [row.ref for row in rows(memory, Spooled)] == [spooled[0]]
    assert (report.surfaces["threads"], report.surfaces["spool"]) == (1, 1)
    assert "12 EUR" not in dump(memory)


def test_a_person_who_is_erased_leaves_no_word_in_threads_and_the_spool(memory, ada, bob, spooled):
    say(memory, bob, turn(5, "Bob asks", "and hears"))
    report = memory.erase(ada.person_id, "left")
    assert (report.surfaces["threads"], report.surfaces["spool"]) == (2, 2)
    assert [row.content for row in rows(memory, ThreadEvent)] == [b"Bob asks", b"and hears"]
    assert "And lunch" not in dump(memory)


def test_an_erasure_leaves_other_tenants_as_they_were(memory, ada, spooled):
    memory.people.ensure_tenant("other", "Other")
    eve = add_person(memory, "Eve", tenant="other")
    say(memory, eve, turn(1, "Eve asks", "and hears"))
    memory.erase(ada.person_id, "left")
    assert len(rows(memory, ThreadEvent, "other")) == 2


def test_what_was_put_aside_late_is_forgotten_with_its_conversation_and_no_other(memory, ada, clock, quoted):
    clock.advance(KEPT[Spent.SAID] - DAY)
    say(memory, ada, turn(2, "later", "too"))
    late = event_ref("default", "e2", 0)
    put_aside(memory, event_ref("default", "e1", 0), late)
    clock.advance(2 * DAY)
    memory.retention.prune("default")
    assert texts(memory, ada) == ["later", "too"]
    assert [row.ref for row in rows(memory, Spooled)] == [late]


def test_threads_and_the_spool_are_forgotten_when_their_time_is_over(memory, ada, clock, spooled):
    clock.advance(KEPT[Spent.SPOOLED] + 1)
    say(memory, ada, turn(2, "later", "too"))
    memory.retention.prune("default")
    assert rows(memory, Spooled) == []
    assert len(rows(memory, ThreadEvent)) == 4
    clock.advance(KEPT[Spent.SAID] - KEPT[Spent.SPOOLED])
    memory.retention.prune("default")
    assert texts(memory, ada) == ["later", "too"]
    clock.advance(KEPT[Spent.SPOOLED] + DAY)
    memory.retention.prune("default")
    assert rows(memory, ThreadEvent) == []
