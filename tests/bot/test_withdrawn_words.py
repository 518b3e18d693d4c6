"""A message that was deleted or changed leaves its words nowhere, whatever was kept of it and whoever went on."""

import pytest

from core.ids import nonce
from core.store.tables import CardMessage, Inbox, NodeVersion, ThreadEvent, Trace
from tests.support.memories import dump, page, put, rows

CANARY = "kilimanjaro"
ASKED = f"What may a meal cost at most for {CANARY}?"


@pytest.fixture
def memory(reopen):
    memory = reopen(watch={"settle_secs": 0}, answers={"min_cosine": 0.35})
    cities = "Within greater Berlin any meal may cost 52 EUR at most, wherever colleagues happen to dine on that day."
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most.", "Cities": cities}))
    return memory


def take_back(chat, message, text=None):
    """It is deleted on the platform, or says something else there; not yet looked at."""
    body = {"message": message, "text": text}
    chat.memory.inbound.receive("default", chat.place, nonce(), "withdrawn", body)


async def withdraw(chat, message, text=None):
    take_back(chat, message, text)
    await chat.parts.worker.settle()


def questions(memory):
    found = sorted(rows(memory, Trace), key=lambda row: row.created_at)
    return [row.body["question"] for row in found]


@pytest.mark.parametrize("text", [None, "What of zanzibar?"])
async def test_the_words_of_a_message_go_with_it_also_those_joined_to_what_went_on_from_it(adas, memory, clock, text):
    for number, words in enumerate([ASKED, "and in Berlin?", "What may a meal cost at most?"]):
        await adas.ask(words, f"q{number}")
        clock.advance(1)
    assert questions(memory) == [ASKED, f"{ASKED} and in Berlin?", "What may a meal cost at most?"]
    await withdraw(adas, "q0", text)
    assert CANARY not in dump(memory)
    assert "zanzibar" not in dump(memory), "nor do the words that took their place stay"
    assert questions(memory) == ["[erased]", "[erased]", "What may a meal cost at most?"]
    assert "40 EUR" not in str([row.body for row in rows(memory, Trace) if row.body["question"] == "[erased]"])


async def test_what_was_asked_by_another_or_elsewhere_in_the_same_words_stays(adas, bobs, memory):
    await adas.ask(ASKED, "q0")
    await bobs.ask(ASKED, "q0")
    await withdraw(adas, "q0")
    assert sorted(questions(memory)) == [ASKED, "[erased]"]
    assert [row.body.get("text") for row in rows(memory, Inbox) if row.kind == "question" and row.body] == [ASKED]


async def test_a_link_that_was_unfurled_takes_no_word(adas, memory):
    await adas.ask(ASKED, "q0")
    await withdraw(adas, "q0", ASKED)
    assert questions(memory) == [ASKED]


async def test_a_command_leaves_no_words_either(adas, memory):
    await adas.ask(f"mute {CANARY}", "q0")
    await withdraw(adas, "q0")
    assert CANARY not in str([row.body for row in rows(memory, Inbox)])


async def test_what_was_saved_is_its_owners_own_and_stays_as_it_was_saved(adas, memory):
    await adas.ask(ASKED, "q0")
    await adas.press(adas.button("answer_save"))
    await withdraw(adas, "q0")
    [saved] = memory.answers(adas.person)
    assert (saved.question, "40 EUR" in saved.text) == (ASKED, True)
    assert CANARY not in str([row.model_dump() for table in (Inbox, ThreadEvent, Trace) for row in rows(memory, table)])


async def test_the_answer_to_what_was_withdrawn_is_saved_no_more(adas, memory):
    await adas.ask(ASKED, "q0")
    save = adas.button("answer_save")
    await withdraw(adas, "q0")
    assert "rests on nothing" in await adas.press(save)
    assert memory.answers(adas.person) == []


# ── before it was answered ──


async def test_what_was_deleted_before_anybody_looked_at_it_is_not_answered(adas, memory):
    adas.write(ASKED, "q0")
    memory.conversation.withdraw("default", adas.place, "q0", None)
    await adas.parts.worker.settle()
    assert (rows(memory, CardMessage), rows(memory, Trace)) == ([], [])
    assert [(row.state, row.result) for row in rows(memory, Inbox)] == [("done", "withdrawn before it was answered")]
    assert CANARY not in dump(memory)


async def test_what_was_deleted_before_it_came_is_not_answered_when_it_comes(adas, bobs, memory):
    """A platform delivers again what it could not the first time, and what happened since may overtake it."""
    await withdraw(adas, "q0")
    for _ in range(2):
        adas.write(ASKED, "q0")
        await adas.parts.worker.settle()
    assert (rows(memory, CardMessage), rows(memory, Trace)) == ([], [])
    assert CANARY not in dump(memory)
    await bobs.ask(ASKED, "q0")
    assert "40 EUR" in bobs.texts()[-1], "what another says is another event"


async def test_what_was_changed_before_it_came_is_answered_when_it_comes(adas, memory):
    await withdraw(adas, "q0", "What may a hotel cost?")
    await adas.ask("What may a meal cost at most?", "q0")
    assert "40 EUR" in adas.texts()[-1]


async def test_what_was_changed_before_anybody_looked_at_it_is_answered_in_its_new_words(adas, memory):
    adas.write(ASKED, "q0")
    memory.conversation.withdraw("default", adas.place, "q0", "What may a meal cost at most?")
    await adas.parts.worker.settle()
    assert "40 EUR" in adas.texts()[-1]
    assert CANARY not in dump(memory)


@pytest.mark.parametrize("goes_on", [False, True])
async def test_what_is_withdrawn_while_it_is_answered_leaves_no_words_in_the_trace(adas, memory, goes_on):
    """Right before the trace is written, by whatever process."""
    write, engine = memory._engines.generate._trace, memory._engines.generate
    if goes_on:
        await adas.ask(ASKED, "q0")

    def _withdrawn_first(answer, read, principal, said):
        memory.conversation.withdraw("default", adas.place, "q0", None)
        write(answer, read, principal, said)

    engine._trace = _withdrawn_first
    await adas.ask("and in Berlin?" if goes_on else ASKED, "q1" if goes_on else "q0")
    assert ("52 EUR" if goes_on else "40 EUR") in adas.texts()[-1]
    assert CANARY not in dump(memory)
    assert not any(CANARY in str(row.props) for row in rows(memory, NodeVersion))
