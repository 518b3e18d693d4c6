"""Where Slack's requests come in over HTTP: the guard, then Bolt.

Bolt is handed the payload as read here, and none of the headers. Left to itself it loses a command in which the word
`payload` is typed, takes any charset's name for one it knows, and can be told by a header to skip its listeners.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.channels.inbound import body_of
from bot.channels.slack.address import EVENTS_PATH
from bot.channels.slack.events import unreadable
from bot.channels.slack.guard import is_ssl_check, refused
from bot.channels.slack.payloads import parsed
from core.clock import SECOND, Clock

log = structlog.get_logger()


class HttpListener:
    def __init__(self, app: AsyncApp, signing_secret: str, clock: Clock) -> None:
        self._app = app
        self._secret = signing_secret
        self._clock = clock

    def routes(self) -> list[web.RouteDef]:
        return [web.post(EVENTS_PATH, self._receive)]

    async def _receive(self, request: web.Request) -> web.Response:
        headers, body = list(request.headers.items()), await body_of(request)
        if is_ssl_check(headers, body):
            return web.Response()
        refusal = refused(headers, body, self._secret, self._clock.now() // SECOND)
        if refusal is not None:
            log.warning("slack.refused", status=refusal.status, reason=refusal.reason, skew_secs=refusal.skew_secs)
            return web.Response(status=refusal.status, text="refused")
        payload = parsed(body, request.content_type)
        if payload is None:
            log.warning("slack.unreadable", error="the body is neither an object in JSON nor a form")
            return web.Response(status=HTTPStatus.BAD_REQUEST, text="unreadable")
        return await to_aiohttp_response(await answer(self._app, payload))


async def answer(app: AsyncApp, payload: Mapping[str, Any]) -> BoltResponse:
    """What Slack is to be told about something it sent, by whichever way it came."""
    try:
        return await app.async_dispatch(AsyncBoltRequest(body=dict(payload), mode="socket_mode"))
    except Exception as error:  # noqa: BLE001  # Bolt takes shapes for granted, also while it handles errors
        return unreadable(dict(payload), type(error).__name__)
