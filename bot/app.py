"""The process: engine, channels, worker, listeners, in the order in which they start, and stopped in the other."""

import asyncio
import errno
import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol
from uuid import UUID

import structlog
from aiohttp import web
from sqlalchemy import make_url

from bot import keys
from bot.actions import Signer
from bot.channels.base import Channel
from bot.channels.inbox.backend import PersonKey
from bot.channels.inbox.server import InboxServer
from bot.channels.local import PLATFORM, LocalChannel, LocalInbox, Pulse, place_of
from bot.config import HttpSettings, Settings, open_memory
from bot.http.access import access_lines
from bot.http.garbled import server_logger
from bot.http.health import health_routes
from bot.http.metrics import metrics_route
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import LONGEST_LINE, Server
from bot.mcp.extra import require_sdk
from bot.memory_gateway import MemoryGateway
from bot.parts import wire
from bot.stopping import CLOSE_SECS, GRACE_SECS, stop_signal
from bot.sync_loop import keep_in_step
from bot.vitals import Vital
from bot.worker import Worker
from core.errors import StoreUnavailable
from core.ids import random_key
from core.memory import Memory
from core.model.work import Inbound

log = structlog.get_logger()

FULL_COLLECTION_AFTER = 100
"""Collections of the middle generation; Python's own count is 10."""
SWITCH_SECS = 0.00002
"""How long a thread may keep the interpreter while the event loop wants it. Each call of SQLite's gives it back for a
moment and takes it again, at which a waiting thread begins its wait anew: a sweep with a statement every tenth of a
millisecond held the loop for 135 ms at half a millisecond, 44 at a twentieth, 5 at a fiftieth, itself as fast."""
IDLE_SECS = 75.0
"""For a connection to send the whole head of its first request, or of the next: longer than the minute for which
proxies keep one for later, or they would send a request into one that was closed just now."""


class Runner(Protocol):
    """Everything that serves one chat platform: started and stopped as one."""

    @property
    def channel(self) -> Channel: ...

    def routes(self) -> list[web.RouteDef]: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Bot:
    """Everything that serves one memory, wired once. `channels` are filled as they open, before anything is due."""

    def __init__(
        self, settings: Settings, memory: Memory, signer: Callable[[], Signer], suggestions: tuple[str, ...] = ()
    ) -> None:
        self.settings = settings
        self.gateway = MemoryGateway(memory)
        self.pulse = Pulse()
        self.channels: dict[str, Channel] = {PLATFORM: LocalChannel(self.gateway, self.pulse)}
        where = settings.tenant, settings.keys, settings.sources
        self.parts = wire(self.gateway, self.channels, signer, *where, ended=self._beat)
        self.vitals = self.parts.worker.vitals
        self.inbox = LocalInbox(
            self.gateway, self.parts.actions, self.pulse, self.parts.worker.wake, settings.company, suggestions
        )

    @property
    def worker(self) -> Worker:
        return self.parts.worker

    def _beat(self, event: Inbound) -> None:
        if event.place.platform == PLATFORM:
            self.pulse.beat(PersonKey(event.tenant_id, UUID(event.place.user_id)))

    def inbox_server(self, secret: bytes) -> InboxServer:
        return InboxServer(self.inbox, self.gateway.memory.clock, secret, port=self.settings.inbox.port)


def signer_of(folder: Path) -> Callable[[], Signer]:
    """The bot's own key, as it is whenever it is asked for. Raises InvalidConfig, saying how to make one."""

    def now() -> Signer:
        return Signer(*keys.load_private(folder))

    now()
    return now


async def run(settings: Settings, told: Callable[[], None] = lambda: None) -> int:
    """Serve until SIGINT or SIGTERM; the exit code. `told`: called when one has come."""
    sys.setswitchinterval(SWITCH_SECS)
    bot = Bot(settings, open_memory(settings), signer_of(settings.keys))
    async with AsyncExitStack() as stack:
        stack.callback(bot.gateway.close, CLOSE_SECS)
        if settings.inbox.enabled:
            await _open_inbox(bot, stack)
        server = await _listen(bot, stack, await _open_platforms(bot, stack))
        await _work(bot, stack, server)
        stopped = stop_signal()
        _spare_the_collector()
        log.info("bot.ready", database=make_url(settings.database).render_as_string())
        await stopped.wait()
        log.info("bot.stopping")
        told()
    return 0


