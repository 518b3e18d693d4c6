"""One way through for every request: who calls, what they say, core's call, and the answer. Errors are all problems.

The event loop reads and writes bytes and nothing else: keys are looked up, bodies parsed and answers rendered on the
gateway's threads. Who calls is settled before a byte of the body is read, by one path that says the same whatever is
wrong with a key, and once more where the work begins: until then a body has arrived and others have had their turns,
which may take minutes. What is not there and what may not be seen are told alike, since core raises one error for both.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from importlib.metadata import version
from typing import Any

from aiohttp import web
from structlog.contextvars import bind_contextvars

from bot.http.v1.answering import Incoming, answer
from bot.http.v1.arriving import body_later, body_of_route, check_address, check_conditions, secret_of
from bot.http.v1.limits import LIMITS, Limits
from bot.http.v1.openapi import document
from bot.http.v1.problems import Problem
from bot.http.v1.refusing import Handler, problems_for_all, response_of
from bot.http.v1.route import Outcome, Pace, Route
from bot.http.v1.turns import Turns
from bot.memory_gateway import MemoryGateway
from core.errors import UnknownKey
from core.model.principals import Principal

LONGEST_LINE = 32 * 1024
"""Bytes of a request's first line: an uri and readers as long as they may be, every character of them escaped."""


class Server:
    """Serves routes over a memory."""

    def __init__(self, gateway: MemoryGateway, routes: Iterable[Route], limits: Limits = LIMITS) -> None:
        self._gateway = gateway
        self.limits = limits
        self._routes = tuple(routes)
        self._turns = Turns(limits)

    def app(self) -> web.Application:
        """To be mounted under `/v1`."""
        app = web.Application(middlewares=[problems_for_all])
        app.router.add_get("/openapi.json", _told(document(self._routes, version("clarify-bot"))))
        for route in self._routes:
            app.router.add_route(route.method, _pattern(route.path), self._handler(route), expect_handler=body_later)
        return app

    def _handler(self, route: Route) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            secret = secret_of(request)
            principal = await self.caller(secret)
            with self.turn(principal):
                check_address(request)
                check_conditions(request)
                raw = await body_of_route(request, route, self.limits)
                return response_of(await self.answered(route, _incoming(request, principal, secret, raw)))

        return handle

    async def caller(self, secret: str) -> Principal:
        """Whom a key stands for; what is logged of the request names them from now on.

        Raises Problem UNAUTHENTICATED, whatever is wrong with it; TOO_MANY_REQUESTS, STORE_UNAVAILABLE, STOPPING.
        """
        if not secret:
            raise Problem("UNAUTHENTICATED")
        with self._turns.of_caller():
            principal = await self._looked_up(secret)
        person = {"person": str(principal.person)} if principal.person else {}
        bind_contextvars(tenant=principal.tenant_id, key=str(principal.api_key), **person)
        return principal

    async def _looked_up(self, secret: str) -> Principal:
        try:
            async with asyncio.timeout(self.limits.caller_secs):
                return await self._gateway.at_the_gate(self._gateway.memory.api_keys.principal_of, secret)
        except UnknownKey:
            raise Problem("UNAUTHENTICATED") from None
        except TimeoutError:
            raise Problem("STORE_UNAVAILABLE") from None

    def turn(self, principal: Principal) -> AbstractContextManager[None]:
        """Raises Problem TOO_MANY_REQUESTS, STOPPING."""
        return self._turns.one_of(principal.api_key)

    def close(self) -> None:
        """Begin nothing more."""
        self._turns.close()

    async def over(self) -> None:
        """Wait until whatever is in hand has been answered."""
        await self._turns.over()

    async def answered(self, route: Route, incoming: Incoming) -> Outcome:
        """Raises Problem, CoreError."""
        work = self._gateway.memory, route, incoming
        try:
            async with asyncio.timeout(self.limits.answer_secs):
                if route.pace is Pace.BRIEF:
                    return await self._gateway.call(answer, *work)
                key = incoming.principal.api_key
                return await asyncio.shield(
                    await self._turns.begin(key, lambda: self._gateway.at_length(answer, *work))
                )
        except TimeoutError:
            detail = f"There was no answer within {self.limits.answer_secs} seconds; what was begun may yet be done."
            raise Problem("TIMED_OUT", detail) from None


def _told(described: Mapping[str, Any]) -> Handler:
    """What is the same for everybody, whoever they are."""
    body = json.dumps(described).encode()

    async def handle(_: web.Request) -> web.StreamResponse:
        return web.Response(body=body, content_type="application/json")

    return handle


def _pattern(path: str) -> str:
    """A path as aiohttp matches it: an uri holds slashes, an id does not."""
    return path.replace("{uri}", r"{at:[\s\S]+}").replace("{id}", "{at:[^/]+}")


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
