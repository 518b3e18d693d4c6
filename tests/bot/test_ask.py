"""Questions: one card for each, which says what is known and nothing that its reader may not know."""

import pytest

from core.errors import StoreUnavailable
from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.prompt import UNKNOWN
from core.generate.providers import LanguageModel
from core.model.work import Inbound
from core.store.tables import CardGrant, CardMessage, Person
from tests.fakes.completions import fake_completions, refuses, says
from tests.support.bots import buttons, parts_over
from tests.support.memories import change_row, page, put, rows

ASKED = "What may a meal cost at most?"


async def test_an_answer_quotes_the_words_names_their_place_and_offers_to_save_and_watch(revise, adas):
    revise()
    card = await adas.ask(ASKED)
    [text] = adas.texts()
    assert "A meal may cost 40 EUR at most. [1]" in text
    assert "[1] Travel › Meals" in text
    assert {button.kind for button in buttons(card)} == {"answer_save", "watch_create"}


async def test_an_event_is_answered_once_whatever_is_repeated(revise, parts, adas, ada, memory):
    """Asked again after the documents changed, the event still has the answer it had."""
    revise()
    event = Inbound("default", "e1", ada.person_id, adas.place, "question", {"text": ASKED}, 1)
    first = await parts.ask.question(event, ada.person_id)
    revise(meals=55)
    again = await parts.ask.question(event, ada.person_id)
    assert first == again
    assert adas.room.tried() == 1
    assert "40 EUR" in adas.texts()[0]
    assert len(rows(memory, CardMessage)) == 1


async def test_each_event_has_a_card_of_its_own(revise, adas):
    revise()
    await adas.ask(ASKED, event_id="e1")
    await adas.ask(ASKED, event_id="e2")
    assert len(adas.cards()) == 2


async def test_what_nothing_comes_close_to_is_not_answered_but_the_nearest_passages_are_shown(revise, reopen, adas):
    revise()
    strict = parts_over(reopen(answers={"min_cosine": 0.9}), {"fake": adas.parts.courier._channels["fake"]})
    adas.write("What about the cost of everything?")
    await strict.worker.settle()
    strict.gateway.stop()
    [text] = adas.texts()
    assert "I couldn’t find an answer" in text
    assert "The nearest passages:" in text
    assert buttons(adas.cards()[0]) == []


async def test_without_documents_it_says_that_it_does_not_know(adas):
    card = await adas.ask(ASKED)
    assert adas.texts()[0].startswith("I don’t know")
    assert buttons(card) == []


async def test_what_the_person_may_not_read_is_as_if_it_were_not_there(memory, adas, bobs):
    """No title, name or word of a document that others may read."""
    put(memory, "salaries.md", page("Salaries", {"Meals": "A meal may cost 900 EUR at most."}), ["role:steward"])
    await adas.ask(ASKED)
    [text] = adas.texts()
    assert text.startswith("I don’t know")
    assert not any(word in text.lower() for word in ("salar", "900", "steward"))


def fails(*_, **__):
    raise StoreUnavailable("the disk is full")


@pytest.mark.parametrize(
    ("readers", "generate", "words"),
    [(["role:steward"], None, "I don’t know"), (None, None, "I don’t know"), (["everyone"], fails, "the disk is full")],
    ids=["forbidden", "no evidence", "failed"],
)
async def test_whatever_stands_in_the_way_one_card_says_so_and_names_no_title(memory, adas, readers, generate, words):
    if readers:
        put(memory, "salaries.md", page("Salaries", {"Meals": "A meal may cost 900 EUR at most."}), readers)
    memory.generate = generate or memory.generate
    await adas.ask(ASKED)
    [text] = adas.texts()
    assert words in text
    assert not any(word in text.lower() for word in ("salar", "900", "steward"))


async def test_an_unreadable_document_is_in_no_answer_though_others_are(memory, revise, adas):
    revise()
    put(memory, "salaries.md", page("Salaries", {"Meals": "A meal may cost 900 EUR at most."}), ["role:steward"])
    await adas.ask(ASKED)
    stored = str([row.card for row in rows(memory, CardMessage)]).lower()
    assert "40 eur" in stored
    assert "salar" not in stored
    assert "900 eur" not in stored


async def test_an_error_is_told_to_the_one_who_asked_and_to_nobody_else(reopen, adas, bobs):
    without_model = reopen(embedder=None)
    parts = parts_over(without_model, {"fake": adas.parts.courier._channels["fake"]})
    adas.write(ASKED)
    await parts.worker.settle()
    parts.gateway.stop()
    assert adas.texts()[0].startswith("That did not work")
    assert "embedding model" in adas.texts()[0]
    assert bobs.cards() == []


