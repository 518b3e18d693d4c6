"""What `doctor` asks of Slack itself: the tokens, what they may do, the clock, and on request one card to one person.

Nothing is posted but that card. Whether the Messages tab is on shows in the answer to a message alone.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientError, ClientSession

from bot.channels.checks import FIRST, HELLO, clock_finding, lacking
from bot.channels.remedies import Remedy, trouble
from bot.channels.settings import SlackSettings
from bot.channels.slack.manifest import SCOPES, manifest, problems
from bot.channels.slack.reach import Reach
from bot.channels.slack.reading import scopes_of
from bot.channels.slack.remedies import REMEDIES
from bot.doctor import Finding
from cards.slack import to_slack
from core.clock import Clock

Json = dict[str, Any]
_WAY = "look at slack.api_url, at status.slack.com, and whether this machine reaches Slack"
_OWN_ID = "your own member ID, which Slack shows in your profile under More > Copy member ID"


async def examine(slack: SlackSettings, session: ClientSession, clock: Clock, send_to: str = "") -> list[Finding]:
    """Everything about Slack; with `send_to`, a user's id, one card is sent to that user."""
    if slack.mode == "off":
        return [Finding("slack", True, "is off; docs/slack.md says how it is set up")]
    if slack.gaps:
        return lacking("slack", slack.gaps)
    found = await _Asking(slack, session, clock).examine(send_to)
    if slack.mode == "http":
        found += await Reach(slack, session, clock).examine()
    return [*found, _manifest(slack)]


@dataclass(frozen=True, slots=True)
class _Answer:
    """Slack's. `remedy` is for what went wrong, None when all went well; `code` is Slack's own word for it."""

    body: Json = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    code: str = ""
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class _Asking:
    slack: SlackSettings
    session: ClientSession
    clock: Clock

    async def examine(self, send_to: str) -> list[Finding]:
        hello = await self._ask("auth.test", self._bot_token)
        date = clock_finding("slack", "Slack", hello.headers.get("date", ""), self.clock.now())
        found = [_bot(hello), _scopes(hello), date]
        if self.slack.mode == "socket":
            found.append(_app(await self._ask("apps.connections.open", self.slack.app_token.get_secret_value())))
        return [*found, await self._tab(send_to)]

    @property
    def _bot_token(self) -> str:
        return self.slack.bot_token.get_secret_value()

    async def _tab(self, send_to: str) -> Finding:
        name = "slack.messages_tab"
        if not send_to:
            fix = f"run `clarify-bot doctor --send-to USER_ID` with {_OWN_ID}"
            return Finding(name, None, "cannot be seen without sending a card", fix)
        opened = await self._ask("conversations.open", self._bot_token, users=send_to)
        if opened.remedy:
            return _refused(name, f"no conversation with {send_to} was opened", opened.remedy, opened)
        channel = opened.body.get("channel")
        place = str(channel.get("id")) if isinstance(channel, dict) else ""
        if not place.startswith("D"):
            return Finding(name, False, f"{place or 'nothing'} was opened, no direct message", f"name {_OWN_ID}")
        sent = await self._ask("chat.postMessage", self._bot_token, channel=place, **to_slack(HELLO))
        if sent.remedy:
            return _refused(name, f"a card to {send_to} was refused", sent.remedy, sent)
        return Finding(name, True, f"is on: {send_to} was sent a card")

    async def _ask(self, method: str, token: str, **arguments: Any) -> _Answer:
        url, headers = self.slack.api_url + method, {"Authorization": f"Bearer {token}"}
        try:
            async with self.session.post(url, json=arguments or None, headers=headers) as response:
                body = json.loads(await response.read())
        except ValueError:
            return _Answer(remedy=_unreadable(response.status))
        except (ClientError, TimeoutError, OSError) as error:
            return _Answer(remedy=Remedy(f"Slack cannot be asked: {trouble(error).means}", _WAY))
        if not isinstance(body, dict):
            return _Answer(remedy=_unreadable(response.status))
        told = {key.lower(): value for key, value in response.headers.items()}
        if body.get("ok") is True:
            return _Answer(body, told)
        code = str(body.get("error"))
        other = Remedy(f"Slack answers {code}", f"Slack's own page on {method} says what that means")
        return _Answer(body, told, code, REMEDIES.get(code, other))


def _unreadable(status: int) -> Remedy:
    return Remedy(f"what answers at slack.api_url is not Slack as it should be (HTTP {status})", _WAY)


def _manifest(slack: SlackSettings) -> Finding:
    found = problems(manifest(slack.public_url if slack.mode == "http" else None))
    words = "; ".join(found) or "`clarify-bot manifest slack` makes one that keeps every rule"
    return Finding("slack.manifest", not found, words, "correct slack.public_url" if found else "")


def _bot(hello: _Answer) -> Finding:
    name, body = "slack.bot_token", hello.body
    if hello.remedy:
        return _refused(name, "is not accepted", hello.remedy, hello)
    if not body.get("bot_id"):
        fix = "copy Bot User OAuth Token from OAuth & Permissions; it begins with xoxb-"
        return Finding(name, False, f"is the token of {body.get('user')}, who is no bot", fix)
    words = (
        f"is accepted: the bot {body.get('user')} ({body.get('user_id')}) in {body.get('team')} ({body.get('team_id')})"
    )
    return Finding(name, True, words)


def _scopes(hello: _Answer) -> Finding:
    name, provided = "slack.scopes", scopes_of(hello.headers)
    if hello.remedy or provided is None:
        return Finding(name, None, "Slack did not say what the token may do", FIRST)
    missing, extra = sorted(SCOPES.keys() - provided), sorted(set(provided) - SCOPES.keys())
    more = f"; not needed: {', '.join(extra)}" if extra else ""
    if not missing:
        fix = "take them out under OAuth & Permissions > Scopes and install the app again" if extra else ""
        return Finding(name, True, f"everything needed is granted{more}", fix)
    without = "; ".join(f"without {scope} the bot cannot {SCOPES[scope]}" for scope in missing)
    words = f"needed: {', '.join(SCOPES)}; provided: {', '.join(provided) or 'none'}; {without}{more}"
    return Finding(name, False, words, f"add {', '.join(missing)}: {REMEDIES['missing_scope'].fix}")


def _app(opened: _Answer) -> Finding:
    name = "slack.app_token"
    if opened.remedy is None:
        return Finding(name, True, "is accepted: Socket Mode may connect")
    if opened.code == "missing_scope":
        fix = "make one with the scope connections:write under Basic Information > App-Level Tokens"
        return Finding(name, False, "has not the scope connections:write (missing_scope)", fix)
    return _refused(name, "is not accepted", opened.remedy, opened)


def _refused(name: str, what: str, remedy: Remedy, answer: _Answer) -> Finding:
    code = f" ({answer.code})" if answer.code in REMEDIES else ""
    needed = answer.body.get("needed")
    scopes = f"; needed: {needed}; provided: {answer.body.get('provided')}" if needed else ""
    return Finding(name, False, f"{what}: {remedy.means}{code}{scopes}", remedy.fix)
