"""The Bot Connector's OpenID metadata as a server of its own on loopback, in a thread of its own, and what it signs.

    with fake_openid() as openid:
        keys = OpenIdKeys(clock, openid.url, loopback=True)
        request = teams_request(clock.now())                         # as Teams sends it
        request = teams_request(clock.now(), claims={"exp": GONE})   # with one thing made wrong

`openid.add_key`, `drop_key` rotate keys; `go_down`, `come_back` close and open the port. `openid.trouble["keys"]` (or
`["metadata"]`) says how that document is answered from now on:

    500, moved      that status, and the document all the same; moved: to where the document can be had
    garbage         a page of HTML
    []              JSON that is no object
    {}              an object without anything in it
    endless         the document, and blanks without end
    cut             the connection is cut
    hang            no answer before `release`; `reached` waits for somebody to ask

Tokens are put together by hand and not by the library that reads them. RSA keys are made once a process.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from core.clock import SECOND

Json = dict[str, Any]
APP_ID = "00000000-aaaa-4aaa-8aaa-000000000001"
TENANT_ID = "00000000-bbbb-4bbb-8bbb-000000000002"
USER_ID = "00000000-cccc-4ccc-8ccc-000000000003"
SERVICE_URL = f"https://smba.trafficmanager.net/emea/{TENANT_ID}/"
ISSUER = "https://api.botframework.com"
KID = "key-of-today"
GONE = object()
"""Takes a field away."""


def rsa_key(name: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    """The private key of that name, the same in the whole process."""
    return _made_once(name, bits)


@cache
def _made_once(name: str, bits: int) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, bits)


def public_pem(name: str) -> bytes:
    return rsa_key(name).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def jwk(kid: str, name: str, endorsements: tuple[str, ...] | None = ("msteams", "webchat"), bits: int = 2048) -> Json:
    """A public key as it stands in the list."""
    numbers = rsa_key(name, bits).public_key().public_numbers()
    listed = {} if endorsements is None else {"endorsements": list(endorsements)}
    number = {label: _b64(_bytes(value)) for label, value in (("n", numbers.n), ("e", numbers.e))}
    return {"kty": "RSA", "use": "sig", "kid": kid, "x5t": kid, **number, **listed}


@dataclass
class FakeOpenId:
    """`asked`: how often each document was. `key_list`: the list of keys. `keys_at`: what is said of where it is."""

    key_list: list[Json] = field(default_factory=list)
    trouble: dict[str, str] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)
    keys_at: Any = None

    def __post_init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake OpenID", daemon=True)
        self._port = 0
        self._reached = threading.Event()
        self._released = asyncio.Event()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """Where the metadata is."""
        return f"{self.base}/metadata"

    def add_key(self, kid: str, name: str | None = None, **more: Any) -> None:
        self.key_list.append(jwk(kid, name or kid, **more))

    def drop_key(self, kid: str) -> None:
        self.key_list = [one for one in self.key_list if one["kid"] != kid]

    def reached(self) -> None:
        """Wait until somebody asks while it hangs. To be called in a thread."""
        assert self._reached.wait(30)

    def release(self) -> None:
        """Answer whom it left hanging, and everybody from now on."""
        self.trouble.clear()
        self._loop.call_soon_threadsafe(self._released.set)

    def start(self) -> None:
        self._thread.start()
        self._do(self._serve())

    def go_down(self) -> None:
        self._do(self._runner.cleanup())

    def come_back(self) -> None:
        """On the same port."""
        self._do(self._serve())

    def stop(self) -> None:
        self.go_down()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    def _do(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _serve(self) -> None:
        app = web.Application()
        app.add_routes([web.get("/{document}", self._answer), web.get("/moved/{document}", self._answer)])
        self._runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True).start()
        self._port = self._runner.addresses[0][1]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        document = request.match_info["document"]
        self.asked[document] += 1
        match self.trouble.get(document):
            case "hang":
                self._reached.set()
                await self._released.wait()
            case "moved" if not request.path.startswith("/moved"):
                raise web.HTTPFound(f"/moved/{document}")
            case "endless":
                return await _endless(request, self._document(document))
            case "cut":
                assert request.transport is not None
                request.transport.abort()
            case "500":
                return web.json_response(self._document(document), status=500)
            case "garbage" | "[]" | "{}" as body:
                return web.Response(text=body if body != "garbage" else "<html>sign in</html>")
        return web.json_response(self._document(document))

    def _document(self, document: str) -> Json:
        if document == "keys":
            return {"keys": self.key_list}
        where = f"{self.base}/keys" if self.keys_at is None else self.keys_at
        return {"issuer": ISSUER, "jwks_uri": where, "id_token_signing_alg_values_supported": ["RS256"]}


async def _endless(request: web.Request, document: Json) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(json.dumps(document).encode())
    while True:
        await response.write(b" " * 65_536)


@contextmanager
def fake_openid() -> Iterator[FakeOpenId]:
    """With one key, for Teams among others."""
    openid = FakeOpenId()
    openid.add_key(KID)
    openid.start()
    try:
        yield openid
    finally:
        openid.stop()


@dataclass(frozen=True)
class TeamsRequest:
    """What reaches the bot: its headers, one perhaps twice, and its body."""

    headers: list[tuple[str, str]]
    body: bytes

    def with_token(self, token: str) -> "TeamsRequest":
        return replace(self, headers=[("Authorization", f"Bearer {token}"), *self.headers[1:]])

    @property
    def token(self) -> str:
        return self.headers[0][1].removeprefix("Bearer ")


def teams_request(
    now: int,
    *,
    header: Mapping[str, Any] | bytes = {},
    claims: Mapping[str, Any] | bytes = {},
    activity: Mapping[str, Any] | bytes = {},
    sign: Callable[[bytes], bytes] | str = KID,
) -> TeamsRequest:
    """A message as Teams sends it, but for what is given: fields to put in, by the path to them, GONE to take one away,
    or the bytes to send instead. `sign`: the name of the key, or what makes a signature.
    """
    signed = ".".join(_b64(_written(what, changes)) for what, changes in ((_HEADER, header), (_claims(now), claims)))
    signature = sign(signed.encode()) if callable(sign) else rs256(sign)(signed.encode())
    headers = [("Authorization", f"Bearer {signed}.{_b64(signature)}"), ("Content-Type", "application/json")]
    return TeamsRequest(headers, _written(message(), activity))


def rs256(name: str, bits: int = 2048) -> Callable[[bytes], bytes]:
    return lambda signed: rsa_key(name, bits).sign(signed, padding.PKCS1v15(), hashes.SHA256())


def rs512(name: str) -> Callable[[bytes], bytes]:
    return lambda signed: rsa_key(name).sign(signed, padding.PKCS1v15(), hashes.SHA512())


def hs256(secret: bytes) -> Callable[[bytes], bytes]:
    return lambda signed: hmac.digest(secret, signed, hashlib.sha256)


def message(text: str = "How long are backups kept?") -> Json:
    """An activity: somebody writes to the bot in their personal chat."""
    return {
        "type": "message",
        "id": "1485983408511",
        "timestamp": "2026-06-01T09:00:00.000Z",
        "serviceUrl": SERVICE_URL,
        "channelId": "msteams",
        "from": {"id": "29:1user", "name": "Ada", "aadObjectId": USER_ID},
        "conversation": {"conversationType": "personal", "tenantId": TENANT_ID, "id": "a:1chat"},
        "recipient": {"id": f"28:{APP_ID}", "name": "clarify-bot"},
        "text": text,
        "textFormat": "plain",
        "locale": "en-GB",
        "channelData": {"tenant": {"id": TENANT_ID}},
    }


_HEADER = {"typ": "JWT", "alg": "RS256", "kid": KID, "x5t": KID}


def _claims(now: int) -> Json:
    secs = now // SECOND
    return {"serviceurl": SERVICE_URL, "nbf": secs - 60, "exp": secs + 3600, "iss": ISSUER, "aud": APP_ID}


def _written(genuine: Json, changes: Mapping[str, Any] | bytes) -> bytes:
    if isinstance(changes, bytes):
        return changes
    told: Json = json.loads(json.dumps(genuine))
    for path, value in changes.items():
        *outer, name = path.split("/")
        inner = told
        for step in outer:
            inner = inner[step]
        inner[name] = value
        if value is GONE:
            del inner[name]
    return json.dumps(told).encode()


def _bytes(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")
