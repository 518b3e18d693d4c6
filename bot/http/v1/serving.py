"""One way through for every request: who calls, what they say, core's call, and the answer. Errors are all problems.

The event loop reads and writes bytes and nothing else: keys are looked up, bodies parsed and answers rendered on the
gateway's threads. Who calls is settled before a byte of the body is read, by one path that says the same whatever is
wrong with a key. What is not there and what may not be seen are told alike, since core raises one error for both.
"""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from importlib.metadata import version
from typing import Any
from uuid import UUID

import structlog
from aiohttp import web

from bot.faults import described
from bot.http.v1.answering import Incoming, answer, of_problem
from bot.http.v1.limits import LIMITS, Limits
from bot.http.v1.openapi import document
from bot.http.v1.problems import Problem, of_core
from bot.http.v1.route import Document, Outcome, Pace, Route
from bot.memory_gateway import MemoryGateway
from core.errors import CoreError, UnknownKey
from core.model.principals import Principal

LONGEST_LINE = 32 * 1024
"""Bytes of a request's first line: an uri and readers as long as they may be, every character of them escaped."""
_BEARER = re.compile(r"Bearer +([!-~]{1,200}) *", re.IGNORECASE)

log = structlog.get_logger()
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """Serves routes over a memory."""

    def __init__(self, gateway: MemoryGateway, routes: Iterable[Route], limits: Limits = LIMITS) -> None:
        self._gateway = gateway
        self.limits = limits
        self._routes = tuple(routes)
        self._in_hand: Counter[UUID | None] = Counter()
        self._long = asyncio.Semaphore(limits.long_at_once)

    def app(self) -> web.Application:
        """To be mounted under `/v1`."""
        app = web.Application(middlewares=[problems_for_all])
        app.router.add_get("/openapi.json", _told(document(self._routes, version("clarify-bot"))))
        app.add_routes([web.route(one.method, _pattern(one.path), self._handler(one)) for one in self._routes])
        return app

    def _handler(self, route: Route) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            secret = secret_of(request)
            principal = await self.caller(secret)
            with self.turn(principal):
                raw = await _body(request, route, self.limits)
                return _response(await self.answered(route, _incoming(request, principal, secret, raw)))

        return handle

    async def caller(self, secret: str) -> Principal:
        """Whom a key stands for. Raises Problem UNAUTHENTICATED, whatever is wrong with it."""
        try:
            return await self._gateway.at_the_door(self._gateway.memory.api_keys.principal_of, secret)
        except UnknownKey:
            raise Problem("UNAUTHENTICATED") from None

    @contextmanager
    def turn(self, principal: Principal) -> Iterator[None]:
        """Raises Problem TOO_MANY_REQUESTS."""
        key = principal.api_key
        if self._in_hand[key] >= self.limits.at_once:
            raise Problem("TOO_MANY_REQUESTS", f"At most {self.limits.at_once} of them are worked on at once.")
        self._in_hand[key] += 1
        try:
            yield
        finally:
            self._in_hand[key] -= 1
            if not self._in_hand[key]:
                del self._in_hand[key]

    async def answered(self, route: Route, incoming: Incoming) -> Outcome:
        """Raises Problem, CoreError."""
        memory = self._gateway.memory
        try:
            async with asyncio.timeout(self.limits.answer_secs):
                if route.pace is Pace.BRIEF:
                    return await self._gateway.call(answer, memory, route, incoming)
                async with self._long:
                    return await self._gateway.at_length(answer, memory, route, incoming)
        except TimeoutError:
            raise Problem("TIMED_OUT", f"It was given up after {self.limits.answer_secs} seconds.") from None


def _told(described: Mapping[str, Any]) -> Handler:
    """What is the same for everybody, whoever they are."""
    body = json.dumps(described).encode()

    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type="application/json")

    return handle


def _pattern(path: str) -> str:
    """A path as aiohttp matches it: an uri holds slashes, an id does not."""
    return path.replace("{uri}", "{at:.+}").replace("{id}", "{at}")


def secret_of(request: web.Request) -> str:
    """The key that a request came with; empty, and so nobody's, where it came with none or with several."""
    said = request.headers.getall("Authorization", [])
    found = _BEARER.fullmatch(said[0]) if len(said) == 1 else None
    return found[1] if found else ""


def _incoming(request: web.Request, principal: Principal, secret: str, raw: bytes) -> Incoming:
    return Incoming(
        principal,
        secret,
        raw,
        request.headers.get("Content-Type", ""),
        tuple(request.query.items()),
        request.match_info.get("at", ""),
        request.headers.getall("Idempotency-Key", []),
    )


def _response(outcome: Outcome) -> web.Response:
    body = outcome.body or None
    return web.Response(status=outcome.status, body=body, headers=outcome.headers)


# ── the body ──


async def _body(request: web.Request, route: Route, limits: Limits) -> bytes:
    """Raises Problem UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, BODY_TOO_SLOW."""
    if route.body is None:
        return b""
    _check_kind(request, route)
    most = limits.largest_document if route.body is Document else limits.largest_json
    return await read_body(request, most, limits.body_secs)


async def read_body(request: web.Request, most: int, secs: float) -> bytes:
    """Raises Problem BODY_TOO_LARGE, BODY_TOO_SLOW."""
    if (request.content_length or 0) > most:
        raise _too_large(most)
    try:
        async with asyncio.timeout(secs):
            return await _read(request, most)
    except TimeoutError:
        raise Problem("BODY_TOO_SLOW", f"It must arrive within {secs} seconds.") from None


async def _read(request: web.Request, most: int) -> bytes:
    found = bytearray()
    async for chunk in request.content.iter_chunked(65_536):
        found += chunk
        if len(found) > most:
            raise _too_large(most)
    return bytes(found)


def _check_kind(request: web.Request, route: Route) -> None:
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Problem("UNSUPPORTED_MEDIA_TYPE", "A body is read as it is: send it without a Content-Encoding.")
    if route.body is not Document and request.content_type != "application/json":
        raise Problem("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with Content-Type: application/json.")


def _too_large(most: int) -> Problem:
    return Problem("BODY_TOO_LARGE", f"It may have at most {most} bytes.")


# ── errors ──


@web.middleware
async def problems_for_all(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Whatever goes wrong, the answer is a problem, and nothing of what went wrong is in it."""
    try:
        return await handler(request)
    except Problem as problem:
        return _response(of_problem(problem))
    except CoreError as error:
        return _response(of_problem(of_core(error)))
    except web.HTTPException as error:
        return _response(of_problem(_of_http(error)))
    except Exception as error:  # noqa: BLE001  # a bug is told to its finder by kind and place, and to nobody else
        log.error("http.failed", route=_canonical(request), error=described(error))
        return _response(of_problem(Problem("INTERNAL")))


def _canonical(request: web.Request) -> str:
    """Which endpoint, without what the address names."""
    resource = request.match_info.route.resource
    return resource.canonical if resource else ""


def _of_http(error: web.HTTPException) -> Problem:
    """What aiohttp says by itself."""
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return Problem("METHOD_NOT_ALLOWED", f"It knows {allowed}.", headers={"Allow": allowed})
    if error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return Problem("BODY_TOO_LARGE")
    return Problem("NO_SUCH_ROUTE" if error.status == HTTPStatus.NOT_FOUND else "INTERNAL")
