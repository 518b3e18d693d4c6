"""`doctor --send-to`: one card to one person, straight into the chat that is known of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import quote

from aiohttp import ClientError, ClientSession

from bot.channels.checks import HELLO
from bot.channels.inbound import limited
from bot.channels.remedies import Remedy, trouble
from bot.channels.teams.address import Address, is_service
from bot.channels.teams.outcomes import answered
from bot.channels.teams.remedies import REFUSALS
from bot.doctor import Finding
from cards.teams import to_teams_message

NAME = "teams.channel"
MOST_BYTES = 65_536
_WRITE = "let them write `help` to the app in Teams while `clarify-bot run` runs; without an answer see docs/teams.md"
_DONE = {HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED}
_UNKNOWN = Remedy("Teams refuses it", _WRITE)
_BY_STATUS: Mapping[int, Remedy] = {
    HTTPStatus.UNAUTHORIZED: Remedy(
        "Teams does not know the bot by its token", "compare teams.app_id with the Microsoft App ID of the Azure Bot"
    ),
    HTTPStatus.FORBIDDEN: REFUSALS["BotNotInConversationRoster"],
    HTTPStatus.TOO_MANY_REQUESTS: Remedy("Teams asks for quiet", "wait a minute and try again"),
}
"""For an answer without a code that is known."""


@dataclass(frozen=True, slots=True)
class Addressee:
    """A user by their Object ID, and where they are written to; None where nothing was ever heard of them."""

    user_id: str
    address: Address | None


async def hello(session: ClientSession, to: Addressee, token: str, *, loopback: bool) -> Finding:
    """Send it. `loopback`: the token may go to a service on this machine."""
    if to.address is None or not to.address.conversation:
        return Finding(NAME, False, f"no chat with {to.user_id} is known", _WRITE)
    if not is_service(to.address.service_url, loopback=loopback):
        return Finding(NAME, False, f"the chat that is known of {to.user_id} is at no service of Teams'", _WRITE)
    conversation = quote(to.address.conversation, safe="")
    url = f"{to.address.service_url.rstrip('/')}/v3/conversations/{conversation}/activities"
    bearer = {"Authorization": f"Bearer {token}"}
    try:
        async with session.post(url, json=to_teams_message(HELLO), headers=bearer, allow_redirects=False) as response:
            return _said(to, response.status, await limited(response.content, MOST_BYTES))
    except (ClientError, TimeoutError, OSError) as error:
        fix = "look whether this machine reaches smba.trafficmanager.net: a proxy is named in HTTPS_PROXY"
        return Finding(NAME, False, f"whether a card reached {to.user_id} is not known: {trouble(error).means}", fix)


def _said(to: Addressee, status: int, body: bytes) -> Finding:
    if status in _DONE:
        return Finding(NAME, True, f"is open: {to.user_id} was sent a card")
    code = answered(status, None, body).error
    remedy = REFUSALS.get(code) or _BY_STATUS.get(status, _UNKNOWN)
    return Finding(NAME, False, f"a card to {to.user_id} was refused: {remedy.means} ({code})", remedy.fix)
