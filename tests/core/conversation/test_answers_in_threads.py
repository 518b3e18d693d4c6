"""Answers in a conversation: what was said before helps to understand a question, and to nothing else."""

import re

import pytest

from core.errors import InsufficientEvidence, NotFound
from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel
from core.ids import random_id
from core.model.threads import ASSISTANT, TOOL, USER, Asked, Said, Turn, thread_of
from core.store import inbox
from core.store.tables import Source, Spooled, ThreadEvent, Trace
from tests.fakes.completions import fake_completions, says, told
from tests.support.memories import add_person, change_row, page, place_of, put, rows, source_id

ASKED = "What may a meal cost at most?"


@pytest.fixture
def fake():
    with fake_completions() as running:
        running.usually = says("A meal may cost 40 EUR at most. [1]")
        yield running


def writing(fake, **limits):
    endpoint = LlmEndpoint(fake.url, retries=0, timeout_secs=20, **limits.pop("endpoint", {}))
    return LanguageModel(OpenAiCompatibleProvider(endpoint), "small", **limits)


@pytest.fixture
def memory(reopen, fake):
    return handbook(reopen(llm=writing(fake)))


def handbook(memory):
    cities = "Within greater Berlin any meal may cost 52 EUR at most, wherever colleagues happen to dine on that day."
    words = {"Meals": "A meal may cost 40 EUR at most.", "Cities": cities}
    put(memory, "travel.md", page("Travel", words))
    return memory


def place(who):
    return place_of(who.person_id)


def asked(who, event_id="now"):
    return Asked(thread_of(who.tenant_id, place(who)), event_id)


def say(memory, who, *said, event_id=None):
    turn = Turn(event_id or str(random_id()), said)
    memory.conversation.append(who.tenant_id, who.person_id, place(who), turn)


def test_what_was_said_before_is_told_and_nothing_of_another_thread_or_person(memory, fake, ada, bob):
    say(memory, ada, Said(USER, "I travel to Rome."), Said(ASSISTANT, "Rome it is."), Said(TOOL, '{"city": "Rome"}'))
    say(memory, bob, Said(USER, "I travel to Oslo."))
    memory.generate(ASKED, ada, asked=asked(ada))
    [request] = fake.asked
    assert all(words in told(request) for words in ("I travel to Rome.", "Rome it is.", '{"city": "Rome"}'))
    assert "Oslo" not in told(request)


def test_the_first_question_of_a_thread_is_told_as_it_always_was(memory, fake, ada):
    memory.generate(ASKED, ada)
    memory.generate(ASKED, ada, asked=asked(ada))
    assert fake.asked[0] == fake.asked[1]


def test_reasoning_never_comes_back(memory, fake, ada):
    say(memory, ada, Said(ASSISTANT, "secret thoughts", kind="reasoning"), Said(ASSISTANT, "Rome it is."))
    memory.generate(ASKED, ada, asked=asked(ada))
    assert "Rome it is." in told(fake.asked[0])
    assert "secret thoughts" not in told(fake.asked[0])


def test_an_answer_rests_also_on_the_sources_that_what_was_said_before_quotes(memory, fake, ada):
    put(memory, "rome.md", page("Rome", {"Far": "Rome is far away."}))
    say(memory, ada, Said(ASSISTANT, "Rome is far away.", source_ids=[source_id("rome.md")]))
    answer = memory.generate(ASKED, ada, asked=asked(ada))
    assert source_id("rome.md") in answer.read


def test_an_answer_whose_words_may_no_longer_be_read_is_told_to_no_model(memory, fake, ada):
    put(memory, "rome.md", page("Rome", {"Far": "Trains to Rome are paid."}))
    say(memory, ada, Said(ASSISTANT, "Trains to Rome are paid.", source_ids=[source_id("rome.md")]))
    change_row(memory, Source, ("default", source_id("rome.md")), readers=["board"])
    answer = memory.generate(ASKED, ada, asked=asked(ada))
    assert "Rome" not in told(fake.asked[0])
    assert source_id("rome.md") not in answer.read


def test_where_a_right_to_what_was_said_ends_while_the_model_writes_nothing_is_written(memory, fake, ada):
    put(memory, "rome.md", page("Rome", {"Far": "Rome is far away."}))
    say(memory, ada, Said(ASSISTANT, "Rome is far away.", source_ids=[source_id("rome.md")]))
    writes = fake.usually

    def _meanwhile(request):
        change_row(memory, Source, ("default", source_id("rome.md")), readers=["board"])
        return writes(request)

    fake.usually = _meanwhile
    with pytest.raises(NotFound):
        memory.generate(ASKED, ada, asked=asked(ada))
    assert rows(memory, Trace) == []


@pytest.mark.parametrize("limits", [{"budget_tokens": 4000}, {"endpoint": {"context_window": 3000}}])
def test_the_longest_conversation_takes_no_passage_away_and_what_has_no_room_is_put_aside(reopen, fake, limits):
    memory = handbook(reopen(llm=writing(fake, max_tokens=200, **limits)))
    ada = add_person(memory, "Ada")
    memory.generate(ASKED, ada)
    for number in range(40):
        say(memory, ada, Said(USER, f"turn {number} " + "words " * 40))
    memory.generate(ASKED, ada, asked=asked(ada))
    alone, after = fake.asked
    assert told(after).count("</passage") == told(alone).count("</passage") > 0
    assert "turn 39" in told(after)
    assert "turn 0 " not in told(after)
    size = sum(len(message["content"].encode()) for message in after["messages"])
    assert size + 200 <= 4000 * 4
    assert "budget_tokens" not in limits or size + 200 <= 4000
    spooled = {bytes(row.content)[:8] for row in rows(memory, Spooled)}
    assert b"turn 0 w" in spooled
    assert b"turn 39 " not in spooled


