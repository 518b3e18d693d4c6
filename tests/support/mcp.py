"""MCP as the official client speaks it, to a bot of the test's own."""

import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
from aiohttp import web
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from bot.config import McpSettings
from bot.http.v1.limits import LIMITS, Limits
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.mcp.http import mcp_app
from bot.memory_gateway import MemoryGateway
from core.memory import Memory

ROOT = Path(__file__).parents[2]
NEW, OLD = "auto", "legacy"
"""How the client begins: by asking what the server speaks, or with the handshake that all before it had."""


@asynccontextmanager
async def serving(memory: Memory, *hosts: str, limits: Limits = LIMITS) -> AsyncIterator[str]:
    """The address of `/mcp` over a memory, for as long as it is served."""
    gateway = MemoryGateway(memory)
    app = web.Application()
    app.add_subapp("/mcp", mcp_app(Server(gateway, ROUTES, limits), McpSettings(hosts=hosts).hosts))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
    finally:
        await runner.cleanup()
        gateway.stop()


@asynccontextmanager
async def over_http(address: str, secret: str, mode: str = NEW) -> AsyncIterator[Client]:
    """A client with a key."""
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):
        yield client


def command(folder: Path, secret: str) -> StdioServerParameters:
    """The command in a folder, as a client's settings name it."""
    env = {"CLARIFY_API_KEY": secret, "CLARIFY_EMBEDDER": "hashing", "PYTHONPATH": str(ROOT)}
    env |= {"CLARIFY_DATABASE": f"sqlite:///{folder / 'memory.db'}", "CLARIFY_ANSWERS__MIN_COSINE": "0.05"}
    run = [sys.executable, "-c", "from bot.cli import main; main()", "mcp"]
    return StdioServerParameters(command=run[0], args=run[1:], env=os.environ | env, cwd=folder)


@asynccontextmanager
async def over_stdio(folder: Path, secret: str, mode: str = NEW) -> AsyncIterator[Client]:
    """A client that starts the command in a folder itself."""
    with (folder / "stderr").open("w") as errors:
        async with Client(stdio_client(command(folder, secret), errlog=errors), mode=mode) as client:
            yield client


def problem(result: Any) -> Mapping[str, Any]:
    """What a tool refused with."""
    assert result.is_error, result
    assert result.structured_content is None, "clients hold that against the schema of what a tool tells"
    found: Mapping[str, Any] = json.loads(result.content[0].text)
    return found
