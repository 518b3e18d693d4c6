"""What is said of a question goes with the source that it is about, or that said something to it."""

from uuid import UUID

import pytest

from core.clarifications.opening import Opening
from core.clock import HOUR, MINUTE
from core.model.erased import ERASED
from core.model.watching import watch_on_question
from core.model.work import Offer
from core.store.tables import CardMessage, Watch
from tests.support.deliveries import Worker
from tests.support.memories import dump, page, place_of, put, rows, section, source_id
from tests.support.questions import MEALS, says

CANARY = "marzipan"
WORDS = f"Is {CANARY} served?"


def ask_of_section(memory):
    put(memory, "day.md", page("day.md", {"Lunch": "Lunch is served daily."}))
    return Opening(UUID(section("day.md", "day.md", "Lunch")), WORDS, ["member"], [f"{CANARY} yes", f"{CANARY} no"])


def ask_of_record(memory):
    memory.put_node(says(memory, "day.md", 40))
    return Opening(MEALS, WORDS, ["member"], [f"{CANARY} yes", f"{CANARY} no"])


class Told:
    """Speaks with the words of a card, as the bot does."""

    def __init__(self, memory):
        self.worker = Worker(memory)
        self.worker.present = lambda notice, nonce: {"nonce": nonce, "words": repr(notice)}


@pytest.mark.parametrize("opening", [ask_of_section, ask_of_record])
def test_no_watch_and_no_card_is_called_after_a_question_that_was_erased(memory, clock, ada, opening):
    memory.clarify.open("default", opening(memory))
    [asked] = memory.find_questions(CANARY, ada)
    memory.sweep()
    watch_id = memory.watch(watch_on_question(asked.clarification_id, WORDS, ada), ada).watch_id
    card = {"words": f"You watch: {WORDS}", "buttons": [{"target": str(watch_id)}]}
    listed = {"words": "Choose", "buttons": [{"target": str(asked.clarification_id)}]}
    for subject, body in (("watching", card), ("choose", listed)):
        memory.messages.post(
            "default", ada.person_id, place_of(ada.person_id), subject, "reply", lambda _, body=body: body, Offer()
        )
    memory.clarify.override("default", asked.clarification_id, 1)
    clock.advance(HOUR)
    memory.sweep()
    clock.advance(MINUTE)
    Told(memory).worker.send()
    assert f"{CANARY} no" in next(row for row in rows(memory, CardMessage) if row.kind == "memory_change").card["words"]
    memory.erase(source_id("day.md"), "asked for")
    assert CANARY not in dump(memory)
    assert [row.name for row in rows(memory, Watch)] == [ERASED]
    assert {row.subject: row.card for row in rows(memory, CardMessage)}.keys() >= {"watching", "choose"}
    assert all(not row.card for row in rows(memory, CardMessage))
    assert memory.find_questions(CANARY, ada) == []


def test_what_another_source_said_to_a_question_takes_its_words_along(memory, ada):
    memory.put_node(says(memory, "a.md", 40))
    [asked] = memory.put_node(says(memory, "b.md", 55)).in_question
    name = memory.questions.get(asked, ada).question
    memory.watch(watch_on_question(asked, name, ada), ada)
    memory.erase(source_id("b.md"), "asked for")
    assert [row.name for row in rows(memory, Watch)] == [ERASED]
    assert memory.find_questions("price", ada) == []


def test_an_erasure_leaves_watches_on_other_questions_as_they_are(memory, ada):
    memory.clarify.open("default", ask_of_section(memory))
    put(memory, "other.md", page("other.md", {"Trains": "Trains run."}))
    [asked] = memory.find_questions(CANARY, ada)
    memory.watch(watch_on_question(asked.clarification_id, WORDS, ada), ada)
    memory.erase(source_id("other.md"), "asked for")
    assert [row.name for row in rows(memory, Watch)] == [WORDS]
    assert [one.question for one in memory.find_questions(f"{CANARY}s", ada)] == [WORDS]