async def test_an_error_of_the_store_is_said_in_plain_words(parts, adas, ada, memory):
    """The gateway's own call fails, as it does when the disk is full."""

    def full(*_, **__):
        raise StoreUnavailable("the database cannot grow, the disk is full")

    memory.generate = full
    await adas.ask(ASKED)
    assert "the disk is full" in adas.texts()[0]
    assert "Traceback" not in adas.texts()[0]


async def test_somebody_who_left_is_answered_nothing(memory, parts, adas, ada, revise):
    revise()
    adas.write(ASKED)
    change_row(memory, Person, ("default", ada.person_id), active=False)
    await parts.worker.settle()
    assert [text for text in adas.texts() if "40 EUR" in text] == []


async def test_a_card_permits_exactly_its_buttons(revise, adas, memory):
    revise()
    card = await adas.ask(ASKED)
    [grant] = rows(memory, CardGrant)
    offered = {(kind, target) for kind, target, _ in grant.body["actions"]}
    assert offered == {(button.kind, button.target) for button in buttons(card)}


async def test_a_card_remembers_the_sources_that_it_quotes(revise, adas, memory):
    revise()
    put(memory, "other.md", page("Other", {"Dogs": "Dogs are welcome on Fridays."}))
    await adas.ask(ASKED)
    [card] = rows(memory, CardMessage)
    assert len(card.source_ids) == 1


@pytest.mark.parametrize(
    "hostile",
    ["<!channel> <@U1>", "[Approve](https://evil.example)", "\u202e\x1b[2J", "{{DATE(x)}}", "a" * 40_000, "?", " \n "],
)
async def test_any_text_gets_one_card(hostile, revise, adas):
    revise()
    await adas.ask(hostile)
    assert len(adas.cards()) == 1
    assert adas.texts()[0].strip()


# ── answers that a model wrote ──


@pytest.fixture
def written(revise, reopen, adas):
    """Ada's questions are answered by a model on loopback; what it says, and all that it was told."""
    revise()
    with fake_completions() as fake:
        endpoint = LlmEndpoint(fake.url, retries=0)
        memory = reopen(llm=LanguageModel(OpenAiCompatibleProvider(endpoint), "small"))
        parts = parts_over(memory, {"fake": adas.parts.courier._channels["fake"]})

        async def _ask(answer):
            fake.usually = answer
            adas.write(ASKED)
            await parts.worker.settle()
            return adas.cards()[-1]

        yield _ask
        parts.gateway.stop()


async def test_a_written_answer_says_of_each_sentence_what_bears_it(written, adas, memory):
    card = await written(says("At most 40 EUR may a meal cost [1]. A meal may cost 55 EUR [1]. Trains fly."))
    [text] = adas.texts()
    assert "At most 40 EUR may a meal cost. [1] (supported by the wording)" in text
    assert "A meal may cost 55 EUR. [1] (not supported by the wording: a number, a date or a “not” differs)" in text
    assert "Trains fly. (no source)" in text
    assert "Careful." in text
    assert {button.kind for button in buttons(card)} == {"answer_save", "watch_create"}
    assert len(rows(memory, CardMessage)[0].source_ids) == 1


async def test_what_rests_on_nothing_can_neither_be_saved_nor_watched(written, adas, memory):
    card = await written(says("Trains fly."))
    assert "Trains fly. (no source)" in adas.texts()[0]
    assert buttons(card) == []
    assert len(rows(memory, CardMessage)[0].source_ids) == 1, "what was read for it may be in it"


@pytest.mark.parametrize(
    ("answer", "words"),
    [(refuses(503), "did not answer"), (refuses(401, "sk-x"), "refuses the key"), (says("", "length"), "cut off")],
)
async def test_a_model_that_fails_is_told_in_one_card(written, adas, answer, words):
    card = await written(answer)
    [text] = adas.texts()
    assert text.startswith("That did not work")
    assert words in text
    assert "sk-x" not in text
    assert "40 EUR" not in text
    assert buttons(card) == []


async def test_a_model_that_does_not_know_leads_to_the_nearest_passages(written, adas):
    await written(says(UNKNOWN))
    assert "I couldn’t find an answer" in adas.texts()[0]
    assert "The nearest passages:" in adas.texts()[0]
    assert UNKNOWN not in adas.texts()[0]
