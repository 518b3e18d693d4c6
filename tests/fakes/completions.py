"""A chat completions server on loopback, as OpenAI's answers and as real ones fail."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tests.fakes.posted import Reply, serving

Answer = Callable[[Mapping[str, Any]], Reply]

USAGE = {"prompt_tokens": 211, "completion_tokens": 17, "total_tokens": 228}


def sends(body: object, status: int = 200, **headers: str) -> Answer:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"Content-Type": "application/json"} | {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _asked: (status, named, raw)


def says(text: str | None, finish: str = "stop", usage: object = USAGE, **message: Any) -> Answer:
    """A whole answer with this text."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return sends({"id": "c1", "object": "chat.completion", "created": 1, "choices": [choice], "usage": usage})


def refuses(status: int, message: str = "no", **headers: str) -> Answer:
    return sends({"error": {"message": message, "type": "error"}}, status, **headers)


def breaks(_asked: Mapping[str, Any]) -> Reply:
    return None


def within(window: int, count: Callable[[str], int], answer: Callable[[Mapping[str, int]], Answer]) -> Answer:
    """Refuses what does not fit its window with the longest answer, by a real count of what it is sent.

    `answer`: to what fits, given the usage that it reports.
    """

    def _answer(asked: Mapping[str, Any]) -> Reply:
        prompt = sum(4 + count(message["content"]) for message in asked["messages"]) + 3
        most = asked.get("max_tokens") or asked["max_completion_tokens"]
        if prompt + most > window:
            return refuses(400, f"{prompt} and {most} tokens are more than {window}")(asked)
        return answer({"prompt_tokens": prompt, "completion_tokens": 20, "total_tokens": prompt + 20})(asked)

    return _answer


def told(asked: Mapping[str, Any]) -> str:
    """Everything that a request says, as one text."""
    return "\n".join(message["content"] for message in asked["messages"])


class FakeCompletions:
    """Answers with `script`, one a request, and then with `usually`. `asked`, `headers`: of each request."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.usually: Answer = says("NOT_IN_PASSAGES")
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.closing = threading.Event()
        self.url = ""

    def silent(self, _asked: Mapping[str, Any]) -> Reply:
        """Nothing comes as long as anybody waits."""
        self.closing.wait(20)
        return None

    def answer(self, path: str, body: Any, headers: Mapping[str, str]) -> Reply:
        self.asked.append(body)
        self.headers.append({name.lower(): value for name, value in headers.items()})
        if path != "/v1/chat/completions":
            return refuses(404)(body)
        return (self.script.pop(0) if self.script else self.usually)(body)


@contextmanager
def fake_completions() -> Iterator[FakeCompletions]:
    fake = FakeCompletions()
    with serving(fake):
        yield fake
