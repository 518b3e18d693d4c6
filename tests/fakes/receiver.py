"""A program that takes webhooks, as a server on loopback that speaks raw HTTP: it can also do what no library would.

Each request is kept. `script` says how the next are answered, one after the other; without one, with 204:

    a number      that status; (number, headers) with these as well
    silence       nothing, ever
    slow head     the first line, and then nothing
    slow body     a 200 that announces more than ever comes
    huge body     a 200 whose body does not end
    reset         the connection is cut
    nonsense      no HTTP
    endless head  header lines that do not end
"""

import asyncio
import socket
import ssl
import struct
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Request:
    line: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    port: int = 0
    requests: list[Request] = field(default_factory=list)
    script: deque[object] = field(default_factory=deque)
    connections: int = 0
    written: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks?for=ledger"

    @property
    def ids(self) -> list[str]:
        return [request.headers["webhook-id"] for request in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError, asyncio.CancelledError):
            self.requests.append(await _read(reader))
            answer = self.script.popleft() if self.script else 204
            await self._answer(answer, reader, writer)
        writer.close()

    async def _answer(self, answer: object, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answer == "reset":
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            return
        writer.write(_head(answer))
        await writer.drain()
        if isinstance(answer, str) and answer in _PIECES:
            await self._on_and_on(writer, _PIECES[answer])
        elif isinstance(answer, str) and answer != "nonsense":
            await reader.read()  # until they hang up

    async def _on_and_on(self, writer: asyncio.StreamWriter, piece: bytes) -> None:
        while True:
            writer.write(piece * 4096)
            await writer.drain()
            self.written += len(piece) * 4096


_HEADS = {
    "nonsense": b"220 mail.example.com ESMTP ready\r\n",
    "silence": b"",
    "slow head": b"HTTP/1.1 200 OK\r\n",
    "endless head": b"HTTP/1.1 200 OK\r\n",
    "slow body": b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\nbegun",
    "huge body": b"HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\nbegun",
}
_PIECES = {"endless head": b"x-more: and more\r\n", "huge body": b"x"}


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    line, *rest = head.strip().split("\r\n")
    headers = {name.lower(): value for name, value in (one.split(": ", 1) for one in rest)}
    return Request(line, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def _head(answer: object) -> bytes:
    if isinstance(answer, str):
        return _HEADS[answer]
    status, headers = answer if isinstance(answer, tuple) else (answer, {})
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in headers.items()), "content-length: 0"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@asynccontextmanager
async def receiver(certificate: Path | None = None) -> AsyncIterator[Receiver]:
    """Listening on 127.0.0.1, with TLS where a certificate is given."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH) if certificate else None
    if context and certificate:
        context.load_cert_chain(certificate)
    taking = Receiver()
    server = await asyncio.start_server(taking.serve, "127.0.0.1", 0, ssl=context)
    taking.port = server.sockets[0].getsockname()[1]
    try:
        yield taking
    finally:
        server.close()
        await server.wait_closed()
