"""Everything that serves one Slack workspace: started and stopped as one."""

import asyncio
from functools import partial

from aiohttp import web

from bot.channels.base import Channel
from bot.channels.slack.bolt import make_app
from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.connect import SlackConnection
from bot.channels.slack.events import Events
from bot.channels.slack.listener import HttpListener
from bot.channels.slack.pace import slack_pace
from bot.channels.slack.socket_mode import SocketMode
from bot.channels.slack.web import SlackWeb
from bot.channels.slack.whisper import Whisper
from bot.config import Settings
from bot.delivery import may_go
from bot.ingress import Ingress
from bot.memory_gateway import MemoryGateway


class SlackRunner:
    """`settings` have no gaps. All calls to Slack go over one session of connections; Socket Mode has one more."""

    def __init__(self, settings: Settings, ingress: Ingress, gateway: MemoryGateway) -> None:
        slack, clock = settings.slack, gateway.memory.clock
        self._web = SlackWeb(slack.bot_token.get_secret_value(), slack.api_url)
        self._whisper = Whisper(self._web)
        self._connection = SlackConnection(self._web, gateway, settings.tenant, trusted=slack.trusted)
        app = make_app(Events(ingress, self._whisper), gateway, lambda: self._connection.workspace is not None)
        secret, token = slack.signing_secret.get_secret_value(), slack.app_token.get_secret_value()
        self._http = HttpListener(app, secret, clock) if slack.mode == "http" else None
        self._socket = SocketMode(app, self._web, token) if slack.mode == "socket" else None
        may, workspace = partial(may_go, gateway), lambda: self._connection.workspace
        self.channel: Channel = SlackChannel(self._web, slack_pace(), may, workspace)

    def routes(self) -> list[web.RouteDef]:
        """Where Slack's requests come in; none in Socket Mode."""
        return self._http.routes() if self._http else []

    async def start(self) -> None:
        """Begin to ask whether Slack lets the bot in, and to listen; neither is waited for."""
        self._keeping = asyncio.create_task(self._connection.keep())
        if self._socket:
            await self._socket.start()

    async def stop(self) -> None:
        if self._socket:
            await self._socket.stop()
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        await self._whisper.finish()
        await self._web.close()
