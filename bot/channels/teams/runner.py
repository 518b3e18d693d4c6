"""Everything that serves one organisation in Teams: started and stopped as one."""

import asyncio
from functools import partial
from urllib.parse import urlsplit

from aiohttp import web

from bot.channels.base import Channel
from bot.channels.loopback import is_loopback
from bot.channels.teams.addresses import Addresses
from bot.channels.teams.channel import TeamsChannel
from bot.channels.teams.connect import TeamsConnection
from bot.channels.teams.events import Events
from bot.channels.teams.keys import OpenIdKeys
from bot.channels.teams.listener import Listener
from bot.channels.teams.pace import teams_pace
from bot.channels.teams.token import Token
from bot.channels.teams.transport import BotFrameworkTransport
from bot.channels.teams.verifier import Anonymous, Verifier
from bot.config import Settings
from bot.delivery import may_go
from bot.ingress import Ingress
from bot.memory_gateway import MemoryGateway


class TeamsRunner:
    """`settings` have no gaps.

    Services on this machine are Teams' own only in development: where nobody is asked for a token, or where the keys
    by which tokens are known come from this machine as well.
    """

    def __init__(self, settings: Settings, ingress: Ingress, gateway: MemoryGateway) -> None:
        teams, clock = settings.teams, gateway.memory.clock
        anonymous = teams.mode == "anonymous"
        loopback = anonymous or is_loopback(urlsplit(teams.openid_url).hostname)
        secret, organisation = teams.app_password.get_secret_value(), teams.tenant_id
        self._keys = OpenIdKeys(clock, teams.openid_url, loopback=loopback)
        known = Verifier(teams.app_id, organisation, self._keys, clock, loopback=loopback)
        token = None if anonymous else Token(teams.app_id, secret, organisation, clock, teams.login_url)
        verifier = Anonymous() if anonymous else known
        self._transport = BotFrameworkTransport(teams.app_id, verifier, token, clock, loopback=loopback)
        self._connection = TeamsConnection(
            self._transport, gateway, settings.tenant, organisation, trusted=teams.trusted
        )
        self._listener = Listener(self._transport, Events(ingress).turn)
        addresses = Addresses(gateway, settings.tenant)
        self.channel: Channel = TeamsChannel(
            self._transport, addresses, teams_pace(), partial(may_go, gateway), lambda: organisation
        )

    def routes(self) -> list[web.RouteDef]:
        """Where Teams' requests come in."""
        return self._listener.routes()

    async def start(self) -> None:
        """Begin to ask whether Microsoft lets the bot in, which is not waited for."""
        self._keeping = asyncio.create_task(self._connection.keep())

    async def stop(self) -> None:
        self._keeping.cancel()
        await asyncio.gather(self._keeping, return_exceptions=True)
        await self._transport.close()
        await self._keys.close()