# ── questions that go on ──


@pytest.fixture
def plain(reopen):
    """No language model: sentences are quoted."""
    return handbook(reopen(answers={"min_cosine": 0.35}))


def answered(memory, who, question):
    """The answer in the thread; None where nothing was found."""
    try:
        answer = memory.generate(question, who, asked=asked(who))
    except InsufficientEvidence:
        return None
    return answer if answer.known else None


def test_a_question_that_goes_on_is_answered_with_the_one_before(plain):
    ada = add_person(plain, "Ada")
    assert answered(plain, ada, "and in Berlin?") is None
    say(plain, ada, Said(USER, ASKED), Said(ASSISTANT, "40 EUR."))
    answer = plain.generate("and in Berlin?", ada, asked=asked(ada))
    assert "52 EUR" in answer.text
    assert answer.question == f"{ASKED} and in Berlin?", "saved, it must say by itself what is asked"
    assert rows(plain, Trace)[-1].body["question"].endswith("and in Berlin?")


@pytest.mark.parametrize("question", ["and in Paris?", "How tall is the tower there?", "Who won the cup?"])
def test_history_makes_no_answer_to_what_nothing_found_speaks_of(plain, question):
    ada = add_person(plain, "Ada")
    say(plain, ada, Said(USER, ASKED), Said(ASSISTANT, "40 EUR."))
    assert answered(plain, ada, question) is None


def test_a_question_near_enough_by_itself_is_answered_by_itself(plain):
    ada = add_person(plain, "Ada")
    say(plain, ada, Said(USER, "Where is the office?"))
    answer = plain.generate(ASKED, ada, asked=asked(ada))
    assert (answer.known, answer.question) == (True, ASKED)


def test_what_was_asked_after_it_or_by_another_is_not_gone_on_from(plain):
    ada, bob = add_person(plain, "Ada"), add_person(plain, "Bob")
    say(plain, ada, Said(USER, "and in Berlin?"), event_id="now")
    say(plain, ada, Said(USER, ASKED))
    say(plain, bob, Said(USER, ASKED))
    assert answered(plain, ada, "and in Berlin?") is None


# ── questions that go on, with a model ──


def modelled(reopen, fake, window):
    limits = {"max_tokens": 400, "endpoint": {"context_window": window}}
    memory = handbook(reopen(llm=writing(fake, **limits), answers={"min_cosine": 0.35}))
    return memory, add_person(memory, "Ada")


@pytest.mark.parametrize(("window", "is_told"), [(1000, False), (8000, True)])
def test_a_model_is_asked_what_a_question_that_goes_on_means_with_or_without_the_one_before(
    reopen, fake, window, is_told
):
    memory, ada = modelled(reopen, fake, window)
    say(memory, ada, Said(USER, ASKED), Said(ASSISTANT, "40 EUR."))
    answer = memory.generate("and in Berlin?", ada, asked=asked(ada))
    [request] = fake.asked
    assert ("<turn" in told(request)) is is_told
    assert f"{ASKED} and in Berlin?\n</question" in told(request)
    assert answer.question == f"{ASKED} and in Berlin?"


def test_a_question_before_that_leaves_no_room_is_not_gone_on_from(reopen, fake):
    """It fitted when it was asked; both together do not."""
    memory, ada = modelled(reopen, fake, 1000)
    say(memory, ada, Said(USER, f"{ASKED} {'Tell me. ' * 200}"))
    assert answered(memory, ada, "and in Berlin?") is None


def test_what_is_withdrawn_while_evidence_is_sought_is_told_to_no_model(reopen, fake):
    memory, ada = modelled(reopen, fake, 8000)
    say(memory, ada, Said(USER, ASKED), event_id=inbox.key(place(ada), "q0"))
    history = memory.conversation.history

    def _withdrawn_first(*arguments):
        assert memory.conversation.withdraw("default", place(ada), "q0", None)
        return history(*arguments)

    memory.conversation.history = _withdrawn_first
    with pytest.raises(NotFound, match="deleted or changed just now"):
        memory.generate("and in Berlin?", ada, asked=asked(ada))
    assert (fake.asked, rows(memory, Trace)) == ([], [])


# ── explained ──


def test_what_is_explained_is_what_is_told_also_where_a_compaction_is_due(reopen, fake):
    memory, ada = modelled(reopen, fake, 3000)
    fake.usually = says("A meal may cost 40 EUR at most. [1]", usage=None)
    due = 0
    for number in range(9):
        say(memory, ada, Said(USER, f"turn {number} " + "words " * 250), Said(ASSISTANT, f"heard {number}"))
        before = [row.compacted for row in rows(memory, ThreadEvent)]
        view = memory.explain_thread(asked(ada), ada, ASKED)
        assert [row.compacted for row in rows(memory, ThreadEvent)] == before, "it writes nothing"
        memory.generate(ASKED, ada, asked=asked(ada))
        turns = re.findall(r'from="\w+">\n(.*?)\n</turn', told(fake.asked[-1]), re.DOTALL)
        assert [event.text for event in view.events if not event.reason] == turns
        aside = [event.ref for event in view.events if event.reason == "compacted"]
        assert set(aside) == {row.ref for row in rows(memory, ThreadEvent) if row.compacted}
        due += len(aside) > sum(map(bool, before))
    assert due


def test_a_question_that_goes_on_is_explained_as_what_it_means(reopen, fake):
    memory, ada = modelled(reopen, fake, 8000)
    say(memory, ada, Said(USER, ASKED), Said(ASSISTANT, "40 EUR."))
    short, whole = (memory.explain_thread(asked(ada), ada, f"{before}and in Berlin?") for before in ("", f"{ASKED} "))
    assert (short.budget, short.used) == (whole.budget, whole.used)
