"""A server that speaks OpenAI's API: a whole answer, or one sentence on what is wrong, and no word of the prompt."""

import logging
import socket
import threading
import traceback
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from core.clock import Deadline
from core.errors import GenerateUnavailable, InvalidConfig
from core.generate.completions import completion
from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import Message
from core.model.answers import Usage
from tests.fakes.completions import breaks, refuses, says, sends
from tests.support.threads import at_once

KEY, SECRET = "sk-very-secret", "the private words of a memo"
MESSAGES = [Message("system", "Answer."), Message("user", SECRET)]
SOON = {"Retry_After": "0.01"}


@pytest.fixture
def ask(fake):
    def _ask(max_tokens=50, **endpoint):
        settings = {"key": SecretStr(KEY), "retries": 2, "timeout_secs": 20, **endpoint}
        return OpenAiCompatibleProvider(LlmEndpoint(fake.url, **settings)).complete(MESSAGES, "small", max_tokens)

    return _ask


def test_messages_model_and_limit_are_sent_and_text_and_usage_come_back(fake, ask):
    fake.script = [says("It is 40. [1]")]
    found = ask()
    assert (found.text, found.usage) == ("It is 40. [1]", Usage(211, 17))
    said = [{"role": "system", "content": "Answer."}, {"role": "user", "content": SECRET}]
    assert fake.asked == [{"model": "small", "messages": said, "max_tokens": 50}]
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "usage",
    [
        {},
        [],
        "lots",
        7,
        {"prompt_tokens": 11},
        {"completion_tokens": 11},
        {"total_tokens": 11},
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": "lots", "completion_tokens": 1},
        {"prompt_tokens": 1.5, "completion_tokens": 1},
        {"prompt_tokens": 1e300, "completion_tokens": 1},
        {"prompt_tokens": -5, "completion_tokens": 1},
        {"prompt_tokens": 5, "completion_tokens": -1},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 10**400, "completion_tokens": 1},
        {"prompt_tokens": 1, "completion_tokens": 10**400},
        {"prompt_tokens": [1], "completion_tokens": {}},
        {"prompt_tokens": True, "completion_tokens": False},
        {"prompt_tokens": "12", "completion_tokens": 1},
    ],
    ids=lambda usage: str(usage)[:60],
)
def test_a_usage_that_cannot_be_read_is_as_one_that_was_not_said_and_loses_no_answer(fake, ask, usage):
    fake.script = [says("It is 40. [1]", usage=usage)]
    found = ask()
    assert (found.text, found.usage) == ("It is 40. [1]", None)


def test_an_answer_without_a_usage_is_one(fake, ask):
    fake.script = [sends({"choices": [{"message": {"content": "It is 40. [1]"}}]})]
    assert (ask().text, fake.script) == ("It is 40. [1]", [])


def test_nothing_of_the_environment_is_sent_to_a_server_it_is_not_meant_for(fake, ask, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "not-yours")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    ask(key=SecretStr(""))
    assert "authorization" not in fake.headers[0]
    assert "not-yours" not in str(fake.headers)


@pytest.mark.parametrize("busy", [refuses(429, **SOON), refuses(500, **SOON), refuses(503, **SOON)])
def test_what_is_busy_or_fails_is_asked_again_as_often_as_was_set(fake, ask, busy):
    fake.script = [busy, busy, says("ok")]
    assert ask().text == "ok"
    assert len(fake.asked) == 3
    fake.script = [busy] * 9
    with pytest.raises(GenerateUnavailable):
        ask()
    assert len(fake.asked) == 6
    assert len(fake.script) == 6


def test_a_wait_that_the_server_asks_for_is_kept_to(fake, ask, monkeypatch):
    waited = []
    monkeypatch.setattr(Deadline, "rest", lambda _, secs: waited.append(secs) is None)
    fake.script = [refuses(429, Retry_After="7"), refuses(503, retry_after_ms="30"), says("ok")]
    assert ask().text == "ok"
    assert waited == [7, 0.03]


def test_one_that_is_longer_than_what_is_left_is_not_waited_for(fake, ask):
    fake.script = [refuses(429, Retry_After="30"), says("ok")]
    with pytest.raises(GenerateUnavailable, match="busy"):
        ask()
    assert len(fake.asked) == 1


class NearlyOver:
    """A deadline of which the first try takes nearly all."""

    def __init__(self, secs):
        self._left, self._waits = iter((secs, 0.05)), iter((True, False))

    def left(self):
        return next(self._left)

    def rest(self, _):
        return next(self._waits)