def _spare_the_collector() -> None:
    """Let no collection of garbage look again at what lives as long as the process: modules, classes, mappers.

    A full one took 105 to 150 ms for 200,000 objects, in which nothing else runs; and 120 ms in the middle of a sweep
    that tells a thousand, so full ones are ten times as rare (`make soak`).
    """
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION_AFTER)


async def _open_inbox(bot: Bot, stack: AsyncExitStack) -> None:
    """Serve the local inbox: each person can be reached there from now on, and gets a one-time link."""
    server = bot.inbox_server(random_key())
    await server.start()
    stack.push_async_callback(server.stop)
    people = bot.gateway.memory.people
    for person in await bot.gateway.call(people.all, bot.settings.tenant):
        await bot.gateway.call(people.bind, person.tenant_id, person.person_id, place_of(person.person_id))
        link = server.link_for(PersonKey(person.tenant_id, person.person_id))
        print(f"inbox of {person.display_name}: {link}")  # noqa: T201  for the person at this terminal


async def _open_platforms(bot: Bot, stack: AsyncExitStack) -> list[web.RouteDef]:
    """Serve each chat platform that is set up, and say where its requests come in.

    One that does not let the bot in yet is asked again and again.
    """
    routes: list[web.RouteDef] = []
    for platform, runner in _runners(bot):
        await runner.start()
        stack.push_async_callback(runner.stop)
        bot.channels[platform] = runner.channel
        routes += runner.routes()
    return routes


def _runners(bot: Bot) -> Iterator[tuple[str, Runner]]:
    settings, ingress, gateway = bot.settings, bot.parts.ingress, bot.gateway
    if settings.slack.mode != "off":
        from bot.channels.slack.runner import SlackRunner

        yield "slack", SlackRunner(settings, ingress, gateway)
    if settings.teams.mode != "off":
        from bot.channels.teams.runner import TeamsRunner

        yield "teams", TeamsRunner(settings, ingress, gateway)


async def _listen(bot: Bot, stack: AsyncExitStack, routes: Iterable[web.AbstractRouteDef]) -> Server:
    """Serve health, numbers, the platforms' requests, `/v1` and `/mcp`."""
    app = web.Application(middlewares=[access_lines])
    health = health_routes(bot.gateway, bot.worker.is_stopping, lambda: bot.vitals)
    app.add_routes([*health, metrics_route(bot.gateway), *routes])
    server = Server(bot.gateway, ROUTES)
    app.add_subapp("/v1", server.app())
    if bot.settings.mcp.enabled:
        require_sdk()
        from bot.mcp.http import mcp_app

        app.add_subapp("/mcp", mcp_app(server, bot.settings.mcp.hosts))
    runner = web.AppRunner(
        app,
        access_log=None,
        logger=server_logger(bot.gateway.memory.metrics),
        keepalive_timeout=IDLE_SECS,
        shutdown_timeout=CLOSE_SECS / 2,  # it waits twice
        max_line_size=LONGEST_LINE,
        auto_decompress=False,  # unpacking is work for whoever sends next to nothing; no platform packs what it sends
    )
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    await _bind(runner, bot.settings.http)
    return server


async def _bind(runner: web.AppRunner, http: HttpSettings) -> None:
    """Raises StoreUnavailable."""
    try:
        await web.TCPSite(runner, http.host, http.port).start()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise StoreUnavailable(f"cannot listen on {http.host} port {http.port}: {error.strerror}") from error
        raise StoreUnavailable(
            f"port {http.port} on {http.host} is in use: stop the program that has it, or set http.port"
        ) from error


async def _work(bot: Bot, stack: AsyncExitStack, server: Server) -> None:
    """Start the worker and the source sets; stopped, they and the server finish what is in hand and no more."""
    settings = bot.settings
    work = asyncio.create_task(bot.worker.run(settings.watch.tick_secs))
    syncs = []
    for source in settings.sources:
        bot.vitals.append(vital := Vital(f"source {source.name}", bot.gateway.memory.clock, 0))
        syncs.append(vital.start(keep_in_step(bot.gateway, settings, source)))

    async def stop() -> None:
        server.close()
        bot.worker.stop()
        for sync in syncs:
            sync.cancel()
        await asyncio.gather(*syncs, return_exceptions=True)
        answered = asyncio.create_task(server.over())
        await asyncio.wait({work, answered}, timeout=GRACE_SECS)
        answered.cancel()
        if not work.done():
            bot.worker.abandon()
        await work

    stack.push_async_callback(stop)
