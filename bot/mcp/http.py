"""MCP over HTTP, at `/mcp`: each POST is one exchange, JSON in and JSON out, for the caller of its own API key.

Nothing is kept between two of them: no session that could be another's, no stream that stays open. So the SDK, which
is an ASGI application, needs no server of its own: it is handed a request that has been read, and its answer is sent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from aiohttp import web
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from bot.http.v1.answering import Incoming
from bot.http.v1.arriving import body_later, read_body, secret_of
from bot.http.v1.reading import parse
from bot.http.v1.refusing import problems_for_all
from bot.http.v1.route import Outcome, Route
from bot.http.v1.serving import Server
from bot.mcp.refusing import errors_for_all
from bot.mcp.tools import memory_server
from core.text.strict_json import DEEPEST

Message = MutableMapping[str, Any]
Asgi = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

_ENVELOPE = 4
"""Levels of a message around the arguments of a call."""
_HERE = ("127.0.0.1", "localhost", "[::1]")


def mcp_app(desk: Server, hosts: Iterable[str]) -> web.Application:
    """To be mounted under `/mcp`. `hosts`: the names besides this machine's by which it may be called."""
    names = (*_HERE, *hosts)
    security = TransportSecuritySettings(
        allowed_hosts=[name + port for name in names for port in ("", ":*")],
        allowed_origins=[
            f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in names for port in ("", ":*")
        ],
    )

    async def handle(request: web.Request) -> web.Response:
        secret = secret_of(request)
        principal = await desk.caller(secret)
        with desk.turn(principal):
            raw = await read_body(request, desk.limits.largest_json, desk.limits.body_secs)
            await asyncio.to_thread(parse, raw, DEEPEST + _ENVELOPE)  # the SDK would take the last of two names

            async def call(route: Route, body: bytes) -> Outcome:
                return await desk.answered(route, Incoming(principal, secret, body))

            server = memory_server(call)
            sessions = StreamableHTTPSessionManager(
                server, json_response=True, stateless=True, security_settings=security
            )
            async with sessions.run():
                return await _exchanged(request, raw, sessions.handle_request)

    app = web.Application(middlewares=[errors_for_all, problems_for_all])
    app.router.add_post("", handle, expect_handler=body_later)
    return app


async def _exchanged(request: web.Request, raw: bytes, application: Asgi) -> web.Response:
    """What an ASGI application says to a request that has been read to its end."""
    arrived: list[Message] = [{"type": "http.request", "body": raw, "more_body": False}]
    told: list[Message] = []

    async def receive() -> Message:
        if not arrived:
            await asyncio.get_running_loop().create_future()  # until the exchange is over: nobody hangs up here
        return arrived.pop()

    async def send(message: Message) -> None:
        told.append(message)

    await application(_scope(request), receive, send)
    start, *parts = told
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"]]
    body = b"".join(part.get("body", b"") for part in parts)
    return web.Response(status=start["status"], body=body or None, headers=headers)


def _scope(request: web.Request) -> Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "root_path": "",
        "query_string": request.query_string.encode(),
        "headers": [_header(name.lower(), value) for name, value in request.raw_headers],
    }


def _header(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """Names of machines are the same in any case; the SDK compares letters."""
    return name, value.lower() if name in {b"host", b"origin"} else value
