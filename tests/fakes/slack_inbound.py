"""What Slack sends to the bot: events, taps and commands as it writes them, signed as it signs them.

    inbound = Inbound(slack, "T1")
    reply = await deliver(slack, url, inbound.message("U1", "How long is the notice period?"))
    reply = await deliver(slack, url, inbound.tap("U1", card, "watch_mute:2"))

A `SlackRequest` is plain data: change its payload, deliver it twice, give it headers for what Slack would not send.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

import aiohttp
from slack_sdk.signature import SignatureVerifier

from core.clock import SECOND
from tests.fakes.slack import FakeSlack
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_methods import described
from tests.fakes.slack_world import Message

Json = dict[str, Any]
APP_ID, VERIFICATION = "A1", "legacy-verification-token"
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
SOCKET_TYPES = {"event": "events_api", "interaction": "interactive", "command": "slash_commands"}


@dataclass(frozen=True)
class SlackRequest:
    kind: Literal["event", "interaction", "command"]
    payload: Json

    @property
    def body(self) -> str:
        if self.kind == "event":
            return json.dumps(self.payload)
        return urlencode({"payload": json.dumps(self.payload)} if self.kind == "interaction" else self.payload)

    @property
    def content_type(self) -> str:
        return JSON if self.kind == "event" else FORM


@dataclass(frozen=True)
class Reply:
    status: int
    text: str
    headers: Mapping[str, str]


def sign(slack: FakeSlack, body: str, *, at: int | None = None, secret: str | None = None) -> dict[str, str]:
    """The headers with which Slack proves itself; `at` in seconds, now unless told."""
    stamp = str(slack.clock.now() // SECOND if at is None else at)
    signature = SignatureVerifier(secret or slack.signing_secret).generate_signature(timestamp=stamp, body=body)
    assert signature is not None
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": signature}


async def deliver(
    slack: FakeSlack, url: str, request: SlackRequest, *, retry: int = 0, headers: Mapping[str, str] | None = None
) -> Reply:
    """Post it to the bot as Slack does. `retry`: which repeat this is; `headers` replace Slack's own."""
    sent = {"Content-Type": request.content_type, **sign(slack, request.body)}
    sent |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": "http_timeout"} if retry else {}
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, data=request.body.encode(), headers=sent | dict(headers or {})) as answer,
    ):
        return Reply(answer.status, await answer.text(), dict(answer.headers))


