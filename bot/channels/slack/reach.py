"""Whether Slack can reach the bot: `doctor` walks in from outside, and knocks as Slack does.

The knock is the request with which Slack verifies an address, signed with the secret that is configured here. So the
right answer shows that the address leads to a running bot which holds the same secret. That the app has this secret
too shows when Slack itself verifies the address.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp

from bot.channels.settings import SlackSettings
from bot.channels.slack.address import events_url
from bot.channels.slack.credentials import SHAPE_OF_SECRET, SIGNING_SECRET
from bot.channels.slack.guard import SIGNATURE, TIME, signed
from bot.channels.slack.remedies import Remedy, trouble
from bot.doctor import Finding
from core.clock import SECOND, Clock
from core.ids import nonce

_BEHIND = "check that this is the bot's address, that it runs with slack.mode http, and that a proxy passes the path on"
_NO_BOT = Remedy(
    "a proxy answers, and finds no bot behind it",
    "start `clarify-bot run`, and let the proxy pass requests on to http.host and http.port",
)
_STATUS: Mapping[int, Remedy] = {
    401: Remedy(
        "the bot that runs there does not accept a request signed with this secret",
        f"{SIGNING_SECRET.where}; start the bot again with it, and check that the clocks of both machines agree",
    ),
    403: Remedy("something in front refuses requests", "let the proxy or the firewall pass Slack's"),
    404: Remedy("there is nothing at this path", _BEHIND),
    405: Remedy("nothing at this path takes a POST", _BEHIND),
    502: _NO_BOT,
    503: _NO_BOT,
    504: _NO_BOT,
}


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    text: str


@dataclass(frozen=True, slots=True)
class Reach:
    slack: SlackSettings
    session: aiohttp.ClientSession
    clock: Clock

    async def examine(self) -> list[Finding]:
        secret = self._shape() or await self._knock()
        address = f"{self.slack.public_url} leads to the bot"
        return [Finding("slack.public_url", True, address) if secret.ok else await self._door(), secret]

    async def _door(self) -> Finding:
        """Whether the bot is there at all, for when it did not answer as it should."""
        name, url = "slack.public_url", f"{self.slack.public_url}/healthz"
        reply = await self._reply("GET", url)
        if isinstance(reply, Remedy):
            return Finding(name, False, f"{url}: {reply.means}", reply.fix)
        if reply.status == HTTPStatus.OK and '"alive"' in reply.text:
            return Finding(name, True, f"{url} is answered by the bot")
        return _not_the_bot(name, url, reply.status)

    def _shape(self) -> Finding | None:
        if SHAPE_OF_SECRET.fullmatch(self.slack.signing_secret.get_secret_value()):
            return None
        return Finding("slack.signing_secret", False, "does not look like one of Slack's", SIGNING_SECRET.where)

    async def _knock(self) -> Finding:
        name, url, challenge = "slack.signing_secret", events_url(self.slack.public_url), nonce()
        body = json.dumps({"type": "url_verification", "challenge": challenge}).encode()
        reply = await self._reply("POST", url, data=body, headers=self._signed(body))
        if isinstance(reply, Remedy):
            return Finding(name, False, f"was not tried: {url}: {reply.means}", reply.fix)
        if reply.status == HTTPStatus.OK and challenge in reply.text:
            return Finding(name, True, f"is accepted at {url}, by the bot that runs there")
        return _not_the_bot(name, url, reply.status)

    async def _reply(
        self, method: str, url: str, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> _Reply | Remedy:
        """What came back; or what is wrong with the way there."""
        try:
            async with self.session.request(method, url, data=data, headers=headers, allow_redirects=False) as response:
                reply = _Reply(response.status, (await response.read()).decode(errors="replace"))
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return trouble(error)
        if HTTPStatus.MULTIPLE_CHOICES <= reply.status < HTTPStatus.BAD_REQUEST:
            return Remedy("it leads elsewhere, and Slack does not follow", "write the address that it leads to")
        return reply

    def _signed(self, body: bytes) -> dict[str, str]:
        stamp = str(self.clock.now() // SECOND)
        signature = signed(stamp, body, self.slack.signing_secret.get_secret_value())
        return {"Content-Type": "application/json", TIME: stamp, SIGNATURE: signature}


def _not_the_bot(name: str, url: str, status: int) -> Finding:
    remedy = _STATUS.get(status, Remedy("something else than the bot answers", _BEHIND))
    return Finding(name, False, f"{url}: {remedy.means} (HTTP {status})", remedy.fix)
