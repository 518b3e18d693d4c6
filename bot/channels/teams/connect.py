"""Whether Microsoft lets the bot in: asked for its own token at the start, and from then on now and then.

    asked ──▶ connected ──▶ paused: Entra refused the credentials ──▶ asked again after five minutes
      ├──▶ refused: what is known of the organisation is paused ──▶ asked again after five minutes
      └──▶ no clear answer: nothing changes ──▶ asked again, sooner at first

The organisation is known as soon as the bot starts, since the settings name it: what its people say is kept meanwhile.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from http import HTTPStatus

import structlog

from bot.channels.connection import Connection
from bot.channels.teams.address import PLATFORM
from bot.channels.teams.port import Refused, Transport
from bot.memory_gateway import MemoryGateway
from core.ids import jitter

log = structlog.get_logger()

NAME = "Microsoft Teams"


class TeamsConnection(Connection):
    """`organisation`: the tenant's id at Entra. `trusted`: an e-mail match in it binds."""

    def __init__(
        self,
        transport: Transport,
        gateway: MemoryGateway,
        tenant: str,
        organisation: str,
        *,
        trusted: bool,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        chance: Callable[[], float] = jitter,
    ) -> None:
        super().__init__(PLATFORM, sleep, chance)
        self._transport = transport
        self._gateway = gateway
        self._workspaces = gateway.memory.workspaces
        self._tenant = tenant
        self._organisation = organisation
        self._trusted = trusted

    async def _look(self) -> float:
        found = await self._gateway.call(self._workspaces.find, PLATFORM, self._organisation)
        if found is None:
            await self._connect()
        try:
            await self._transport.ready()
        except Refused as refused:
            return await self._not_let_in(refused)
        if found is None or found.paused or found.trusted != self._trusted:
            await self._connect()
            log.info("teams.connected", workspace=self._organisation)
        return self._settled()

    async def _connect(self) -> None:
        connect = partial(self._workspaces.connect, trusted=self._trusted)
        await self._gateway.call(connect, self._tenant, PLATFORM, self._organisation, NAME, {})

    async def _not_let_in(self, refused: Refused) -> float:
        if refused.status != HTTPStatus.UNAUTHORIZED:
            log.warning("teams.not_connected", reason=refused.reason)
            return self._later()
        log.error("teams.credentials_refused", reason=refused.reason, fix="run `clarify-bot doctor`")
        pause = self._workspaces.pause
        await self._gateway.call(pause, self._tenant, PLATFORM, self._organisation, refused.reason)
        return self._settled()