class Inbound:
    """Builds what one workspace sends. Messages that it tells of are also stored, as they are in Slack."""

    def __init__(self, slack: FakeSlack, team: str) -> None:
        self._slack = slack
        self._workspace = slack.workspace(team)

    def message(self, user_id: str, text: str, *, thread_ts: str | None = None) -> SlackRequest:
        return self.told(self._workspace.store(user_id, text, thread_ts=thread_ts))

    def told(self, message: Message) -> SlackRequest:
        """The event of a message that is stored already."""
        more = {"bot_profile": {"app_id": APP_ID}} if message.bot_id else {"client_msg_id": f"m-{message.ts}"}
        return self._im(message, message.shown() | more)

    def by_another_bot(self, user_id: str, text: str) -> SlackRequest:
        message = self._workspace.store(user_id, text, bot_id="BOTHER")
        return self._im(message, {"subtype": "bot_message", "bot_id": "BOTHER", "username": "Other", "text": text})

    def edited(self, message: Message, text: str) -> SlackRequest:
        changed: Json = {"subtype": "message_changed", "hidden": True, "previous_message": message.shown()}
        message.text, message.updates = text, message.updates + 1
        return self._im(message, changed | {"message": message.shown()})

    def deleted(self, message: Message) -> SlackRequest:
        gone: Json = {"subtype": "message_deleted", "hidden": True, "deleted_ts": message.ts}
        request = self._im(message, gone | {"previous_message": message.shown()})
        self._workspace.forget(message)
        return request

    def home_opened(self, user_id: str, *, tab: str = "home") -> SlackRequest:
        view = self._workspace.home(user_id)
        return self.event(
            {"type": "app_home_opened", "user": user_id, "channel": self._workspace.channel(user_id), "tab": tab}
            | ({"view": view} if view else {})
        )

    def uninstalled(self) -> SlackRequest:
        return self.event({"type": "app_uninstalled"})

    def tokens_revoked(self) -> SlackRequest:
        tokens: Json = {"oauth": [], "bot": [self._workspace.bot_user]}
        return self.event({"type": "tokens_revoked", "tokens": tokens})

    def user_change(self, user_id: str) -> SlackRequest:
        user = described(self._workspace, self._workspace.users[user_id], with_locale=True)
        return self.event({"type": "user_change", "user": user, "cache_ts": self._seconds()})

    def url_verification(self, challenge: str = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P") -> SlackRequest:
        return SlackRequest("event", {"token": VERIFICATION, "challenge": challenge, "type": "url_verification"})

    def event(self, event: Json) -> SlackRequest:
        """Any event of this workspace in its envelope, with an id of its own."""
        team, number = self._workspace.team, self._workspace.number()
        event = {"event_ts": f"{self._seconds()}.{number:06}", **event}
        authorization = {"enterprise_id": None, "team_id": team, "user_id": self._workspace.bot_user, "is_bot": True}
        payload: Json = {"token": VERIFICATION, "team_id": team, "api_app_id": APP_ID, "event": event}
        payload |= {"type": "event_callback", "event_id": f"Ev{team}{number}", "event_time": self._seconds()}
        payload |= {"authorizations": [authorization | {"is_enterprise_install": False}]}
        return SlackRequest("event", payload | {"is_ext_shared_channel": False, "event_context": f"4-{number}"})

    def tap(self, user_id: str, card: Message, action_id: str, *, chosen: str | None = None) -> SlackRequest:
        """A tap on a button of a stored message; `chosen`: the value picked in a select."""
        container = {"type": "message", "message_ts": card.ts, "channel_id": card.channel, "is_ephemeral": False}
        place: Json = {"channel": {"id": card.channel, "name": "directmessage"}, "message": card.shown()}
        place |= {"response_url": self._workspace.new_response_url(self._slack.base, card)}
        return self._tap(user_id, card.blocks, action_id, chosen, {"container": container, **place})

    def tap_home(self, user_id: str, action_id: str, *, chosen: str | None = None) -> SlackRequest:
        """A tap in the user's home view."""
        view = self._workspace.homes[user_id]
        container = {"type": "view", "view_id": view["id"]}
        return self._tap(user_id, view["blocks"], action_id, chosen, {"container": container, "view": view})

    def command(self, user_id: str, text: str, *, channel: str | None = None, name: str = "/memory") -> SlackRequest:
        """A slash command, typed in the conversation with the app, or in another channel."""
        team = self._workspace.team
        form: Json = {"token": VERIFICATION, "team_id": team, "team_domain": "acme", "api_app_id": APP_ID}
        form |= {"channel_id": channel or self._workspace.channel(user_id)}
        form |= {"channel_name": "general" if channel else "directmessage"}
        form |= {
            "user_id": user_id,
            "user_name": "ada",
            "command": name,
            "text": text,
            "is_enterprise_install": "false",
        }
        form |= {"response_url": self._workspace.new_response_url(self._slack.base, None)}
        return SlackRequest("command", form | {"trigger_id": self._trigger()})

    def envelope(self, request: SlackRequest, *, retry: int = 0) -> Json:
        """The same over Socket Mode, for `slack.push`."""
        accepts = request.kind != "event"
        envelope: Json = {"envelope_id": f"e{self._workspace.number()}", "type": SOCKET_TYPES[request.kind]}
        envelope |= {"payload": request.payload, "accepts_response_payload": accepts}
        return envelope | ({} if accepts else {"retry_attempt": retry, "retry_reason": ""})

    def _im(self, message: Message, more: Json) -> SlackRequest:
        event: Json = {"type": "message", "channel": message.channel, "channel_type": "im", "ts": message.ts}
        return self.event(event | {"event_ts": message.ts, "team": self._workspace.team} | more)

    def _tap(self, user_id: str, blocks: list[Json], action_id: str, chosen: str | None, place: Json) -> SlackRequest:
        team = {"id": self._workspace.team, "domain": "acme"}
        payload: Json = {"type": "block_actions", "api_app_id": APP_ID, "token": VERIFICATION, "team": team}
        payload |= {"user": {"id": user_id, "username": "ada", "name": "ada", "team_id": team["id"]}}
        payload |= {"trigger_id": self._trigger(), "enterprise": None, "is_enterprise_install": False}
        action = _tapped(blocks, action_id, chosen) | {"action_ts": f"{self._seconds()}.000001"}
        return SlackRequest("interaction", payload | place | {"state": {"values": {}}, "actions": [action]})

    def _trigger(self) -> str:
        return f"{self._workspace.number()}.trigger"

    def _seconds(self) -> int:
        return self._slack.clock.now() // SECOND


def _tapped(blocks: list[Json], action_id: str, chosen: str | None) -> Json:
    """What Slack says of the element that was tapped. Raises LookupError when the card has none of that id."""
    found = [(block_id, element) for block_id, element in elements(blocks) if element["action_id"] == action_id]
    if not found:
        raise LookupError(f"no {action_id!r} among {[element['action_id'] for _, element in elements(blocks)]}")
    ((block_id, element),) = found
    tapped: Json = {"type": element["type"], "action_id": action_id, "block_id": block_id}
    if chosen is None:
        return tapped | {key: element[key] for key in ("text", "value", "style", "url") if key in element}
    (option,) = [option for option in element["options"] if option["value"] == chosen]
    return tapped | {"selected_option": option, "placeholder": element.get("placeholder")}
