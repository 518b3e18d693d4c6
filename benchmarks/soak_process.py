"""The bot of `make soak` as a process, and what is asked of it over HTTP."""

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from benchmarks.support import progress
from bot.config import Settings


@dataclass(frozen=True)
class Request:
    """What a platform posts. `waits`: it is answered once what it asks for is done."""

    path: str
    body: bytes
    headers: Any
    waits: bool = False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass
class Bot:
    """`lines`: what it tells of itself. `acks`, `waits`: how long its answers took, ms."""

    process: asyncio.subprocess.Process
    session: aiohttp.ClientSession
    address: str
    lines: list[dict[str, float]] = field(default_factory=list)
    acks: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    _reading: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, settings: Settings, secrets: Mapping[str, Mapping[str, str]], stack: AsyncExitStack) -> Self:
        """`secrets`: of each platform; they go by the environment."""
        env = {"SOAK_SECRETS": json.dumps(secrets)}
        told = settings.model_dump_json(exclude={at: set(of) for at, of in secrets.items()})
        command = (sys.executable, "-m", "benchmarks.soak_bot", told)
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, env=os.environ | env)
        stack.callback(_kill, process)
        session = await stack.enter_async_context(aiohttp.ClientSession())
        bot = cls(process, session, f"http://127.0.0.1:{settings.http.port}")
        bot._reading = asyncio.create_task(bot._read())
        await bot.until(lambda: bool(bot.lines), "the bot starting", 60)
        return bot

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            self.lines.append(json.loads(line))

    async def post(self, request: Request) -> bytes:
        """What it answers, which must be 200."""
        began = time.perf_counter()
        url = self.address + request.path
        async with self.session.post(url, data=request.body, headers=request.headers) as answer:
            body = await answer.read()
            assert answer.status == 200, (answer.status, body)
        (self.waits if request.waits else self.acks).append((time.perf_counter() - began) * 1000)
        return body

    async def until(self, so: Callable[[], bool], what: str, within: float) -> None:
        ends, shown = time.monotonic() + within, 0.0
        while not so():
            if self.process.returncode is not None:
                raise AssertionError(f"the bot ended with {self.process.returncode}: {what}")
            if time.monotonic() > ends:
                raise AssertionError(f"not within {within:.0f} s: {what}")
            if time.monotonic() - shown > 5:
                progress(what)
                shown = time.monotonic()
            await asyncio.sleep(0.2)

    async def stop(self) -> int:
        """Its exit code."""
        self.process.terminate()
        code = await asyncio.wait_for(self.process.wait(), 20)
        assert self._reading is not None
        await self._reading
        return code


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
