"""An embeddings endpoint on loopback, as OpenAI's answers and as real ones fail."""

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from core.embed.hashing import HashingEmbedder

Reply = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; None: the connection breaks."""
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

    def answer(self, path: str, body: Any, key: str | None) -> Reply:
        if path != "/v1/embeddings" or body["model"] != "small":
            return refuses(404, {"error": {"message": "no model", "code": "model_not_found"}})([])
        if "" in body["input"]:
            return refuses(400, {"error": {"message": "'$.input' is invalid", "type": "invalid_request_error"}})([])
        self.asked.append((body["input"], key))
        return (self.script.pop(0) if self.script else good)(body["input"])


@contextmanager
def fake_endpoint() -> Iterator[FakeEndpoint]:
    fake = FakeEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = fake.answer(self.path, body, self.headers["Authorization"])
            if reply is None:
                self.close_connection = True
                return
            self.send_response(reply[0])
            for name, value in ({"Content-Length": str(len(reply[2]))} | reply[1]).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply[2])

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: what goes wrong here is meant to."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield fake
    finally:
        fake.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
