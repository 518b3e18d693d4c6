"""What reaches the bot as if from Teams, with one thing wrong in each; beside it, how it is answered and why."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.channels.inbound import MOST_BYTES
from core.clock import SECOND
from tests.fakes.teams_openid import (
    APP_ID,
    GONE,
    ISSUER,
    KID,
    SERVICE_URL,
    FakeOpenId,
    TeamsRequest,
    hs256,
    jwk,
    message,
    public_pem,
    rs256,
    rs512,
    teams_request,
)

MALFORMED = "not exactly one well-formed bearer token"
HEADER = "the token's header cannot be read"
ALGORITHM = "the token is not signed with RS256"
NO_KID = "the token names no key"
UNKNOWN_KEY = "the token's key is none of the Bot Connector's"
UNENDORSED = "the token's key may not sign for Teams"
SIGNATURE = "the token's signature does not hold"
CLAIMS = "the token's claims cannot be read"
AUDIENCE = "the token is for another audience"
FROM_ANOTHER = "the token is from another issuer"
OWN = "the token is one of the bot's own, for what it sends"
NO_TYPE = "the activity is of no type"
CHANNEL = "the activity is from another channel"
SERVICE = "the activity is from a service that is none of Teams'"
OTHER_SERVICE = "the activity is from another service than the token"
TENANT = "the activity is from another tenant"
CONVERSATION = "the conversation is in another tenant"
BODY = "the body is no object in JSON that says one thing"
TOO_LONG = f"the body has more than {MOST_BYTES} bytes"

OUTBOUND = {"aud": ISSUER, "iss": "https://sts.windows.net/x/", "appid": APP_ID, "serviceurl": GONE}
ELSEWHERE = "https://smba.trafficmanager.net.evil.example/emea/"
OTHER_ID = "00000000-dddd-4ddd-8ddd-000000000004"
DEEP = b'{"a":' * 100_000
NEARLY_DEEP = b'{"type": ' + b"[" * 64 + b"]" * 64 + b"}"


@dataclass(frozen=True)
class Row:
    """`wrong`: what is changed in a genuine request; `authorization`: what stands in that header, made of its token."""

    name: str
    reason: str
    wrong: dict[str, Any] = field(default_factory=dict)
    authorization: Callable[[str], list[str]] = lambda token: [f"Bearer {token}"]
    status: int = 401
    skew_secs: int | None = None

    def request(self, now: int) -> TeamsRequest:
        """`wrong` may hold functions of the time, in seconds."""
        wrong = {
            part: {path: _at(now, value) for path, value in changes.items()} if isinstance(changes, dict) else changes
            for part, changes in self.wrong.items()
        }
        made = teams_request(now, **wrong)
        given = [("Authorization", value) for value in self.authorization(made.token)]
        return TeamsRequest([*given, *made.headers[1:]], made.body)


def _at(now: int, value: Any) -> Any:
    return value(now // SECOND) if callable(value) else value


def _header(name: str, reason: str = MALFORMED, **given: Any) -> Row:
    return Row(f"authorization: {name}", reason, **given)


def _token(name: str, reason: str, *, sign: Any = KID, **header: Any) -> Row:
    return Row(f"token header: {name}", reason, {"header": header, "sign": sign})


def _claims(name: str, reason: str, skew_secs: int | None = None, **claims: Any) -> Row:
    return Row(f"claims: {name}", reason, {"claims": claims}, skew_secs=skew_secs)


def _activity(name: str, reason: str, **activity: Any) -> Row:
    return Row(f"activity: {name}", reason, {"activity": activity})


def _both(name: str, reason: str, service_url: str) -> Row:
    """Token and activity agree."""
    wrong = {"claims": {"serviceurl": service_url}, "activity": {"serviceUrl": service_url}}
    return Row(f"service: {name}", reason, wrong)


def _body(name: str, body: bytes, reason: str = BODY, status: int = 400) -> Row:
    return Row(f"body: {name}", reason, {"activity": body}, status=status)


def _twice(genuine: bytes, name: str, value: str) -> bytes:
    """The same JSON, with that name in it once more, before the rest."""
    return f'{{"{name}": {json.dumps(value)}, '.encode() + genuine[1:]


GENUINE = json.dumps(message()).encode()
TOLD_TWICE = b'{"iss": "https://api.botframework.com", "iss": "https://api.botframework.com"}'

BAD: list[Row] = [
    _header("none", authorization=lambda token: []),
    _header("two of them", authorization=lambda token: [f"Bearer {token}"] * 2),
    _header("two, one of another kind", authorization=lambda token: ["Basic eDp5", f"Bearer {token}"]),
    _header("empty", authorization=lambda token: [""]),
    _header("of another kind", authorization=lambda token: [f"Basic {token}"]),
    _header("in small letters", authorization=lambda token: [f"bearer {token}"]),
    _header("without a token", authorization=lambda token: ["Bearer"]),
    _header("with two blanks", authorization=lambda token: [f"Bearer  {token}"]),
    _header("with two tokens", authorization=lambda token: [f"Bearer {token} {token}"]),
    _header("with two tokens and a comma", authorization=lambda token: [f"Bearer {token}, Bearer {token}"]),
    _header("a token of two parts", authorization=lambda token: ["Bearer " + token.rpartition(".")[0]]),
    _header("a token of four parts", authorization=lambda token: [f"Bearer {token}.x"]),
    _header("a token without its signature", authorization=lambda token: ["Bearer " + token.rpartition(".")[0] + "."]),
    _header("padded base64", authorization=lambda token: [f"Bearer {token}="]),
    _header("letters that are none of base64", authorization=lambda token: [f"Bearer é{token}"]),
    _header("a huge token", wrong={"claims": {"much": "x" * 4_500}}),
    _header("five parts, encrypted", authorization=lambda token: ["Bearer a.b.c.d.e"]),
    _header("base64 that is none", HEADER, authorization=lambda token: ["Bearer a.b.c"]),
    Row("token header: no JSON", HEADER, {"header": b"{"}),
    Row("token header: a list", HEADER, {"header": b"[]"}),
    Row("token header: not UTF-8", HEADER, {"header": b'{"kid": "\xff"}'}),
    Row("token header: deep", HEADER, {"header": b'{"a":' * 600}),
    Row("token header: a name twice", HEADER, {"header": b'{"alg": "none", "alg": "RS256", "kid": "key-of-today"}'}),
    _token("alg none", ALGORITHM, alg="none"),
    _token("alg None", ALGORITHM, alg="None", sign=lambda signed: b"x"),
    _token("alg missing", ALGORITHM, alg=GONE),
    _token("alg a list", ALGORITHM, alg=["RS256"]),
    _token("alg in small letters", ALGORITHM, alg="rs256"),
    _token("HS256 with the public key as the secret", ALGORITHM, alg="HS256", sign=hs256(public_pem(KID))),
    _token("HS256 with nothing as the secret", ALGORITHM, alg="HS256", sign=hs256(b"")),
    _token("RS512, well signed", ALGORITHM, alg="RS512", sign=rs512(KID)),
    _token("ES256", ALGORITHM, alg="ES256"),
    _token("crit", "the token asks for something that is not understood here", crit=["exp"], exp=1),
    _token("crit, empty", "the token asks for something that is not understood here", crit=[]),
    _token("no kid", NO_KID, kid=GONE),
    _token("kid a number", NO_KID, kid=7),
    _token("kid a list", NO_KID, kid=[KID]),
    _token("kid of nobody's", UNKNOWN_KEY, kid="../../dev/null"),
    _token("kid empty", UNKNOWN_KEY, kid=""),
    _token("a key of its own", SIGNATURE, jwk=jwk(KID, "foreign"), jku="https://evil.example/keys", sign="foreign"),
    _token("b64 false", SIGNATURE, b64=False),
    _token("signed RS512 as RS256", SIGNATURE, sign=rs512(KID)),
    _token("signed HS256 as RS256", SIGNATURE, sign=hs256(public_pem(KID))),
    _token("signed with another key", SIGNATURE, sign="foreign"),
    _token("signed with a key for another channel", UNENDORSED, kid="for-webchat", sign="for-webchat"),
    _token("signed with a key for nothing", UNENDORSED, kid="for-nothing", sign="for-nothing"),
    _token("signed with a short key", SIGNATURE, kid="short", sign=rs256("short", 1024)),
    _header("a signature cut short", SIGNATURE, authorization=lambda token: [f"Bearer {token[:-4]}"]),
    _header("claims changed after it was signed", SIGNATURE, authorization=lambda token: [_with_other_claims(token)]),
    Row("claims: no JSON", CLAIMS, {"claims": b"{"}),
    Row("claims: a list", CLAIMS, {"claims": b"[]"}),
    Row("claims: deep", CLAIMS, {"claims": b'{"a":' * 600}),
    Row("claims: not UTF-8", CLAIMS, {"claims": b'{"iss": "\xff"}'}),
    Row("claims: a name twice", CLAIMS, {"claims": TOLD_TWICE}),
    _claims("no exp", "the token's exp is no time", exp=GONE),
    _claims("exp null", "the token's exp is no time", exp=None),
    _claims("exp as text", "the token's exp is no time", exp="9999999999"),
    _claims("exp true", "the token's exp is no time", exp=True),
    _claims("expired", "the token's exp is too far from our time", 300, exp=lambda now: now - 300),
    _claims("expired long ago", "the token's exp is too far from our time", 86_400, exp=lambda now: now - 86_400),
    _claims("not yet", "the token's nbf is too far from our time", -301, nbf=lambda now: now + 301),
    _claims("nbf null", "the token's nbf is no time", nbf=None),
    _claims("made in the future", "the token's iat is too far from our time", -301, iat=lambda now: now + 301),
    _claims("iat as text", "the token's iat is no time", iat="0"),
    _claims("no iss", FROM_ANOTHER, iss=GONE),
    _claims("iss of Entra's", FROM_ANOTHER, iss="https://sts.windows.net/x/"),
    _claims("iss with a slash", FROM_ANOTHER, iss=f"{ISSUER}/"),
    _claims("iss that only begins so", FROM_ANOTHER, iss=f"{ISSUER}.evil.example"),
    _claims("iss a list", FROM_ANOTHER, iss=[ISSUER]),
    _claims("no aud", AUDIENCE, aud=GONE),
    _claims("aud another app", AUDIENCE, aud=OTHER_ID),
    _claims("aud a list", AUDIENCE, aud=[APP_ID]),
    _claims("aud empty", AUDIENCE, aud=""),
    _claims("a token of the bot's own, for what it sends", FROM_ANOTHER, **OUTBOUND),
    _claims("the same from the right issuer", AUDIENCE, **OUTBOUND | {"iss": ISSUER}),
    _claims("made by the app for itself", OWN, appid=APP_ID),
    _claims("made by the app for itself, second version", OWN, azp=APP_ID.upper()),
    _claims("no serviceurl", OTHER_SERVICE, serviceurl=GONE),
    _claims("serviceurl as an activity writes it", OTHER_SERVICE, serviceurl=GONE, serviceUrl=SERVICE_URL),
    _claims("serviceurl another", OTHER_SERVICE, serviceurl="https://smba.trafficmanager.net/amer/"),
    _claims("serviceurl without the slash", OTHER_SERVICE, serviceurl=SERVICE_URL.rstrip("/")),
    _claims("serviceurl a list", OTHER_SERVICE, serviceurl=[SERVICE_URL]),
    _activity("no type", NO_TYPE, type=GONE),
    _activity("type empty", NO_TYPE, type=""),
    _activity("type a number", NO_TYPE, type=1),
    _activity("no channelId", CHANNEL, channelId=GONE),
    _activity("channelId of another channel for which the key may sign", CHANNEL, channelId="webchat"),
    _activity("channelId in capitals", CHANNEL, channelId="MSTEAMS"),
    _activity("channelId a list", CHANNEL, channelId=["msteams"]),
    _activity("no serviceUrl", SERVICE, serviceUrl=GONE),
    _activity("serviceUrl a list", SERVICE, serviceUrl=[SERVICE_URL]),
    _activity("serviceUrl another of Teams'", OTHER_SERVICE, serviceUrl="https://smba.trafficmanager.net/amer/"),
    _both("that is nobody's", SERVICE, ELSEWHERE),
    _both("without TLS", SERVICE, SERVICE_URL.replace("https", "http")),
    _both("on this machine", SERVICE, "http://127.0.0.1:3978/"),
    _both("with a name before the host", SERVICE, "https://x@smba.trafficmanager.net/"),
    _both("empty", SERVICE, ""),
    _activity("no tenant", TENANT, **{"channelData/tenant": GONE}),
    _activity("no channelData", TENANT, channelData=GONE),
    _activity("channelData as text", TENANT, channelData="tenant"),
    _activity("tenant as text", TENANT, **{"channelData/tenant": "id"}),
    _activity("another tenant", TENANT, **{"channelData/tenant/id": OTHER_ID}),
    _activity("a conversation in another tenant", CONVERSATION, **{"conversation/tenantId": OTHER_ID}),
    _activity("a conversation in a list of tenants", CONVERSATION, **{"conversation/tenantId": [OTHER_ID]}),
    _body("empty", b""),
    _body("no JSON", b"{"),
    _body("a list", b"[]"),
    _body("null", b"null"),
    _body("a form", b"type=message"),
    _body("two objects", GENUINE * 2),
    _body("deep", DEEP),
    _body("a little too deep", NEARLY_DEEP),
    _body("not UTF-8", GENUINE.replace(b"Ada", b"Ad\xff")),
    _body("UTF-16", GENUINE.decode().encode("utf-16")),
    _body("NaN", GENUINE.replace(b'"Ada"', b"NaN")),
    _body("a number without end", GENUINE.replace(b'"Ada"', b"9" * 5_000)),
    _body("a name twice", _twice(GENUINE, "serviceUrl", ELSEWHERE)),
    _body("a name twice, further in", GENUINE.replace(b'"tenant": ', b'"tenant": {"id": "x"}, "tenant": ')),
    _body("too long", b" " * MOST_BYTES + GENUINE, TOO_LONG, 413),
]  # fmt: skip


def _with_other_claims(token: str) -> str:
    header, _, signature = token.split(".")
    other = teams_request(0).token.split(".")[1]
    return f"Bearer {header}.{other}.{signature}"


GOOD: dict[str, dict[str, Any]] = {
    "as Teams sends it": {},
    "a tenant in capitals": {"activity": {"channelData/tenant/id": message()["channelData"]["tenant"]["id"].upper()}},
    "no tenant of the conversation": {"activity": {"conversation/tenantId": GONE}},
    "no conversation": {"activity": {"conversation": GONE}},
    "another type": {"activity": {"type": "installationUpdate"}},
    "fields that are new": {"activity": {"new": {"a": [1.5, None, True]}}, "claims": {"new": 1}, "header": {"new": 1}},
    "words of every script": {"activity": {"text": "Wie lange? 💾 何日間 \u202e"}},
    "an audience in capitals": {"claims": {"aud": APP_ID.upper()}},
    "no nbf": {"claims": {"nbf": GONE}},
    "expired within five minutes": {"claims": {"exp": lambda now: now - 299}},
    "a clock that is five minutes behind": {"claims": {"nbf": lambda now: now + 300, "iat": lambda now: now + 300}},
    "no typ": {"header": {"typ": GONE}},
    "another app's id in appid": {"claims": {"appid": OTHER_ID}},
}


def genuine(name: str, now: int) -> TeamsRequest:
    return Row(name, "", GOOD[name], status=200).request(now)


def with_every_key(openid: FakeOpenId) -> FakeOpenId:
    """The keys that the rows speak of."""
    openid.add_key("for-webchat", endorsements=("webchat",))
    openid.add_key("for-nothing", endorsements=None)
    openid.add_key("short", bits=1024)
    return openid
