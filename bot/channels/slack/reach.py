"""Whether Slack can reach the bot: `doctor` knocks as Slack does.

The knock is the request with which Slack verifies an address, signed with the secret that is configured here. So the
right answer shows that the address leads to a running bot which holds the same secret. That the app has this secret
too shows when Slack itself verifies the address.
"""

import json
from dataclasses import dataclass
from http import HTTPStatus

import aiohttp

from bot.channels.reach import Outside
from bot.channels.remedies import Remedy
from bot.channels.settings import SlackSettings
from bot.channels.slack.address import events_url
from bot.channels.slack.credentials import SHAPE_OF_SECRET, SIGNING_SECRET
from bot.channels.slack.guard import SIGNATURE, TIME, signed
from bot.doctor import Finding
from core.clock import SECOND, Clock
from core.ids import nonce

_NAME = SIGNING_SECRET.setting
_OTHER_SECRET = Remedy(
    "the bot that runs there does not accept a request signed with this secret",
    f"{SIGNING_SECRET.where}; start the bot again with it, and check that the clocks of both machines agree",
)


@dataclass(frozen=True, slots=True)
class Reach:
    slack: SlackSettings
    session: aiohttp.ClientSession
    clock: Clock

    async def examine(self) -> list[Finding]:
        outside = Outside("Slack", "slack", "http", self.slack.public_url, self.session)
        secret = self._shape() or await self._knock(outside)
        return [outside.found() if secret.ok else await outside.door(), secret]

    def _shape(self) -> Finding | None:
        if SHAPE_OF_SECRET.fullmatch(self.slack.signing_secret.get_secret_value()):
            return None
        return Finding(_NAME, False, "does not look like one of Slack's", SIGNING_SECRET.where)

    async def _knock(self, outside: Outside) -> Finding:
        url, challenge = events_url(self.slack.public_url), nonce()
        body = json.dumps({"type": "url_verification", "challenge": challenge}).encode()
        reply = await outside.reply("POST", url, data=body, headers=self._signed(body))
        if isinstance(reply, Remedy):
            return Finding(_NAME, False, f"was not tried: {url}: {reply.means}", reply.fix)
        if reply.status == HTTPStatus.OK and challenge in reply.text:
            return Finding(_NAME, True, f"is accepted at {url}, by the bot that runs there")
        if reply.status == HTTPStatus.UNAUTHORIZED:
            return Finding(_NAME, False, f"{url}: {_OTHER_SECRET.means} (HTTP 401)", _OTHER_SECRET.fix)
        return outside.not_the_bot(_NAME, url, reply.status)

    def _signed(self, body: bytes) -> dict[str, str]:
        stamp = str(self.clock.now() // SECOND)
        signature = signed(stamp, body, self.slack.signing_secret.get_secret_value())
        return {"Content-Type": "application/json", TIME: stamp, SIGNATURE: signature}
