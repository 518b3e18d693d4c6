"""Slack as a server of its own on loopback, in a thread of its own, with every way it has of saying no.

    with fake_slack() as slack:
        acme = slack.add_workspace("T1")
        acme.add_user("U1", "Ada", email="ada@acme.example")
        acme.script("chat.postMessage", "ratelimited:7", "cut-stored")
        client = AsyncWebClient(token=acme.token, base_url=slack.url)

`slack.violations` lists what no bot of ours may ever do: a message to a channel or a group, one without text, one that
pings, a method that is not needed. What was accepted is in `slack.workspace("T1").messages("U1")`, `.home("U1")`,
`.calls("chat.postMessage")`. What Slack sends to the bot is made in slack_inbound.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from aiohttp import WSMsgType, web

from core.clock import Clock, SystemClock
from tests.fakes.faults import takes_effect
from tests.fakes.slack_faults import answer
from tests.fakes.slack_methods import perform
from tests.fakes.slack_world import Call, Refused, Workspace

Json = dict[str, Any]
SIGNING_SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
APP_TOKEN = "xapp-1-A1-1-fake"
_STRUCTURED = ("blocks", "metadata", "view", "attachments")


class FakeSlack:
    """Start it, or use `fake_slack`. Time is the clock's; nothing waits, but a call that is scripted to be silent."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock = clock or SystemClock()
        self.signing_secret = SIGNING_SECRET
        self.app_token = APP_TOKEN
        self.violations: list[str] = []
        self.acknowledged: list[Json] = []
        """What came back over Socket Mode, in order."""
        self._workspaces: dict[str, Workspace] = {}
        self.sockets: list[web.WebSocketResponse] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake Slack", daemon=True)
        self._base = ""
        self._changed = threading.Condition()

    @property
    def url(self) -> str:
        """What a client takes as Slack's address."""
        return f"{self._base}api/"

    @property
    def base(self) -> str:
        return self._base

    def add_workspace(self, team: str, token: str | None = None, **more: Any) -> Workspace:
        workspace = Workspace(team, token or f"xoxb-{team}-secret", self.clock.now, self.violations, **more)
        self._workspaces[team] = workspace
        return workspace

    def workspace(self, team: str) -> Workspace:
        return self._workspaces[team]

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._serve(), self._loop).result(30)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    def wait_until(self, so: Callable[["FakeSlack"], bool]) -> None:
        """Until it is so of the sockets or of what was acknowledged; ten seconds at most. To be called in a thread."""
        with self._changed:
            assert self._changed.wait_for(lambda: so(self), 10), self.acknowledged

    def push(self, envelope: Json) -> int:
        """Send an envelope over every open socket; how many there are."""
        return asyncio.run_coroutine_threadsafe(self._push(envelope), self._loop).result(30)

    async def _serve(self) -> None:
        app = web.Application(client_max_size=2**24)
        app.add_routes(
            [
                web.route("*", "/api/{method}", self._api),
                web.post("/response/{key}", self._response),
                web.get("/socket", self._socket),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._base = f"http://127.0.0.1:{self._runner.addresses[0][1]}/"

    async def _close(self) -> None:
        for socket in self.sockets:
            await socket.close()
        await self._runner.cleanup()

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method, args = request.match_info["method"], await _arguments(request)
        token = args.pop("token", None) or request.headers.get("Authorization", "").removeprefix("Bearer ")
        if method == "apps.connections.open":
            return web.json_response(self._socket_address(token))
        workspace = next((one for one in self._workspaces.values() if one.token == token), None)
        if workspace is None:
            return web.json_response({"ok": False, "error": "invalid_auth" if token else "not_authed"})
        workspace.received.append(Call(method, args))
        fault = workspace.faults.next(method)
        body = perform(workspace, method, args) if takes_effect(fault) else {}
        response = await answer(fault, request, body)
        response.headers["x-oauth-scopes"] = ",".join(sorted(workspace.scopes))
        return response

    def _socket_address(self, token: str) -> Json:
        if token != self.app_token:
            return {"ok": False, "error": "invalid_auth" if token else "not_authed"}
        return {"ok": True, "url": f"{self._base.replace('http', 'ws', 1)}socket"}

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self._note(self.sockets.append, socket)
        await socket.send_json({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A1"}})
        async for message in socket:
            if message.type == WSMsgType.TEXT:
                self._note(self.acknowledged.append, json.loads(message.data))
        self._note(self.sockets.remove, socket)
        return socket

    def _note(self, change: Callable[[Any], None], value: Any) -> None:
        with self._changed:
            change(value)
            self._changed.notify_all()

    async def _push(self, envelope: Json) -> int:
        for socket in self.sockets:
            await socket.send_json(envelope)
        return len(self.sockets)

    async def _response(self, request: web.Request) -> web.Response:
        key, said = request.match_info["key"], await request.json()
        workspace = self._workspaces[key.partition("-")[0]]
        try:
            message = workspace.use_response_url(key)
        except Refused as refused:
            return web.json_response(refused.body, status=404)
        if said.get("response_type") == "in_channel":
            self.violations.append(f"a response for all to see: {said}")
        workspace.responses.append(said)
        if said.get("replace_original") and message is not None:
            message.text, message.blocks = said.get("text", ""), said.get("blocks", [])
            message.updates += 1
        return web.Response(text="ok")


async def _arguments(request: web.Request) -> Json:
    """Arguments come in the address, as a form or as JSON; structured ones may be JSON inside a form."""
    args: Json = dict(request.query)
    if request.content_type == "application/json":
        args |= await request.json()
    else:
        args |= {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
    for key in _STRUCTURED:
        if isinstance(args.get(key), str):
            with suppress(ValueError):
                args[key] = json.loads(args[key])
    return args


@contextmanager
def fake_slack(clock: Clock | None = None) -> Iterator[FakeSlack]:
    slack = FakeSlack(clock)
    slack.start()
    try:
        yield slack
    finally:
        slack.stop()
