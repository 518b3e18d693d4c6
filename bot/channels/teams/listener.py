"""Where Teams' requests come in. HTTP 200 says that they were dealt with; what an invoke came to stands in the body.

What could not be kept is answered 503: then Teams sends it again.
"""

import json
from functools import partial
from http import HTTPStatus

import structlog
from aiohttp import web

from bot.channels.inbound import body_of
from bot.channels.teams.address import MESSAGES_PATH
from bot.channels.teams.port import Refused, Transport, Turn

log = structlog.get_logger()
_utf8 = partial(json.dumps, ensure_ascii=False)
"""Escapes would take up to three times the room that a card was fitted into."""


class Listener:
    def __init__(self, transport: Transport, turn: Turn) -> None:
        self._transport = transport
        self._turn = turn

    def routes(self) -> list[web.RouteDef]:
        return [web.post(MESSAGES_PATH, self._receive)]

    async def _receive(self, request: web.Request) -> web.Response:
        headers, raw = list(request.headers.items()), await body_of(request)
        try:
            return await self._answer(headers, raw)
        except Refused as refused:
            log.warning("teams.refused", status=int(refused.status), reason=refused.reason, skew_secs=refused.skew_secs)
            return web.Response(status=refused.status, text="refused")
        except Exception as error:  # noqa: BLE001  # whatever it is, Teams must not take it for heard
            # By its type alone: a database's error quotes what it could not store.
            log.error("teams.not_kept", error=type(error).__name__)
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE)

    async def _answer(self, headers: list[tuple[str, str]], raw: bytes) -> web.Response:
        claims = await self._transport.verify(headers, raw)
        answered = await self._transport.take(claims, raw, self._turn)
        return web.Response() if answered is None else web.json_response(answered.body(), dumps=_utf8)
