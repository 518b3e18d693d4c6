"""The process: engine, channels, worker, listeners, in the order in which they start, and stopped in the other."""

import asyncio
import errno
import signal
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import UUID

import structlog
from aiohttp import web

from bot import keys
from bot.actions import Actions, Signer
from bot.ask import Ask
from bot.channels.base import Channel
from bot.channels.inbox.backend import PersonKey
from bot.channels.inbox.server import InboxServer
from bot.channels.local import PLATFORM, LocalChannel, LocalInbox, Pulse
from bot.commands import Commands
from bot.config import Settings, open_memory
from bot.delivery import Courier
from bot.freshness import Freshness
from bot.http.health import health_routes
from bot.memory_gateway import MemoryGateway
from bot.sync_loop import keep_in_step
from bot.worker import Worker
from core.errors import StoreUnavailable
from core.ids import nonce, random_key
from core.memory import Memory

log = structlog.get_logger()


class Bot:
    """Everything that serves one memory, wired once."""

    def __init__(self, settings: Settings, memory: Memory, signer: Signer, suggestions: tuple[str, ...] = ()) -> None:
        self.settings = settings
        self.gateway = MemoryGateway(memory)
        self.pulse = Pulse()
        channels: dict[str, Channel] = {PLATFORM: LocalChannel(self.gateway, self.pulse)}
        self.courier = Courier(self.gateway, channels)
        self.actions = Actions(self.gateway, self.courier, signer)
        freshness = Freshness(self.gateway, settings.tenant, settings.sources)
        ask = Ask(self.gateway, self.courier, Commands(self.gateway), freshness)
        self.worker = Worker(self.gateway, self.courier, ask, self.actions, owner=nonce(), ended=self._beat)
        self.inbox = LocalInbox(self.gateway, self.actions, self.pulse, self.worker.wake, settings.company, suggestions)

    def _beat(self, tenant_id: str, person_id: UUID) -> None:
        self.pulse.beat(PersonKey(tenant_id, person_id))

    def inbox_server(self, secret: bytes) -> InboxServer:
        return InboxServer(self.inbox, self.gateway.memory.clock, secret, port=self.settings.inbox.port)


def load_signer(folder: Path) -> Signer:
    """The bot's own key. Raises InvalidConfig, saying how to make one."""
    return Signer(*keys.load_private(folder))


async def run(settings: Settings) -> int:
    """Serve until SIGINT or SIGTERM; the exit code."""
    bot = Bot(settings, open_memory(settings), load_signer(settings.keys))
    async with AsyncExitStack() as stack:
        stack.callback(bot.gateway.close)
        if settings.inbox.enabled:
            await _open_inbox(bot, stack)
        await _listen(bot, stack)
        await _work(bot, stack)
        stopped = _stop_signal()
        log.info("bot.ready", database=settings.database.partition("@")[2] or settings.database)
        await stopped.wait()
        log.info("bot.stopping")
    return 0


async def _open_inbox(bot: Bot, stack: AsyncExitStack) -> None:
    """Serve the local inbox: each person can be reached there from now on, and gets a one-time link."""
    server = bot.inbox_server(random_key())
    await server.start()
    stack.push_async_callback(server.stop)
    people = bot.gateway.memory.people
    for person in await bot.gateway.call(people.all, bot.settings.tenant):
        await bot.gateway.call(
            people.bind, person.tenant_id, person.person_id, PLATFORM, "local", str(person.person_id)
        )
        link = server.link_for(PersonKey(person.tenant_id, person.person_id))
        print(f"inbox of {person.display_name}: {link}")  # noqa: T201  for the person at this terminal


async def _listen(bot: Bot, stack: AsyncExitStack) -> None:
    app = web.Application()
    app.add_routes(health_routes(bot.gateway))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    stack.push_async_callback(runner.cleanup)
    http = bot.settings.http
    try:
        await web.TCPSite(runner, http.host, http.port).start()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise StoreUnavailable(f"cannot listen on {http.host} port {http.port}: {error.strerror}") from error
        raise StoreUnavailable(
            f"port {http.port} on {http.host} is in use: stop the program that has it, or set http.port"
        ) from error


async def _work(bot: Bot, stack: AsyncExitStack) -> None:
    """Start the worker and the source sets; stopped, they finish what is in hand and no more."""
    settings = bot.settings
    work = asyncio.create_task(bot.worker.run(settings.watch.tick_secs))
    syncs = [asyncio.create_task(keep_in_step(bot.gateway, settings, source)) for source in settings.sources]

    async def stop() -> None:
        bot.worker.stop()
        for sync in syncs:
            sync.cancel()
        await asyncio.gather(*syncs, return_exceptions=True)
        await work

    stack.push_async_callback(stop)


def _stop_signal() -> asyncio.Event:
    """Set by SIGINT or SIGTERM from now on."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    return stopped