def test_all_tries_together_have_one_time(fake, ask, monkeypatch):
    monkeypatch.setattr("core.generate.openai_compatible.Deadline", NearlyOver)
    fake.script = [refuses(503), fake.silent, says("ok")]
    with pytest.raises(GenerateUnavailable, match="nothing came within 20 seconds") as refused:
        ask()
    assert refused.value.passing
    assert len(fake.asked) == 2


def trickles(conversation):
    """An answer whose end never comes, a space at a time."""
    with suppress(OSError):
        conversation.recv(65_536)
        conversation.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n")
        while not threading.Event().wait(0.01):
            conversation.sendall(b" ")


def breaks_off(conversation):
    conversation.recv(65_536)
    conversation.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{")


@contextmanager
def speaking(answer):
    """A server that answers each connection so; its address, and how many came."""
    came = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with suppress(OSError):
                while True:
                    conversation, _ = server.accept()
                    came.append(conversation)
                    with conversation:
                        answer(conversation)

        serving = threading.Thread(target=serve)
        serving.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", came
        server.shutdown(socket.SHUT_RDWR)
        serving.join()


def test_a_body_that_comes_a_space_at_a_time_is_not_waited_for():
    with speaking(trickles) as (url, came):
        slow = OpenAiCompatibleProvider(LlmEndpoint(url, timeout_secs=0.3))
        assert slow._client, "which takes a while to load"
        with pytest.raises(GenerateUnavailable, match=r"nothing came within 0\.3 seconds") as refused:
            slow.complete(MESSAGES, "small", 50)
    assert refused.value.passing
    assert len(came) == 1


def test_a_body_that_breaks_off_is_asked_for_again(monkeypatch):
    monkeypatch.setattr(Deadline, "rest", lambda _, __: True)
    with speaking(breaks_off) as (url, came), pytest.raises(GenerateUnavailable, match="cannot be reached") as refused:
        OpenAiCompatibleProvider(LlmEndpoint(url, retries=2)).complete(MESSAGES, "small", 50)
    assert refused.value.passing
    assert len(came) == 3


def test_without_retries_a_server_is_asked_once(fake, ask):
    fake.script = [refuses(503)] * 2
    with pytest.raises(GenerateUnavailable):
        ask(retries=0)
    assert len(fake.asked) == 1


def test_a_server_that_never_answers_is_waited_for_as_long_as_was_set(fake, ask):
    fake.script = [fake.silent]
    with pytest.raises(GenerateUnavailable, match=r"nothing came within 0\.2 seconds") as refused:
        ask(retries=0, timeout_secs=0.2)
    assert refused.value.passing


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (refuses(400), "longer than the model's window"),
        (refuses(401, f"wrong key {KEY}"), "set CLARIFY_LLM__KEY"),
        (refuses(403), "may not use this model"),
        (refuses(404), "llm.base_url ends in /v1"),
        (refuses(413), "lower llm.budget_tokens"),
        (refuses(429), "busy, or the quota is used up"),
        (refuses(500, SECRET), "failed (500)"),
        (sends(b"", 302, Location="http://127.0.0.1:1/"), "failed (302)"),
        (breaks, "cannot be reached"),
        (sends(b"not json"), "no chat completion"),
        (sends(b"<html>", Content_Type="text/html"), "no chat completion"),
        (sends([1]), "no chat completion"),
        (sends({"choices": [{"message": {"content": [1]}}]}), "no chat completion"),
        (sends({"choices": []}), "no answer"),
        (says("A half", "length"), "cut off at llm.max_tokens, which is 50"),
        (says("x", "content_filter"), "a filter held its answer back"),
        (says(None, refusal=SECRET), "refused to answer"),
        (says(None, tool_calls=[{"id": "1"}]), "asked for a tool"),
        (says(None), "is empty"),
        (says(" \n"), "is empty"),
        (says("x" * 300_000), "far more than the 50 tokens"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said_and_nothing_else(fake, ask, bad, words, caplog):
    caplog.set_level(logging.DEBUG)
    fake.usually = bad
    with pytest.raises(GenerateUnavailable) as refused:
        ask(retries=0)
    assert words in str(refused.value)
    assert "the language model small at 127.0.0.1" in str(refused.value)
    told = "".join(traceback.format_exception(refused.value)) + caplog.text
    assert not any(secret in told for secret in (SECRET, KEY, "A half"))


@pytest.mark.parametrize(
    ("bad", "passing"),
    [
        (refuses(429), True), (refuses(500), True), (refuses(503), True), (refuses(408), True), (breaks, True),
        (refuses(400), False), (refuses(401), False), (refuses(404), False), (says("A half", "length"), False),
        (says(""), False), (sends(b"not json"), False), (says(None, refusal="no"), False),
    ],
)  # fmt: skip
def test_only_what_a_server_may_get_over_is_worth_another_try_later(fake, ask, bad, passing):
    fake.usually = bad
    with pytest.raises(GenerateUnavailable) as refused:
        ask(retries=0)
    assert refused.value.passing is passing


def test_a_model_that_knows_the_limit_by_its_newer_name_gets_it_from_then_on(fake):
    provider = OpenAiCompatibleProvider(LlmEndpoint(fake.url, retries=0))
    fake.script = [refuses(400, "Unsupported parameter: use 'max_completion_tokens'"), says("ok"), says("ok")]
    for _ in range(2):
        assert provider.complete(MESSAGES, "small", 50).text == "ok"
    assert [sorted({"max_tokens", "max_completion_tokens"} & set(asked)) for asked in fake.asked] == [
        ["max_tokens"], ["max_completion_tokens"], ["max_completion_tokens"],
    ]  # fmt: skip


def test_a_server_that_refuses_both_names_is_not_asked_for_ever(fake, ask):
    fake.usually = refuses(400, "max_completion_tokens")
    with pytest.raises(GenerateUnavailable):
        ask()
    assert len(fake.asked) == 2


def test_two_threads_that_learn_the_newer_name_at_once_both_get_an_answer(fake):
    both_asked = threading.Barrier(2)

    def _knows_the_newer_name_alone(asked):
        if "max_tokens" in asked:
            both_asked.wait(20)
            return refuses(400, "Unsupported parameter: use 'max_completion_tokens'")(asked)
        return says("ok")(asked)

    fake.usually = _knows_the_newer_name_alone
    provider = OpenAiCompatibleProvider(LlmEndpoint(fake.url, retries=0))
    found = at_once(*[lambda: provider.complete(MESSAGES, "small", 50)] * 2)
    assert [one.text for one in found] == ["ok", "ok"]


def test_what_the_client_lets_through_is_a_failure_of_the_model_too(fake):
    """It encodes an address and a text by itself, and what is wrong with them is no error of its own."""
    secret = [Message("user", f"{SECRET} \ud800")]
    for provider, messages in (
        (OpenAiCompatibleProvider(LlmEndpoint(fake.url, retries=0)), secret),
        (OpenAiCompatibleProvider(LlmEndpoint("http://\u2603/v1", retries=0)), MESSAGES),
    ):
        with pytest.raises(GenerateUnavailable, match="its client failed") as refused:
            provider.complete(messages, "small", 50)
        assert SECRET not in "".join(traceback.format_exception(refused.value))


def test_any_number_of_threads_may_ask(fake):
    provider = OpenAiCompatibleProvider(LlmEndpoint(fake.url))
    fake.usually = says("ok")
    found = at_once(*[lambda: provider.complete(MESSAGES, "small", 50)] * 6)
    assert [one.text for one in found] == ["ok"] * 6


def test_it_says_what_it_knows_of_its_models():
    provider = OpenAiCompatibleProvider(LlmEndpoint("http://127.0.0.1/v1", context_window=2048))
    assert (provider.count("small", "text"), provider.context_window("small")) == (None, 2048)


@pytest.mark.parametrize(
    "url",
    [
        "", "x", "ftp://h/v1", "https://", "https://u:p@h/v1", "https://h/v1?k=1", "http://h:0/v1", "http://[/v1",
        "http://a..b/v1", "http://.a/v1", "http://a\tb/v1", "http://a\u2028b/v1", "http://a b/v1", "http://h/\nv1",
        "http://a<b/v1", "http://a\\b/v1", "http://-a/v1", f"http://{'a' * 64}.com/v1", "http://999.1.1.1/v1",
        "http://h/\ud800", "http://\ud800/v1",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_one_is_refused(url):
    with pytest.raises(InvalidConfig, match="base_url of a language model must be"):
        LlmEndpoint(url)


@pytest.mark.parametrize(
    "url", ["http://h/v1", "https://a_b.c-d.example:8443/openai/v1", "http://10.0.0.7/v1", "http://[::1]:80/v1",
            "https://llm.b\u00fccher.example/v1", "http://h./v1"]
)  # fmt: skip
def test_an_address_that_can_be_one_is_taken(url):
    assert LlmEndpoint(url).base_url == url


def test_a_key_is_in_no_text_of_the_settings():
    assert KEY not in repr(LlmEndpoint("https://h/v1", SecretStr(KEY)))
    with pytest.raises(InvalidConfig, match="copy it again") as refused:
        LlmEndpoint("https://h/v1", SecretStr(f"{KEY} x"))
    assert KEY not in str(refused.value)


@given(st.binary(max_size=200))
def test_whatever_a_server_sends_is_an_answer_or_an_error_of_ours(body: bytes) -> None:
    with pytest.raises(GenerateUnavailable):
        completion(body, 10)
