"""The Bot Connector of Teams, and Entra's token endpoint, as a server on loopback with every way of saying no.

    with fake_connector(clock) as teams:
        ada = teams.world.add_user(USER_ID)
        teams.script("send", "403:ConversationBlockedByUser", "429:7", "cut-stored")
        token = Token(APP_ID, SECRET, TENANT_ID, clock, teams.login_url)
        address = Address(teams.service_url, teams.world.chat(ada), ada.teams_id, BOT)

Operations are open, send, update, member, token. How one goes wrong, as a word of a script:

    ok                    it does not
    403:Code  412  …      that status, with that code in the body; without one, an empty body
    403:sub:Code          the code within JSON within the message
    429:7                 HTTP 429 with that Retry-After (`429:none`: no header)
    502:html              that status, and a page of HTML
    307                   a redirect, to where nothing may be asked
    silence               no answer ever
    cut                   the connection is cut
    half                  the answer breaks off
    empty                 HTTP 200 without a body
    garbage               HTTP 200 with something that is no JSON
    AADSTS7000215         of `token`: Entra refuses, with that code

With `-stored` after it the call takes effect first. `teams.calls` holds every request; `teams.violations` what no bot
of ours may do. With `limits` the real limits are counted, by the fake's own time.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from core.clock import SECOND, Clock, SystemClock
from tests.fakes.faults import STORED, Faults, takes_effect
from tests.fakes.teams_openid import APP_ID, TENANT_ID
from tests.fakes.teams_world import Json, Refusal, World
from tests.fakes.throttle import Throttle

SECRET = "b7Q8Q~fake.client-secret_of.the-app-0123"
CONVERSATION_LIMITS = ((1, 7), (2, 8), (30, 60), (3_600, 1_800))
TENANT_LIMITS = ((1, 30),)
TOKEN_SECS = 3_599


@dataclass(frozen=True)
class Call:
    operation: str
    path: str
    bearer: str | None
    body: Any
    user_agent: str
    size: int


class FakeConnector:
    """Start it, or use `fake_connector`."""

    def __init__(self, clock: Clock | None = None, limited: Callable[[], float] | None = None) -> None:
        self.clock = clock or SystemClock()
        self.world = World()
        self.faults = Faults()
        self.calls: list[Call] = []
        self.violations: list[str] = []
        self.tokens: dict[str, int] = {}
        """The tokens that are good, and until when."""
        self.anonymous = False
        self._limited = limited
        self._conversations, self._tenant = Throttle(CONVERSATION_LIMITS), Throttle(TENANT_LIMITS)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake Bot Connector", daemon=True)
        self._port = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}/"

    @property
    def service_url(self) -> str:
        """What activities name as their service."""
        return f"{self.base}emea/{TENANT_ID}/"

    @property
    def login_url(self) -> str:
        return f"{self.base}login/"

    def script(self, operation: str, *faults: str) -> None:
        self.faults.script(operation, *faults)

    def made(self, operation: str) -> list[Call]:
        return [call for call in self.calls if call.operation == operation]

    def revoke(self) -> None:
        """Every token that was given is none any more."""
        self.tokens.clear()

    def start(self) -> None:
        self._thread.start()
        self._do(self._serve())

    def stop(self) -> None:
        self._do(self._runner.cleanup())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _serve(self) -> None:
        app = web.Application(client_max_size=2**24)
        here = f"/emea/{TENANT_ID}/v3/conversations"
        app.add_routes(
            [
                web.post(here, self._open),
                web.post(here + "/{conversation}/activities", self._send),
                web.put(here + "/{conversation}/activities/{activity}", self._update),
                web.get(here + "/{conversation}/members/{member}", self._member),
                web.post("/login/{tenant}/oauth2/v2.0/token", self._token),
                web.route("*", "/{elsewhere:.*}", self._elsewhere),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port).start()
        self._port = self._runner.addresses[0][1]

    async def _open(self, request: web.Request) -> web.StreamResponse:
        return await self._answered("open", request, lambda body, _: self.world.open(body), 201)

    async def _send(self, request: web.Request) -> web.StreamResponse:
        conversation = request.match_info["conversation"]
        return await self._answered("send", request, lambda body, n: self.world.send(conversation, body, n), 201)

    async def _update(self, request: web.Request) -> web.StreamResponse:
        where = request.match_info["conversation"], request.match_info["activity"]
        return await self._answered("update", request, lambda body, n: self.world.update(*where, body, n))

    async def _member(self, request: web.Request) -> web.StreamResponse:
        where = request.match_info["conversation"], request.match_info["member"]
        return await self._answered("member", request, lambda *_: self.world.member(*where))

    async def _answered(
        self, operation: str, request: web.Request, act: Callable[[Any, int], Json], status: int = 200
    ) -> web.StreamResponse:
        call = await self._noted(operation, request)
        if not self.anonymous and self.tokens.get(call.bearer or "", 0) <= self.clock.now():
            return refused_with(401, "Unauthorized")
        if not self._lets(request.match_info.get("conversation")):
            return refused_with(429, "TooManyRequests", {"Retry-After": "7"})
        fault = self.faults.next(operation)
        try:
            body = act(call.body, call.size) if takes_effect(fault) else {}
        except Refusal as refusal:
            return web.json_response(refusal.body, status=refusal.status)
        return await _answer(fault.removesuffix(STORED), request, body, status)

    def _lets(self, conversation: str | None) -> bool:
        if self._limited is None:
            return True
        now = self._limited()
        return self._tenant.lets("", now) and (conversation is None or self._conversations.lets(conversation, now))

    async def _token(self, request: web.Request) -> web.StreamResponse:
        call = await self._noted("token", request)
        fault = self.faults.next("token")
        if fault.startswith("AADSTS"):
            return _entra_refuses(int(fault.removeprefix("AADSTS")))
        wanted = {"grant_type": "client_credentials", "client_id": APP_ID, "client_secret": SECRET}
        wanted |= {"scope": "https://api.botframework.com/.default"}
        if request.match_info["tenant"] != TENANT_ID or call.body != wanted:
            return _entra_refuses(7000215)
        token = f"token-{len(self.made('token'))}.of~the/bot"
        if takes_effect(fault):
            self.tokens[token] = self.clock.now() + TOKEN_SECS * SECOND
        told = {"token_type": "Bearer", "expires_in": TOKEN_SECS, "ext_expires_in": TOKEN_SECS, "access_token": token}
        return await _answer(fault.removesuffix(STORED), request, told, 200)

    async def _elsewhere(self, request: web.Request) -> web.StreamResponse:
        await self._noted("elsewhere", request)
        self.violations.append(f"{request.method} {request.path}")
        return web.Response(status=404)

    async def _noted(self, operation: str, request: web.Request) -> Call:
        raw = await request.read()
        is_form = request.content_type == "application/x-www-form-urlencoded"
        body = dict(await request.post()) if is_form else json.loads(raw) if raw else None
        bearer = request.headers.get("Authorization", "").removeprefix("Bearer ") or None
        call = Call(operation, request.path, bearer, body, request.headers.get("User-Agent", ""), len(raw))
        self.calls.append(call)
        return call


async def _answer(fault: str, request: web.Request, body: Json, status: int) -> web.StreamResponse:
    if fault == "silence":
        await asyncio.Event().wait()
    if fault == "cut":
        assert request.transport is not None
        request.transport.abort()
    if fault == "half":
        return await _half(request)
    return web.json_response(body, status=status) if fault in {"ok", "cut"} else said(fault)


def said(fault: str) -> web.Response:
    number, _, detail = fault.partition(":")
    match number, detail:
        case "empty", _:
            return web.Response(status=200)
        case "garbage", _:
            return web.Response(text='{"id": tru', content_type="application/json")
        case "307", _:
            return web.Response(status=307, headers={"Location": "/emea/elsewhere"})
        case "429", _:
            return refused_with(429, "TooManyRequests", {} if detail == "none" else {"Retry-After": detail or "30"})
        case _, "html":
            return web.Response(status=int(number), text="<h1>Sorry</h1>", content_type="text/html")
    return refused_with(int(number), detail)


def refused_with(status: int, code: str, headers: dict[str, str] | None = None) -> web.Response:
    if not code:
        return web.Response(status=status, headers=headers)
    kind, _, inner = code.partition(":")
    words = json.dumps({"subCode": inner, "details": "Thread write is blocked"}) if kind == "sub" else "No."
    told = {"error": {"code": "Forbidden" if kind == "sub" else code, "message": words}}
    return web.json_response(told, status=status, headers=headers)


async def _half(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "100", "Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"id": ')
    assert request.transport is not None
    request.transport.close()
    return response


def _entra_refuses(code: int) -> web.Response:
    error = "temporarily_unavailable" if code == 90033 else "invalid_client"
    told = {"error": error, "error_codes": [code], "error_description": f"AADSTS{code}: not {SECRET}, surely"}
    return web.json_response(told | {"trace_id": "t", "correlation_id": "c"}, status=401)


@contextmanager
def fake_connector(clock: Clock | None = None, limited: Callable[[], float] | None = None) -> Iterator[FakeConnector]:
    """A running one. `limited`: by which time the real limits are counted; None: there are none."""
    connector = FakeConnector(clock, limited)
    connector.start()
    try:
        yield connector
    finally:
        connector.stop()
