"""Slack over a connection that the bot opens itself: https://docs.slack.dev/apis/events-api/using-socket-mode

Slack's own client holds the connection and opens another when it ends. An envelope is acknowledged as a request is:
once what it holds is kept. One that is not comes again, as do some that were, with no mark by which to tell.
"""

import asyncio

import structlog
from slack_bolt.adapter.socket_mode.async_internals import send_async_response
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.channels.slack.listener import answer
from bot.channels.slack.outcomes import trouble
from bot.channels.slack.web import SILENT, SlackWeb

log = structlog.get_logger()

ADDRESS_GOOD_FOR_SECS = 20.0
PING_SECS = 10.0


class _Client(SocketModeClient):
    """Slack's client, which tries an address again and again that is good for half a minute; this one forgets it."""

    good_for_secs = ADDRESS_GOOD_FOR_SECS

    async def issue_new_wss_url(self) -> str:
        try:
            address = await super().issue_new_wss_url()
        except Exception as error:
            log.error("slack.socket_refused", reason=trouble(error).reason)  # a trace tells no more
            raise
        asyncio.get_running_loop().call_later(self.good_for_secs, self._forget, address)
        return address

    def _forget(self, address: str) -> None:
        if self.wss_uri == address:
            self.wss_uri = None

    async def connect(self) -> None:
        await super().connect()  # type: ignore[no-untyped-call]  # Slack's own has no types here
        log.info("slack.socket_connected")


class SocketMode:
    def __init__(self, app: AsyncApp, web: SlackWeb, app_token: str, ping_secs: float = PING_SECS) -> None:
        self._app = app
        self._web = web
        self._token = app_token
        self._ping_secs = ping_secs
        self._answering: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Begin to connect; that Slack cannot be reached now holds up nothing."""
        self._client = _Client(self._token, SILENT, self._web.client, ping_interval=self._ping_secs)
        self._client.socket_mode_request_listeners.append(self._received)
        self._connecting = asyncio.create_task(self._client.connect())

    async def stop(self) -> None:
        """What came in is kept and acknowledged before the connection is closed."""
        self._connecting.cancel()
        await asyncio.gather(self._connecting, *self._answering, return_exceptions=True)
        await self._client.close()  # type: ignore[no-untyped-call]  # as above

    async def _received(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        answering = asyncio.create_task(self._answer(client, request))
        self._answering.add(answering)
        answering.add_done_callback(self._answering.discard)
        await answering

    async def _answer(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        await send_async_response(client, request, await answer(self._app, request.payload), 0.0)
