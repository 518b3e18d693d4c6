"""The keys that the Bot Connector signs with, as its OpenID metadata names them.

Keys at hand are fresh for a day. For another day they are still believed while newer ones are fetched, and nobody waits
for that: an outage of the metadata must not make the bot deaf, and a key that was withdrawn must not open the door for
ever. A key that is not among them has them fetched again, if five minutes have passed. Only who cannot be told
otherwise waits: there are no keys yet, they are too old, or theirs is missing.

There is one fetch at a time, whoever waits for it; when one fails, the next is made ten seconds later at the soonest,
which is sooner than Teams repeats what was answered 503.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlsplit

import structlog
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jwt.algorithms import RSAAlgorithm
from jwt.exceptions import InvalidKeyError

from bot.channels.inbound import limited
from bot.channels.loopback import is_loopback
from bot.channels.teams.address import OPENID_URL
from bot.channels.teams.port import Refused
from bot.channels.teams.strict_json import Json, read_object
from core.clock import DAY, MINUTE, SECOND, Clock

log = structlog.get_logger()

FRESH = DAY
BELIEVED = 2 * DAY
BETWEEN_MISSES = 5 * MINUTE
BETWEEN_FAILURES = 10 * SECOND
TIMEOUT_SECS = 5.0
"""For each of the two requests of a fetch: Teams waits for an answer a little longer than for both."""
MOST_BYTES = 8 * 1_048_576
"""Of an answer; the real list of keys has about a megabyte."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """`endorsements`: the channels for which it may sign."""

    public: RSAPublicKey
    endorsements: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Held:
    keys: Mapping[str, SigningKey]
    since: int


class OpenIdKeys:
    """`loopback`: in development, keys may come from this machine, without TLS."""

    def __init__(
        self, clock: Clock, url: str = OPENID_URL, *, loopback: bool = False, timeout_secs: float = TIMEOUT_SECS
    ) -> None:
        self._clock = clock
        self._url = url
        self._loopback = loopback
        self._timeout = ClientTimeout(total=timeout_secs)
        self._held = _Held({}, -BELIEVED)
        self._failed_at = -BETWEEN_FAILURES
        self._fetching: asyncio.Task[bool] | None = None

    async def find(self, kid: str) -> SigningKey | None:
        """The key of that id; None where there is none. Raises Refused, 503, where that cannot be known just now."""
        age = self._clock.now() - self._held.since
        if kid in self._held.keys and age < BELIEVED:
            if age >= FRESH:
                self._fetch()
        elif age >= BETWEEN_MISSES:
            await self._fetched()
        return self._held.keys.get(kid)

    async def close(self) -> None:
        """Give up a fetch that is under way."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.wait([self._fetching])

    async def _fetched(self) -> None:
        fetching = self._fetch()
        if fetching is None or not await asyncio.shield(fetching):
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the keys cannot be had just now")

    def _fetch(self) -> asyncio.Task[bool] | None:
        """The fetch that is under way, or one that begins; None so soon after one that failed."""
        if self._fetching is not None and not self._fetching.done():
            return self._fetching
        if self._clock.now() < self._failed_at + BETWEEN_FAILURES:
            return None
        self._fetching = asyncio.create_task(self._renew())
        return self._fetching

    async def _renew(self) -> bool:
        try:
            self._held = _Held(await self._downloaded(), self._clock.now())
        except (ClientError, OSError, ValueError) as error:  # a time-out is an OSError
            self._failed_at = self._clock.now()
            log.warning("teams.keys_unreachable", error=type(error).__name__)
            return False
        return True

    async def _downloaded(self) -> Mapping[str, SigningKey]:
        async with ClientSession(timeout=self._timeout, trust_env=True, cookie_jar=DummyCookieJar()) as session:
            where = read_object(await _answer(session, self._url)).get("jwks_uri")
            if not isinstance(where, str) or not _is_safe(where, loopback=self._loopback):
                raise ValueError("jwks_uri is no address under https")
            listed = await _answer(session, where)
        return await asyncio.to_thread(read_keys, listed)


def read_keys(raw: bytes) -> dict[str, SigningKey]:
    """The RSA keys in a JSON Web Key Set, by id; what else is in it is left out. Raises ValueError for one without."""
    listed = read_object(raw).get("keys")
    entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    found = dict(filter(None, map(_key, entries)))
    if not found:
        raise ValueError("no key of any use")
    return found


def _key(jwk: Json) -> tuple[str, SigningKey] | None:
    kid, listed = jwk.get("kid"), jwk.get("endorsements")
    try:
        public = RSAAlgorithm.from_jwk({name: jwk[name] for name in ("kty", "n", "e")})
    except (InvalidKeyError, KeyError, TypeError, ValueError):
        return None
    assert isinstance(public, RSAPublicKey)
    channels = frozenset(one for one in listed if isinstance(one, str)) if isinstance(listed, list) else frozenset()
    return (kid, SigningKey(public, channels)) if isinstance(kid, str) else None


def _is_safe(url: str, *, loopback: bool) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (loopback and parts.scheme == "http" and is_loopback(parts.hostname))


async def _answer(session: ClientSession, url: str) -> bytes:
    async with session.get(url, allow_redirects=False) as response:
        body = await limited(response.content, MOST_BYTES)
        if response.status != HTTPStatus.OK or len(body) > MOST_BYTES:
            raise ValueError("no answer that can be used")
    return body
