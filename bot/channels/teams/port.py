"""The one way to Teams: what an SDK must do for the channel. The Bot Framework's is one; another can take its place."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from bot.channels.base import NotSent, Profile, UpdateOutcome
from bot.channels.teams.address import Address

Json = dict[str, Any]
Headers = Iterable[tuple[str, str]]


class Refused(Exception):
    """A request that is not to be acted on: 401 for what proves nothing, 400 for what cannot be read, 503 where the
    keys cannot be had just now. `reason` holds nothing of the request. `skew_secs`: how far its time is behind ours,
    where it is refused for that.
    """

    def __init__(self, status: HTTPStatus, reason: str, skew_secs: int | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.skew_secs = skew_secs


@dataclass(frozen=True, slots=True)
class Claims:
    """What a verified request has proven: whose app it is for, and which service it comes from."""

    app_id: str
    service_url: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What an invoke is answered with: always HTTP 200, and in its body {statusCode, type, value}."""

    status: HTTPStatus
    kind: str
    value: Any

    def body(self) -> Json:
        return {"statusCode": int(self.status), "type": self.kind, "value": self.value}


Turn = Callable[[Json], Awaitable[Answered | None]]
"""Deals with one activity; an answer where it is an invoke."""


class Transport(Protocol):
    async def verify(self, headers: Headers, raw: bytes) -> Claims:
        """What the request proves, over its raw bytes. Raises Refused."""

    async def take(self, claims: Claims, raw: bytes, turn: Turn) -> Answered | None:
        """Read a verified activity and let `turn` deal with it. Raises Refused for one that cannot be read."""

    async def send(self, address: Address, message: Json) -> UpdateOutcome:
        """Post a message activity once, without any retry; `Sent` holds the activity's id, Gone is the conversation."""

    async def update(self, address: Address, activity_id: str, message: Json) -> UpdateOutcome:
        """Put a message activity in the place of another; doing so twice does no harm."""

    async def open_dm(self, tenant: str, address: Address) -> Address | NotSent:
        """The personal chat with `address.user`, made where there is none; or why not."""

    async def member(self, address: Address, workspace: str, user_id: str) -> Profile | None:
        """Who a user is; None for one who is unknown there. Raises Unreachable."""

    async def ready(self) -> None:
        """Get the bot's own token. Raises Refused: 401 where Entra refuses the credentials, 503 where it is silent."""

    async def close(self) -> None:
        """Close every connection."""
