"""The bot's Slack side as a running server, over an ingress of the test's own or over the real one."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.async_app import AsyncApp

from bot.channels.base import Profile
from bot.channels.slack.address import EVENTS_PATH
from bot.channels.slack.bolt import make_app
from bot.channels.slack.events import Events
from bot.channels.slack.listener import HttpListener
from bot.channels.slack.web import SlackWeb
from bot.channels.slack.whisper import Whisper
from bot.ingress import Tap
from bot.memory_gateway import MemoryGateway
from cards.gallery import gallery
from cards.slack import to_slack
from core.memory import Memory
from core.model.work import Place
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import Reply, SlackRequest, deliver
from tests.fakes.slack_world import Message, Workspace
from tests.support.slack_cards import ADA


@dataclass
class Recording:
    """An ingress that notes what it is given. `fails`: what the next calls raise. `refusal`: what a tap comes to."""

    kept: list[tuple[Any, ...]] = field(default_factory=list)
    fails: list[Exception] = field(default_factory=list)
    refusal: str | None = None

    def _keep(self, *what: Any) -> None:
        if self.fails:
            raise self.fails.pop(0)
        self.kept.append(what)

    async def said(self, place: Place, event_id: str, text: str) -> None:
        self._keep("said", place, event_id, text)

    async def withdrawn(self, place: Place, event_id: str, message: str, text: str | None) -> None:
        self._keep("withdrawn", place, message, text)

    async def opened_home(self, place: Place, event_id: str) -> None:
        self._keep("home", place, event_id)

    async def tapped(self, place: Place, tap: Tap) -> str | None:
        self._keep("tapped", place, tap)
        return self.refusal

    async def profile_changed(self, place: Place, profile: Profile) -> None:
        self._keep("profile", place, profile)

    async def shut_out(self, platform: str, workspace: str, reason: str) -> None:
        self._keep("shut_out", platform, workspace, reason)


@dataclass
class Served:
    """A bot that Slack can reach."""

    slack: FakeSlack
    app: AsyncApp
    whisper: Whisper
    url: str

    async def hear(self, request: SlackRequest, **more: Any) -> Reply:
        """Deliver it, and let whatever is whispered about it be said."""
        reply = await deliver(self.slack, self.url, request, **more)
        await self.whisper.finish()
        return reply


def let_in(memory: Memory, acme: Workspace, *, trusted: bool = True) -> None:
    """The workspace is connected, as it is once auth.test has succeeded."""
    detail = {"bot_user_id": acme.bot_user, "bot_id": acme.bot_id}
    memory.workspaces.connect("default", "slack", acme.team, acme.name, detail, trusted=trusted)


def control(blocks: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    """The first control of a kind."""
    return next(element for _, element in elements(blocks) if element["action_id"].startswith(kind))


def posted(acme: Workspace) -> Message:
    """A card of Ada's with a choice of how to mute."""
    drawn = [to_slack(card)["blocks"] for _, card in gallery()]
    blocks = next(blocks for blocks in drawn if "watch_mute:" in json.dumps(blocks))
    return acme.store(ADA, "x", bot_id=acme.bot_id, blocks=blocks)


@asynccontextmanager
async def served(
    slack: FakeSlack, gateway: MemoryGateway, ingress: Any, web_api: SlackWeb, *, settled: bool = True
) -> AsyncIterator[Served]:
    """Bolt behind the guard, on a port of its own."""
    whisper = Whisper(web_api)
    app = make_app(Events(ingress, whisper), gateway, lambda: settled)
    listener = HttpListener(app, slack.signing_secret, gateway.memory.clock)
    async with on_loopback(listener.routes()) as base:
        yield Served(slack, app, whisper, base + EVENTS_PATH)
        await whisper.finish()


@asynccontextmanager
async def on_loopback(routes: list[web.RouteDef], **application: Any) -> AsyncIterator[str]:
    """The routes as a server; its address."""
    app = web.Application(**application)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@contextmanager
def told() -> Iterator[Callable[[str], Awaitable[dict[str, Any]]]]:
    """Inside it nothing is logged; it can be waited for that an event of a name would have been."""
    events: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def note(_logger: Any, _method: str, event: Any) -> Any:
        events.put_nowait(event)
        raise structlog.DropEvent

    async def wait(name: str) -> dict[str, Any]:
        while True:
            event = await asyncio.wait_for(events.get(), 30)
            if event["event"] == name:
                return event

    structlog.configure(processors=[note])
    try:
        yield wait
    finally:
        structlog.reset_defaults()
