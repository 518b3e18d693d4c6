"""Where the users of a tenant are written to: what Teams said of each last, and a guess at who never spoke to the bot.

Such a one was bound by an administrator. The service that others there are reached at takes messages for them as well,
and so does the one of the whole public cloud; Entra's id names them to it.
"""

from dataclasses import replace

from bot.channels.teams.address import PLATFORM, Address
from bot.memory_gateway import MemoryGateway
from core.model.work import Place

PUBLIC_SERVICE = "https://smba.trafficmanager.net/teams/"
"""https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages"""


class Addresses:
    """Of one tenant of the memory. `service_url`: where to write to those of whom, as of all others, none is known."""

    def __init__(self, gateway: MemoryGateway, tenant: str, service_url: str = PUBLIC_SERVICE) -> None:
        self._call = gateway.call
        self._rows = gateway.memory.addresses
        self._tenant = tenant
        self._service_url = service_url

    async def find(self, place: Place, service_url: str | None = None) -> Address:
        """Without a conversation where none is known. `service_url`: where they were reached once."""
        row = await self._call(self._rows.find, self._tenant, place)
        if row is not None:
            return Address.from_row(row)
        if service_url is not None:
            return Address(service_url, conversation="", user=place.user_id, bot="")
        near = await self._call(self._rows.newest, self._tenant, PLATFORM, place.workspace)
        guess = Address(self._service_url, conversation="", user=place.user_id, bot="")
        return replace(guess, service_url=Address.from_row(near).service_url) if near else guess

    async def keep(self, place: Place, address: Address) -> None:
        await self._call(self._rows.keep, self._tenant, place, address.to_row())
