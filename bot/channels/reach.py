"""Whether a platform can reach the bot: `doctor` walks in from outside, by the public address."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp

from bot.channels.remedies import Remedy, trouble
from bot.doctor import Finding

_NO_BOT = Remedy(
    "a proxy answers, and finds no bot behind it",
    "start `clarify-bot run`, and let the proxy pass requests on to http.host and http.port",
)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Outside:
    """The bot as `platform` sees it at `url`. `section` has the settings; in `mode` the platform is listened to."""

    platform: str
    section: str
    mode: str
    url: str
    session: aiohttp.ClientSession

    @property
    def name(self) -> str:
        return f"{self.section}.public_url"

    def found(self) -> Finding:
        """For when the platform's own request was answered as it should be."""
        return Finding(self.name, True, f"{self.url} leads to the bot")

    async def door(self) -> Finding:
        """Whether the bot is there at all, for when it did not answer as it should."""
        url = f"{self.url}/healthz"
        reply = await self.reply("GET", url)
        if isinstance(reply, Remedy):
            return Finding(self.name, False, f"{url}: {reply.means}", reply.fix)
        if reply.status == HTTPStatus.OK and '"alive"' in reply.text:
            return Finding(self.name, True, f"{url} is answered by the bot")
        return self.not_the_bot(self.name, url, reply.status)

    async def reply(
        self, method: str, url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply | Remedy:
        """What came back; or what is wrong with the way there."""
        try:
            async with self.session.request(method, url, data=data, headers=headers, allow_redirects=False) as response:
                reply = Reply(response.status, (await response.read()).decode(errors="replace"))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return trouble(error)
        if HTTPStatus.MULTIPLE_CHOICES <= reply.status < HTTPStatus.BAD_REQUEST:
            words = f"it leads elsewhere, and {self.platform} does not follow"
            return Remedy(words, "write the address that it leads to")
        return reply

    def not_the_bot(self, name: str, url: str, status: int) -> Finding:
        """What a status says of who answered."""
        behind = (
            f"check that this is the bot's address, that it runs with {self.section}.mode {self.mode},"
            " and that a proxy passes the path on"
        )
        known: Mapping[int, Remedy] = {
            401: Remedy("something in front asks for a password", f"let it pass {self.platform}'s requests"),
            403: Remedy("something in front refuses requests", f"let the proxy or the firewall pass {self.platform}'s"),
            404: Remedy("there is nothing at this path", behind),
            405: Remedy("nothing at this path takes a POST", behind),
            502: _NO_BOT,
            503: _NO_BOT,
            504: _NO_BOT,
        }
        remedy = known.get(status, Remedy("something else than the bot answers", behind))
        return Finding(name, False, f"{url}: {remedy.means} (HTTP {status})", remedy.fix)
