"""A memory whose answers are written by a server on loopback."""

import pytest

from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel
from tests.fakes.completions import fake_completions
from tests.support.memories import page, put


@pytest.fixture
def fake():
    with fake_completions() as running:
        yield running


@pytest.fixture
def llm(fake):
    """The model behind the fake; with other limits when asked."""

    def _llm(**limits):
        endpoint = LlmEndpoint(fake.url, **{"retries": 0, "timeout_secs": 20, **limits.pop("endpoint", {})})
        return LanguageModel(OpenAiCompatibleProvider(endpoint), "small", **limits)

    return _llm


@pytest.fixture
def memory(reopen, llm):
    return reopen(llm=llm())


@pytest.fixture
def handbook(memory):
    """What may be spent."""
    sections = {
        "Meals": "A meal may cost 40 EUR at most. Drinks are never paid.",
        "Hotels": "A night in a hotel may cost 120 EUR at most.",
    }
    put(memory, "travel.md", page("Travel", sections))
    return memory
