"""A server on loopback that takes posted JSON, for fakes of what programs call."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

Reply = tuple[int, dict[str, str], bytes] | None
"""Status, headers and body; None: the connection breaks."""


class Fake(Protocol):
    """`closing` is set when the server ends. `url`: its address, up to and including /v1."""

    closing: threading.Event
    url: str

    def answer(self, path: str, body: Any, headers: Mapping[str, str]) -> Reply: ...


@contextmanager
def serving(fake: Fake) -> Iterator[None]:
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
        yield
    finally:
        fake.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
