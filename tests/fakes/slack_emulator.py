"""Slack's Web API as others understand it: npm's `emulate` in a process of its own, and a shim in front of it.

    with emulator() as empty:                      # once: a function that empties it, and where it listens
        async with in_front_of(empty()) as slack:  # a test's own way to it
            client = AsyncWebClient(token=TOKEN, base_url=slack.url)
            slack.faults.script("chat.postMessage", "cut-stored")

Slack's client sends some calls as GET or with arguments in the address, which the emulator does not read: the shim
makes forms of them. It is where calls go wrong. As Slack does, it names the token's scopes in every answer, and says
of a user that their address is confirmed.
"""

import json
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from aiohttp import web

from tests.fakes.faults import Faults, takes_effect
from tests.fakes.slack_faults import answer
from tests.support.node import FOLDER

Json = dict[str, Any]
TEAM, BOT = "T000000001", "UMEMORY"
TOKEN, POOR_TOKEN, ADA_TOKEN = "xoxb-emulated", "xoxb-emulated-with-one-scope", "xoxp-ada"
ADA_EMAIL = "ada@acme.example"
SCOPES = ("chat:write", "im:write", "im:history", "commands", "users:read", "users:read.email")
_APP = {"app_id": "A1", "client_id": "1.1", "client_secret": "s", "name": "Memory", "redirect_uris": []}
_INSTALLED = {"bot_id": "BMEMORY", "bot_user_id": BOT, "bot_name": "memory", "scopes": SCOPES}
_SEED = {
    "slack": {
        "team": {"name": "Acme", "domain": "acme"},
        "users": [{"name": "ada", "real_name": "Ada", "email": ADA_EMAIL}],
        "oauth_apps": [_APP | _INSTALLED],
        "tokens": [
            {"token": TOKEN, "user_id": BOT, "scopes": SCOPES, "bot_id": "BMEMORY"},
            {"token": POOR_TOKEN, "user_id": BOT, "scopes": ["chat:write"], "bot_id": "BMEMORY"},
            {"token": ADA_TOKEN, "user": "ada", "scopes": SCOPES},
        ],
        "strict_scopes": True,
    }
}


@contextmanager
def emulator() -> Iterator[Callable[[], str]]:
    """A function that empties the emulator and says where it is."""
    command = ["node", FOLDER / "slack_emulator.mjs", json.dumps(_SEED)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        says, hears = process.stdout, process.stdin
        address = f"http://127.0.0.1:{int(says.readline())}"

        def empty() -> str:
            hears.write("\n")
            hears.flush()
            assert says.readline() == "empty\n"
            return address

        try:
            yield empty
        finally:
            hears.close()  # which ends it
            assert process.wait(10) == 0


@dataclass
class Shim:
    """The way to the emulator: `url` is what a client takes for Slack's address, `calls` every call that came."""

    upstream: str
    session: aiohttp.ClientSession
    url: str = ""
    faults: Faults = field(default_factory=Faults)
    calls: list[tuple[str, Json]] = field(default_factory=list)

    async def pass_on(self, request: web.Request) -> web.StreamResponse:
        method, arguments = request.match_info["method"], await _arguments(request)
        self.calls.append((method, arguments))
        fault = self.faults.next(method)
        body = await self._call(method, arguments, request) if takes_effect(fault) else {}
        response = await answer(fault, request, body)
        response.headers["x-oauth-scopes"] = ",".join(SCOPES)
        return response

    async def _call(self, method: str, arguments: Json, request: web.Request) -> Json:
        headers = {"Authorization": request.headers.get("Authorization", "")}
        url = f"{self.upstream}/api/{method}"
        async with self.session.post(url, data=_form(arguments), headers=headers) as reply:
            found: Json = await reply.json()
        if method == "users.info" and "user" in found:
            found["user"] |= {"is_email_confirmed": True}
        return found


@asynccontextmanager
async def in_front_of(upstream: str) -> AsyncIterator[Shim]:
    app = web.Application(client_max_size=2**24)
    async with aiohttp.ClientSession() as session:
        shim = Shim(upstream, session)
        app.add_routes([web.route("*", "/api/{method}", shim.pass_on)])
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        shim.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
        yield shim
        await runner.cleanup()


async def _arguments(request: web.Request) -> Json:
    body = await request.json() if request.content_type == "application/json" else await request.post()
    return {**request.query, **body}


def _form(arguments: Json) -> dict[str, str]:
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in arguments.items()}
