"""Who writes answers is a matter of settings: nobody, unless a server and a model are named; its key is never shown."""

import pytest

import bot.config
from bot.config import Settings, load, make_llm, open_memory
from core.errors import InvalidConfig
from core.generate.openai_compatible import OpenAiCompatibleProvider

LLM = "[llm]\nprovider = 'openai'\nbase_url = 'https://api.example.com/v1'\nmodel = 'small'\n"
VARIABLE = "CLARIFY_LLM__KEY"


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Settings from a file with this text."""
    monkeypatch.chdir(tmp_path)

    def _write(text):
        (tmp_path / "clarify-bot.toml").write_text(text)
        return load()

    return _write


def test_by_default_no_model_writes_answers():
    assert make_llm(Settings()) is None


def test_a_server_and_a_model_are_enough_and_what_was_set_is_what_is_used(written, monkeypatch):
    monkeypatch.setenv(VARIABLE, " sk-secret\n")
    more = "timeout_secs = 5\nretries = 1\nmax_tokens = 50\nbudget_tokens = 4000\ncontext_window = 2048\n"
    llm = make_llm(written(LLM + more))
    assert isinstance(llm.provider, OpenAiCompatibleProvider)
    assert (llm.name, llm.max_tokens, llm.budget_tokens) == ("small", 50, 4000)
    assert llm.provider.context_window("small") == 2048
    endpoint = llm.provider._endpoint
    assert (endpoint.base_url, endpoint.timeout_secs, endpoint.retries) == ("https://api.example.com/v1", 5, 1)
    assert endpoint.key.get_secret_value() == "sk-secret"
    assert make_llm(written(LLM)).provider.context_window("small") is None


def test_the_memory_that_settings_describe_asks_that_model(written):
    with open_memory(written("embedder = 'hashing'\n" + LLM)) as memory:
        assert memory._engines.generate._llm.name == "small"


@pytest.mark.parametrize("without", ["base_url", "model"])
def test_a_model_needs_an_address_and_a_name(written, without):
    text = "\n".join(line for line in LLM.splitlines() if not line.startswith(without))
    with pytest.raises(InvalidConfig, match=rf"llm\.base_url, .*llm\.model; .*{VARIABLE}"):
        make_llm(written(text))


def test_without_the_package_it_is_said_how_to_get_it(written, monkeypatch):
    monkeypatch.setattr(bot.config, "find_spec", lambda name: None)
    with pytest.raises(InvalidConfig, match=r"package openai: .*pip install '\.\[llm\]'"):
        make_llm(written(LLM))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LLM + "key = 'sk-secret'\n", ["llm.key must not be written here", VARIABLE]),
        (LLM + "key = {sk-secret = 1}\n", ["llm.key must not be written here", VARIABLE]),
        (LLM + "retries = -1\n", ["llm.retries is -1", "greater than or equal to 0"]),
        (LLM + "max_tokens = 0\n", ["llm.max_tokens is 0", "greater than or equal to 1"]),
        ("llm = 'sk-secret'\n", ["llm: "]),
        (LLM + "token = 'sk-secret'\n", ["llm.token", "no such setting"]),
        ("[llm]\nprovider = 'none'\n", ["llm.provider is 'none'", "'extractive' or 'openai'"]),
    ],
)
def test_what_is_off_is_named_and_a_key_is_not(written, text, words):
    with pytest.raises(InvalidConfig) as refused:
        written(text)
    assert all(word in str(refused.value) for word in words)
    assert "sk-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LLM.replace("https://", "https://me:pw@"), "without a password"),
        (LLM.replace("https://", "file://"), "must be http"),
        (LLM + "max_tokens = 500\nbudget_tokens = 500\n", "max_tokens is 500; .* below budget_tokens, which is 500"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anybody_asks(written, text, words):
    with pytest.raises(InvalidConfig, match=words) as refused:
        make_llm(written(text))
    assert "pw" not in str(refused.value).replace("password", "")


def test_a_key_in_the_wrong_shape_is_not_shown(written, monkeypatch):
    monkeypatch.setenv(VARIABLE, "sk-sec\nret")
    settings = written(LLM)
    with pytest.raises(InvalidConfig, match="copy it again") as refused:
        make_llm(settings)
    assert "sk-" not in str(refused.value)
    assert "sk-" not in repr(settings)
