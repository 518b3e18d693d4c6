"""A question and its answer are written down with the card that answers, once, whatever crashes between."""

from core.model.work import Inbound
from core.store.tables import CardMessage, ThreadEvent
from tests.support.memories import put, rows, source_id

ASKED = "What may a meal cost at most?"


def said(memory):
    events = sorted(rows(memory, ThreadEvent), key=lambda row: row.seq)
    return [(row.role, row.content.decode()) for row in events]


async def test_a_question_and_its_answer_are_kept_with_what_the_answer_quotes(revise, adas, memory):
    revise()
    await adas.ask(ASKED)
    assert said(memory)[0] == ("user", ASKED)
    role, answer = said(memory)[1]
    assert (role, "40 EUR" in answer) == ("assistant", True)
    question, reply = sorted(rows(memory, ThreadEvent), key=lambda row: row.seq)
    assert (question.source_ids, reply.source_ids) == ([], [str(source_id("travel.md"))])


async def test_an_event_that_is_worked_on_again_is_kept_once(revise, parts, adas, ada, memory):
    revise()
    event = Inbound("default", "e1", ada.person_id, adas.place, "question", {"text": ASKED}, 1)
    await parts.ask.question(event, ada.person_id)
    revise(meals=55)
    await parts.ask.question(event, ada.person_id)
    assert [role for role, _ in said(memory)] == ["user", "assistant"]
    assert "40 EUR" in said(memory)[1][1]


async def test_where_nothing_could_be_answered_the_question_is_kept_all_the_same(adas, memory):
    await adas.ask(ASKED)
    assert said(memory) == [("user", ASKED), ("assistant", "Nothing in the documents answers this.")]


async def test_commands_and_what_failed_are_no_part_of_a_conversation(adas, memory, revise):
    revise()
    memory.generate = lambda *_, **__: 1 / 0
    for words in ("help", "watching", "mute 1h"):
        await adas.ask(words)
    assert len(rows(memory, CardMessage)) == 3
    assert said(memory) == []


async def test_a_card_that_could_not_be_put_down_leaves_nothing_in_the_thread(revise, parts, adas, ada, memory):
    """Something was erased between: the card is refused, and so is what it says."""
    revise()
    put(memory, "other.md", b"# Other\n\nSomething else.\n")
    generate = memory.generate

    def _erased_meanwhile(*args, **named):
        answer = generate(*args, **named)
        memory.erase(source_id("other.md"), "asked to")
        return answer

    memory.generate = _erased_meanwhile
    adas.write(ASKED)
    await parts.worker._talks.begin()
    await parts.worker._talks.lanes.finish()
    assert said(memory) == []
