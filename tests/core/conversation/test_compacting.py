"""A thread that outgrew what a model holds is shortened once: what goes is put aside, and plans begin with the rest."""

from uuid import UUID

import pytest

from core.contextplan import ByteEstimator
from core.conversation.compaction import to_drop
from core.conversation.payloads import Told
from core.model.threads import ASSISTANT, REASONING, TOOL, USER, Asked, Line, Room, Said, Turn, thread_of
from core.store.tables import Spooled, ThreadEvent
from tests.support.memories import place_of, rows
from tests.support.threads import at_once


def room(widest=600, spare=600):
    return Room(1000, widest, lambda lines: spare - sum(len(line.text) // 4 + 4 for line in lines))


def told(number, text="words " * 20, role=USER, **more):
    content = text.encode()
    values = {"kind": "message", "retention": "standard"} | more
    return Told(UUID(int=number), "e", role, content=content, size=len(content), person_id=UUID(int=1), **values)


def test_below_the_trigger_nothing_goes():
    assert to_drop([told(1)], room(), ByteEstimator())[1] == []


def test_what_goes_is_all_but_the_question_and_what_belongs_together():
    calls = told(20, role=ASSISTANT, calls=("c1",)), told(21, "{}", TOOL, answers="c1")
    said = [*(told(n) for n in range(1, 20)), *calls, told(22)]
    key, gone = to_drop(said, room(), ByteEstimator())
    assert [one.ref.int for one in gone] == list(range(1, 20))
    assert key.startswith("context-compact-v1:sha256:")
    assert to_drop(said, room(), ByteEstimator())[0] == key


def test_two_alike_are_two_and_what_is_withheld_or_was_thought_is_not_weighed():
    said = [told(n, "same " * 60) for n in range(1, 12)]
    said += [told(30, withheld=True), told(31, kind=REASONING)]
    gone = {one.ref.int for one in to_drop(said, room(), ByteEstimator())[1]}
    assert gone == set(range(1, 11)), "the last question stays, though it is worded as the others"


@pytest.mark.parametrize("said", [[], [told(1, "x" * 9000)], [told(1, "x" * 9000, ASSISTANT)]])
def test_what_cannot_be_compacted_is_left_to_the_plan(said):
    assert to_drop(said, room(), ByteEstimator())[1] == []
    assert to_drop(said, room(widest=-1), ByteEstimator())[1] == []


# ── in the store ──


@pytest.fixture
def long_thread(memory, ada):
    for number in range(20):
        turn = Turn(
            f"e{number}", [Said(USER, f"question {number} " + "words " * 20), Said(ASSISTANT, f"answer {number}")]
        )
        memory.conversation.append("default", ada.person_id, place_of(ada.person_id), turn)
    return Asked(thread_of("default", place_of(ada.person_id)))


def history(memory, who, asked, **more):
    return memory.conversation.history(who, asked, "small", room(**more)).lines


def test_plans_start_from_what_was_kept_and_what_went_lies_in_the_spool(memory, ada, long_thread):
    lines = history(memory, ada, long_thread)
    assert len(lines) < 10
    assert lines[-1] == Line(ASSISTANT, "answer 19")
    found = rows(memory, ThreadEvent)
    dropped = [row for row in found if row.compacted]
    assert len(dropped) + len(lines) == 40
    assert len({row.compacted for row in dropped}) == 1
    assert not any(row.content for row in dropped)
    assert {row.ref for row in rows(memory, Spooled)} == {row.ref for row in dropped}
    assert any(row.content.startswith(b"question 0 ") for row in rows(memory, Spooled))
    assert history(memory, ada, long_thread, widest=900, spare=900) == lines, "they stay away when there is more room"


def test_compacted_again_nothing_moves_and_at_once_it_is_done_once(memory, reopen, ada, long_thread):
    both = [memory, reopen()]
    first, second = at_once(*(lambda one=one: history(one, ada, long_thread) for one in both))
    assert first == second
    before = sorted((row.ref, row.content) for row in rows(memory, Spooled))
    assert all(content for _, content in before)
    history(memory, ada, long_thread)
    assert sorted((row.ref, row.content) for row in rows(memory, Spooled)) == before


def test_a_question_with_much_evidence_once_shortens_no_conversation(memory, ada, long_thread):
    few = history(memory, ada, long_thread, widest=900, spare=60)
    assert 0 < len(few) < 10
    assert not any(row.compacted for row in rows(memory, ThreadEvent))
    assert len(history(memory, ada, long_thread, widest=990, spare=990)) > len(few)
