"""What `doctor` asks of Microsoft and of the bot's own door: the token, the clock, the keys, the messaging endpoint.

Nothing is sent but one card on request. Whether Azure Bot has this endpoint shows when somebody writes to the bot.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession

from bot.channels.checks import FIRST, clock_finding, lacking
from bot.channels.loopback import is_loopback
from bot.channels.reach import Outside
from bot.channels.remedies import Remedy, trouble
from bot.channels.settings import TeamsSettings
from bot.channels.teams.address import messages_url
from bot.channels.teams.bearer import CHANNEL
from bot.channels.teams.hello import NAME, Addressee, hello
from bot.channels.teams.keys import read_keys
from bot.channels.teams.manifest import manifest
from bot.channels.teams.package import contents, contents_problems
from bot.channels.teams.remedies import REMEDIES
from bot.channels.teams.token import question
from bot.doctor import Finding
from core.clock import Clock

Json = dict[str, Any]
_REFUSED = "refused"
_WAY = "and whether this machine reaches it: a proxy is named in HTTPS_PROXY"
_TOKEN, _KEYS, _DOOR, _MANIFEST = "teams.app_password", "teams.openid_url", "teams.public_url", "teams.manifest"
_NO_URL = "set teams.public_url to the address that Azure Bot has, without its path"


async def examine(
    teams: TeamsSettings, session: ClientSession, clock: Clock, send_to: Addressee | None = None
) -> list[Finding]:
    """Everything about Teams; one card is sent to whom `send_to` names."""
    if teams.mode == "off":
        return [Finding("teams", True, "is off; docs/teams.md says how it is set up")]
    if teams.gaps:
        return lacking("teams", teams.gaps)
    if teams.mode == "anonymous":
        fix = "for Teams itself, write teams.mode 'on' and see docs/teams.md"
        return [Finding("teams", None, "believes whoever reaches it: for development on this machine alone", fix)]
    asking = _Asking(teams, session)
    token = await asking.token()
    date = clock_finding("teams", "Entra", token.headers.get("date", ""), clock.now())
    found = [_token(teams, token), date, await asking.keys(), await _door(teams, session), _manifest(teams)]
    return [*found, await asking.channel(token, send_to)]


@dataclass(frozen=True, slots=True)
class _Answer:
    """`remedy` is for what went wrong on the way, None where something was answered."""

    status: int = 0
    raw: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    remedy: Remedy | None = None

    def body(self) -> Json:
        try:
            body = json.loads(self.raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}


@dataclass(frozen=True, slots=True)
class _Asking:
    teams: TeamsSettings
    session: ClientSession

    async def token(self) -> _Answer:
        """Ask for the bot's own token, as the bot does before it sends anything."""
        teams = self.teams
        secret = teams.app_password.get_secret_value()
        return await self._ask("POST", *question(teams.app_id, secret, teams.tenant_id, teams.login_url))

    async def keys(self) -> Finding:
        """Whether the keys can be had that Teams' requests are signed with."""
        fix = f"look at teams.openid_url, {_WAY}; without its keys the bot answers 503 to Teams"
        metadata = await self._ask("GET", self.teams.openid_url)
        where = metadata.body().get("jwks_uri") if metadata.status == HTTPStatus.OK else None
        if not isinstance(where, str):
            return Finding(_KEYS, False, _unread(metadata, "no metadata of OpenID is answered"), fix)
        listed = await self._ask("GET", where)
        try:
            keys = read_keys(listed.raw if listed.status == HTTPStatus.OK else b"").values()
        except ValueError:
            return Finding(_KEYS, False, _unread(listed, "no keys are answered where the metadata says"), fix)
        for_teams = sum(CHANNEL in key.endorsements for key in keys)
        if not for_teams:
            return Finding(_KEYS, False, f"names {len(keys)} keys, none of which may sign for Teams", fix)
        return Finding(_KEYS, True, f"names {for_teams} keys that may sign for Teams")

    async def channel(self, token: _Answer, send_to: Addressee | None) -> Finding:
        """Whether the way to a person is open, which nothing but a card shows."""
        if send_to is None:
            fix = "run `clarify-bot doctor --send-to OBJECT_ID` with your own, from entra.microsoft.com under Users"
            return Finding(NAME, None, "cannot be seen without sending a card", fix)
        value = token.body().get("access_token")
        if not isinstance(value, str):
            return Finding(NAME, None, "no card was sent without a token", FIRST)
        is_here = is_loopback(urlsplit(self.teams.login_url).hostname)  # then the token opens nothing elsewhere
        return await hello(self.session, send_to, value, loopback=is_here)

    async def _ask(self, method: str, url: str, form: Mapping[str, str] | None = None) -> _Answer:
        try:
            async with self.session.request(method, url, data=form, allow_redirects=False) as response:
                told = {key.lower(): value for key, value in response.headers.items()}
                return _Answer(response.status, await response.read(), told)
        except (ClientError, TimeoutError, OSError, ValueError) as error:  # ValueError: what is no address
            return _Answer(remedy=trouble(error))


def _unread(answer: _Answer, words: str) -> str:
    return f"cannot be asked: {answer.remedy.means}" if answer.remedy else f"{words} (HTTP {answer.status})"


def _token(teams: TeamsSettings, answer: _Answer) -> Finding:
    body = answer.body()
    if answer.status == HTTPStatus.OK and isinstance(body.get("access_token"), str):
        words = f"is accepted: the app {teams.app_id} gets its token in the organisation {teams.tenant_id}"
        return Finding(_TOKEN, True, words)
    codes = body.get("error_codes")
    code = f"AADSTS{codes[0]}" if isinstance(codes, list) and codes and isinstance(codes[0], int) else ""
    if not code:
        words = _unread(answer, "what answers at teams.login_url is not Entra as it should be")
        return Finding(_TOKEN, False, f"was not tried: {words}", f"look at teams.login_url, {_WAY}")
    other = Remedy("Entra refuses", f"https://login.microsoftonline.com/error?code={code[6:]} says what that means")
    remedy = REMEDIES.get(code, other)
    return Finding(_TOKEN, False, f"is not accepted: {remedy.means} ({code})", remedy.fix)


async def _door(teams: TeamsSettings, session: ClientSession) -> Finding:
    """Whether the messaging endpoint leads to the bot, which must refuse what nobody signed."""
    if not teams.public_url:
        return Finding(_DOOR, None, "is not set, so that nobody knocked at the bot's door", _NO_URL)
    outside, url = Outside("Teams", "teams", "on", teams.public_url, session), messages_url(teams.public_url)
    reply = await outside.reply("POST", url, b"{}", {"Content-Type": "application/json"})
    if isinstance(reply, Remedy):
        return Finding(_DOOR, False, f"{url}: {reply.means}", reply.fix)
    if (reply.status, reply.text) == (HTTPStatus.UNAUTHORIZED, _REFUSED):
        return Finding(_DOOR, True, f"{url} leads to the bot, which refuses what nobody signed")
    return outside.not_the_bot(_DOOR, url, reply.status)


def _manifest(teams: TeamsSettings) -> Finding:
    if not teams.public_url:
        return Finding(_MANIFEST, None, "cannot be made without the address that stands in it", _NO_URL)
    found = contents_problems(contents(manifest(teams.public_url, teams.app_id)))
    words = "; ".join(found) or "`clarify-bot manifest teams --out app.zip` makes a package that keeps every rule"
    return Finding(_MANIFEST, not found, words, "correct teams.public_url" if found else "")
