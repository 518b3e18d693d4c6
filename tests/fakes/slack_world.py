"""What a Slack workspace holds: its people, the direct messages between each of them and the app, their home views."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from core.clock import SECOND
from tests.fakes.faults import Faults

Json = dict[str, Any]

SCOPES = frozenset({"chat:write", "im:write", "im:history", "commands", "users:read", "users:read.email"})


class Refused(Exception):
    """Slack says no: `ok` is false, with its code and whatever else it says."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.body: Json = {"ok": False, "error": error, **more}


@dataclass
class User:
    user_id: str
    name: str
    email: str | None = None
    zone: str = "Europe/Berlin"
    locale: str = "en-GB"
    email_confirmed: bool = True
    is_bot: bool = False
    is_stranger: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    deleted: bool = False
    hears_bots: bool = True
    """False: opening a conversation answers cannot_dm_bot."""


@dataclass
class Message:
    """A message in one user's conversation with the app, as it is stored."""

    channel: str
    ts: str
    author: str
    bot_id: str | None
    text: str
    blocks: list[Json] = field(default_factory=list)
    metadata: Json | None = None
    thread_ts: str | None = None
    updates: int = 0

    @property
    def ref(self) -> str:
        return f"{self.channel}/{self.ts}"

    def shown(self, *, with_metadata: bool = False) -> Json:
        """The message as Slack writes it in histories, events and interactions."""
        shown: Json = {"type": "message", "user": self.author, "ts": self.ts, "text": self.text}
        shown |= {"bot_id": self.bot_id, "app_id": "A1"} if self.bot_id else {}
        shown |= {"blocks": self.blocks} if self.blocks else {}
        shown |= {"thread_ts": self.thread_ts} if self.thread_ts else {}
        shown |= {"edited": {"user": self.author, "ts": self.ts}} if self.updates else {}
        return shown | ({"metadata": self.metadata} if with_metadata and self.metadata else {})


@dataclass(frozen=True)
class Call:
    """One request that the API received, whatever came of it."""

    method: str
    args: Json


@dataclass
class Workspace:
    """One workspace with the app in it. Tests set its attributes to make Slack refuse."""

    team: str
    token: str
    now: Callable[[], int]
    violations: list[str]
    scopes: frozenset[str] = SCOPES
    name: str = "Acme"
    refusal: str | None = None
    """An error that answers every call: account_inactive, token_revoked, team_access_not_granted…"""
    messages_tab: bool = True
    home_tab: bool = True
    opens_as: str | None = None
    """An id that conversations.open answers instead of the direct message's."""
    users: dict[str, User] = field(default_factory=dict)
    homes: dict[str, Json] = field(default_factory=dict)
    ephemerals: list[Json] = field(default_factory=list)
    responses: list[Json] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    received: list[Call] = field(default_factory=list)
    _channels: dict[str, str] = field(default_factory=dict)
    _messages: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    _response_uses: dict[str, int] = field(default_factory=dict)
    _response_places: dict[str, Message | None] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def bot_user(self) -> str:
        return f"U{self.team}BOT"

    @property
    def bot_id(self) -> str:
        return f"B{self.team}"

    def add_user(self, user_id: str, name: str = "Ada", **more: Any) -> User:
        self.users[user_id] = User(user_id, name, **more)
        return self.users[user_id]

    def deactivate(self, user_id: str) -> None:
        self.users[user_id].deleted = True

    def remove(self, user_id: str) -> None:
        """The user is no longer known here."""
        del self.users[user_id]

    def stale(self, user_id: str) -> None:
        """The conversation's id means nothing from now on: opened again it has another, and all its messages."""
        self._channels.pop(user_id, None)

    def script(self, method: str, *faults: str) -> None:
        """How the next calls of a method go, one after the other; see slack_faults."""
        self.faults.script(method, *faults)

    def messages(self, user_id: str) -> list[Message]:
        """Everything in the user's conversation with the app, threads too, in order."""
        return list(self._messages[user_id])

    def cards(self, user_id: str) -> list[Message]:
        """What the app itself posted to the user, in order."""
        return [message for message in self._messages[user_id] if message.bot_id == self.bot_id]

    def home(self, user_id: str) -> Json | None:
        """The view that the user's home tab shows now."""
        return self.homes.get(user_id)

    def calls(self, method: str) -> list[Call]:
        return [call for call in self.received if call.method == method]

    def number(self) -> int:
        return next(self._numbers)

    def user(self, user_id: str) -> User:
        if user_id not in self.users:
            raise Refused("user_not_found")
        return self.users[user_id]

    def channel(self, user_id: str) -> str:
        """The id of the user's conversation, opened if it is not."""
        if user_id not in self._channels:
            self._channels[user_id] = f"D{self.team}{self.number()}"
        return self._channels[user_id]

    def whose(self, channel: str) -> str:
        """The user at the other end of a conversation."""
        for user_id, known in self._channels.items():
            if known == channel:
                return user_id
        raise Refused("channel_not_found")

    def store(self, user_id: str, text: str, *, thread_ts: str | None = None, **more: Any) -> Message:
        """A message of the user's own, or with `bot_id` a bot's."""
        said = self._messages[user_id]
        author = self.bot_user if more.get("bot_id") == self.bot_id else user_id
        message = Message(
            self.channel(user_id), self._ts(said), author, more.pop("bot_id", None), text, thread_ts=thread_ts, **more
        )
        said.append(message)
        return message

    def find(self, channel: str, ts: str) -> Message | None:
        return next((one for one in self._messages[self.whose(channel)] if one.ts == ts), None)

    def forget(self, message: Message) -> None:
        """The message is deleted."""
        self._messages[self.whose(message.channel)].remove(message)

    def new_response_url(self, base: str, message: Message | None) -> str:
        key = f"{self.team}-{self.number()}"
        self._response_uses[key] = 0
        self._response_places[key] = message
        return f"{base}response/{key}"

    def use_response_url(self, key: str) -> Message | None:
        """The message beside which the url was given. Refused when it was used five times, or was never given."""
        if self._response_uses.get(key, 5) >= 5:
            raise Refused("used_url")
        self._response_uses[key] += 1
        return self._response_places[key]

    def _ts(self, said: list[Message]) -> str:
        micros = self.now()
        if said:
            seconds, _, fraction = said[-1].ts.partition(".")
            micros = max(micros, int(seconds) * SECOND + int(fraction) + 100)
        return f"{micros // SECOND}.{micros % SECOND:06}"
