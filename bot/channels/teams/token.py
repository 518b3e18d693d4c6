"""The bot's own token, which Entra gives for the client secret: what the Bot Connector knows the bot by.

It is kept until five minutes before its end and then got anew, by one request at a time, whoever waits for it. While
it holds, a silent Entra holds up nobody for longer than that request takes. The Connector may refuse a token that
holds, for a secret was revoked or a key rotated: then the next is got at once, and if that is refused as well, the
credentials are not the bot's.
https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

import asyncio
import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar

from bot.channels.inbound import limited
from bot.channels.teams.address import LOGIN_URL
from bot.channels.teams.port import Refused
from bot.channels.teams.strict_json import read_object
from core.clock import MINUTE, SECOND, Clock

SCOPE = "https://api.botframework.com/.default"
RENEWED_BEFORE = 5 * MINUTE
TIMEOUT_SECS = 10.0
MOST_BYTES = 65_536

_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{1,8192}=*")
_REFUSALS = frozenset(
    {
        "access_denied",
        "invalid_client",
        "invalid_grant",
        "invalid_request",
        "invalid_resource",
        "invalid_scope",
        "unauthorized_client",
        "unsupported_grant_type",
    }
)
"""Of RFC 6749 and of Entra: asked again in the same words, it would say the same."""


@dataclass(frozen=True, slots=True)
class _Held:
    """`ends_at`: Ts."""

    value: str
    ends_at: int


def question(app_id: str, secret: str, tenant_id: str, login_url: str = LOGIN_URL) -> tuple[str, dict[str, str]]:
    """Where a token is asked for, and with which form."""
    form = {"grant_type": "client_credentials", "client_id": app_id, "client_secret": secret, "scope": SCOPE}
    return f"{login_url}{tenant_id}/oauth2/v2.0/token", form


class Token:
    """Of the app in the tenant of those ids. `secret` goes to `login_url`, in a request's body, and nowhere else."""

    def __init__(
        self,
        app_id: str,
        secret: str,
        tenant_id: str,
        clock: Clock,
        login_url: str = LOGIN_URL,
        *,
        timeout_secs: float = TIMEOUT_SECS,
    ) -> None:
        self._url, self._form = question(app_id, secret, tenant_id, login_url)
        self._clock = clock
        self._timeout = ClientTimeout(total=timeout_secs)
        self._held: _Held | None = None
        self._in_question = False
        self._fetching: asyncio.Task[_Held] | None = None

    @property
    def held(self) -> str | None:
        """The token, where one is at hand that holds."""
        return self._held.value if self._held and self._clock.now() < self._held.ends_at else None

    async def get(self) -> str:
        """The token, got or renewed if need be. Raises Refused where none is to be had, and none holds."""
        held = self._held
        if held and self._clock.now() < held.ends_at - RENEWED_BEFORE:
            return held.value
        try:
            return (await asyncio.shield(self._fetch())).value
        except Refused:
            if self.held is None:
                raise
            return self.held

    def refused(self, value: str) -> bool:
        """The Connector refuses a token, which is not used again; whether that is so of one got for such a refusal."""
        if self._held is None or self._held.value != value:
            return False
        again, self._held, self._in_question = self._in_question, None, True
        return again

    def accepted(self) -> None:
        self._in_question = False

    async def close(self) -> None:
        """Give up a request that is under way."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.wait([self._fetching])

    def _fetch(self) -> asyncio.Task[_Held]:
        if self._fetching is None or self._fetching.done():
            self._fetching = asyncio.create_task(self._renewed())
        return self._fetching

    async def _renewed(self) -> _Held:
        try:
            status, body = await self._asked()
        except (ClientError, OSError) as error:  # a time-out is an OSError
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"Entra cannot be reached: {type(error).__name__}") from None
        self._held = _read(status, body, self._clock.now())
        return self._held

    async def _asked(self) -> tuple[int, bytes]:
        async with (
            ClientSession(timeout=self._timeout, trust_env=True, cookie_jar=DummyCookieJar()) as session,
            session.post(self._url, data=self._form, allow_redirects=False) as response,
        ):
            return response.status, await limited(response.content, MOST_BYTES)


def _read(status: int, body: bytes, now: int) -> _Held:
    """The token in Entra's answer. Raises Refused: 401 where Entra says no to the credentials."""
    try:
        told = read_object(body)
    except ValueError:
        told = {}
    if status != HTTPStatus.OK:
        final = status < HTTPStatus.INTERNAL_SERVER_ERROR and _error(told) in _REFUSALS
        raise Refused(HTTPStatus.UNAUTHORIZED if final else HTTPStatus.SERVICE_UNAVAILABLE, _reason(status, told))
    value, secs = told.get("access_token"), told.get("expires_in")
    if not isinstance(value, str) or not _TOKEN.fullmatch(value) or type(secs) is not int or secs <= 0:
        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "Entra's answer holds no token that can be used")
    return _Held(value, now + secs * SECOND)


def _error(told: dict[str, Any]) -> str:
    error = told.get("error")
    return error if isinstance(error, str) else ""


def _reason(status: int, told: dict[str, Any]) -> str:
    """What Entra says, in its codes alone: its words repeat parts of what was asked."""
    codes, known = told.get("error_codes"), {*_REFUSALS, "temporarily_unavailable"}
    name = error if (error := _error(told)) in known else f"HTTP {status}"
    numbers = [f"AADSTS{code}" for code in codes if type(code) is int] if isinstance(codes, list) else []
    return f"Entra gives no token: {name}" + (f" ({', '.join(numbers[:3])})" if numbers else "")
