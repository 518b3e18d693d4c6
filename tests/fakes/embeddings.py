"""An embeddings endpoint on loopback, as OpenAI's answers and as real ones fail."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from core.embed.hashing import HashingEmbedder
from tests.fakes.posted import Reply, serving

Answer = Callable[[Sequence[str]], Reply]


def rows(texts: Sequence[str]) -> list[dict[str, Any]]:
    vectors = HashingEmbedder().embed(texts)
    return [
        {"object": "embedding", "index": place, "embedding": [float(number) * 3 for number in vector]}
        for place, vector in enumerate(vectors)
    ]


def says(data: object) -> Answer:
    """An answer with this in its `data`."""
    return lambda _texts: (200, {}, json.dumps({"object": "list", "data": data, "usage": {}}).encode())


def good(texts: Sequence[str]) -> Reply:
    return says(rows(texts))(texts)


def refuses(status: int, body: object = None, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _texts: (status, named, json.dumps(body or {"error": {"message": "no"}}).encode())


def breaks(_texts: Sequence[str]) -> Reply:
    return None


class FakeEndpoint:
    """Answers with `script`, one a request, and then well. `asked`: the texts of each request, with its key."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.asked: list[tuple[list[str], str | None]] = []
        self.closing = threading.Event()
        self.url = ""

    def silent(self, _texts: Sequence[str]) -> Reply:
        """Nothing comes as long as anybody waits."""
        self.closing.wait(20)
        return None

    def answer(self, path: str, body: Any, headers: Mapping[str, str]) -> Reply:
        if path != "/v1/embeddings" or body["model"] != "small":
            return refuses(404, {"error": {"message": "no model", "code": "model_not_found"}})([])
        if "" in body["input"]:
            return refuses(400, {"error": {"message": "'$.input' is invalid", "type": "invalid_request_error"}})([])
        self.asked.append((body["input"], headers["Authorization"]))
        return (self.script.pop(0) if self.script else good)(body["input"])


@contextmanager
def fake_endpoint() -> Iterator[FakeEndpoint]:
    fake = FakeEndpoint()
    with serving(fake):
        yield fake
