"""What a prompt has no room for is put aside once; and what is withdrawn while that takes its time is in no prompt."""

import pytest

from core.model.threads import ASSISTANT, USER, Asked, Line, Room, Said, Turn, thread_of
from core.store import inbox
from core.store.tables import Source, Spooled, ThreadEvent
from tests.support.memories import change_row, page, place_of, put, rows, source_id

WORDS = "words " * 20


@pytest.fixture
def thread(memory, ada):
    """Ten turns, under the ids by which the platform knows them."""
    for number in range(10):
        say(memory, ada, number)
    return Asked(thread_of("default", place_of(ada.person_id)))


def say(memory, who, number, **more):
    place = place_of(who.person_id)
    said = [Said(USER, f"question {number} {WORDS}"), Said(ASSISTANT, f"answer {number}", **more)]
    memory.conversation.append("default", who.person_id, place, Turn(inbox.key(place, f"e{number}"), said))


def withdraw(memory, who, number, text=None):
    return memory.conversation.withdraw("default", place_of(who.person_id), f"e{number}", text)


def left(spare):
    return lambda lines: spare - sum(len(line.text) // 4 + 4 for line in lines)


def texts(memory, who, thread, spare, widest=5000):
    room = Room(9000, widest, spare)
    return [line.text for line in memory.conversation.history(who, thread, "small", room).lines]


def test_what_is_withdrawn_while_words_are_put_aside_is_in_no_prompt(memory, reopen, ada, thread):
    """Another process withdraws the newest turn as soon as the first plan was made with it."""
    other, plans = reopen(), []

    def spare(lines):
        if lines and not plans:
            withdraw(other, ada, 9)
        plans.extend([[line.text for line in lines]] if lines else [])
        return left(200)(lines)

    found = texts(memory, ada, thread, spare)
    assert "answer 9" in plans[0]
    assert "answer 8" in found
    assert not [text for text in found if "answer 9" in text or "question 9" in text]


def test_what_was_put_aside_already_is_not_written_again(memory, ada, thread):
    texts(memory, ada, thread, left(200))
    before = {row.ref for row in rows(memory, Spooled)}
    assert before
    with memory._database.write("default") as held:
        held.lock()
        assert texts(memory, ada, thread, left(200)), "nobody waits for a writer"
    assert {row.ref for row in rows(memory, Spooled)} == before


def test_an_empty_message_that_must_leave_a_trace_counts_as_shown(memory, ada):
    place = place_of(ada.person_id)
    put(memory, "a.md", page("A", {"B": "Some words."}))
    said = [
        Said(ASSISTANT, "", retention="compliance", source_ids=[source_id("a.md")]),
        Said(USER, WORDS * 50),
        Said(USER, "the last"),
    ]
    memory.conversation.append("default", ada.person_id, place, Turn("e", said))
    asked, room = Asked(thread_of("default", place)), Room(9000, 5000, left(100))
    found = memory.conversation.history(ada, asked, "small", room)
    assert found.lines == (Line(ASSISTANT, ""), Line(USER, "the last"))
    assert found.source_ids == {source_id("a.md")}
    view = memory.conversation.explain(ada, asked, "small", room)
    assert [event.reason for event in view.events] == ["retention_expired", "window_overflow", ""]
    assert view.used == sum(event.tokens for event in view.events)


# ── compacted ──


@pytest.fixture
def compacted(memory, ada, thread):
    """The first turn was compacted, and its words are in the spool alone."""
    texts(memory, ada, thread, left(300), widest=300)
    [first, *_] = sorted(rows(memory, ThreadEvent), key=lambda row: row.seq)
    assert (bool(first.compacted), first.content) == (True, b"")
    return thread


def test_a_change_that_leaves_compacted_words_as_they_were_revokes_nothing(memory, ada, compacted):
    assert not withdraw(memory, ada, 0, f"question 0 {WORDS}")
    assert withdraw(memory, ada, 0, "another")
    assert not any(b"question 0" in row.content for row in rows(memory, Spooled))


def test_its_own_person_reads_what_was_compacted_as_far_as_they_may(memory, ada, thread):
    put(memory, "a.md", page("A", {"B": "Some words."}))
    change_row(memory, ThreadEvent, ("default", first_answer(memory)), source_ids=[str(source_id("a.md"))])
    texts(memory, ada, thread, left(300), widest=300)
    assert aside(memory, ada, thread)[:2] == [f"question 0 {WORDS}", "answer 0"]
    change_row(memory, Source, ("default", source_id("a.md")), readers=["board"])
    assert aside(memory, ada, thread)[:2] == [f"question 0 {WORDS}", ""]


def first_answer(memory):
    return sorted(rows(memory, ThreadEvent), key=lambda row: row.seq)[1].ref


def aside(memory, who, thread):
    view = memory.conversation.explain(who, thread, "small", Room(9000, 300, left(300)))
    return [event.text for event in view.events if event.reason == "compacted"]
