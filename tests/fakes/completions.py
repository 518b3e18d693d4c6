"""A chat completions server on loopback, as OpenAI's answers and as real ones fail."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; None: the connection breaks."""
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

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = fake.answer(self.path, body, self.headers)
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
