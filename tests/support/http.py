"""`/v1` as a running server over a memory of the test's own, and callers with their keys."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import LONGEST_LINE, Server
from bot.memory_gateway import MemoryGateway
from core.memory import Memory


@dataclass(frozen=True)
class Heard:
    """An answer, read to its end."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def code(self) -> str:
        """Of a problem."""
        assert self.headers["Content-Type"] == "application/problem+json", self.raw
        assert self.json["status"] == self.status
        return str(self.json["code"])


@dataclass(frozen=True)
class Caller:
    """Who calls, with a key."""

    session: aiohttp.ClientSession
    base: str
    secret: str | None = None

    def as_(self, secret: str | None) -> "Caller":
        return Caller(self.session, self.base, secret)

    async def __call__(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None, **more: Any
    ) -> Heard:
        """`body`: sent as JSON; `data` among `more`: as it is."""
        sent = {"Authorization": f"Bearer {self.secret}"} if self.secret is not None else {}
        more |= {} if body is None else {"json": body}
        async with self.session.request(
            method, f"{self.base}{path}", headers={**sent, **(headers or {})}, **more
        ) as answer:
            return Heard(answer.status, dict(answer.headers), await answer.read())


@asynccontextmanager
async def listening(memory: Memory, server: Server | None = None) -> AsyncIterator[str]:
    """The address of `/v1` over a memory, for as long as it is served."""
    gateway = MemoryGateway(memory)
    app = web.Application()
    app.add_subapp("/v1", (server or Server(gateway, ROUTES)).app())
    runner = web.AppRunner(app, access_log=None, max_line_size=LONGEST_LINE)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
        gateway.stop()


def key(memory: Memory, *roles: str, tenant: str = "default", person: Any = None) -> str:
    """A new key that reads by roles, or that stands for a person."""
    person_id = person.person_id if person else None
    return memory.api_keys.create(tenant, "a program", roles, person_id=person_id).secret
