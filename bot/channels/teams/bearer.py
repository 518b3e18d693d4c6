"""The token over a request of Teams': its shape, its key, the signature, what it claims; nothing is believed before.

PyJWT is used for the signature alone: its claim checks read the wall clock and accept a list as the audience. Real
tokens claim aud, exp, iss, nbf and serviceurl, in small letters though an activity writes serviceUrl.
https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
"""

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import NoReturn

from jwt import PyJWS
from jwt.exceptions import PyJWTError
from jwt.utils import base64url_decode

from bot.channels.inbound import only
from bot.channels.teams.keys import SigningKey
from bot.channels.teams.port import Headers, Json, Refused
from bot.channels.teams.strict_json import read_object
from core.clock import SECOND

ALGORITHM = "RS256"
CHANNEL = "msteams"
ISSUER = "https://api.botframework.com"
LEEWAY_SECS = 300

_BEARER = re.compile(r"Bearer (?=.{1,6000}\Z)[\w-]+\.[\w-]+\.[\w-]+", re.ASCII)
_JWS = PyJWS(algorithms=[ALGORITHM], options={"enforce_minimum_key_length": True})

Checks = Iterable[tuple[str, Callable[..., bool]]]
"""Each with what is wrong where it does not hold, which goes into the log."""

_CLAIMS: Checks = (
    ("the token is from another issuer", lambda claims, _: claims.get("iss") == ISSUER),
    ("the token is for another audience", lambda claims, app_id: is_id(claims.get("aud"), app_id)),
    (
        "the token is one of the bot's own, for what it sends",
        lambda claims, app_id: not any(is_id(claims.get(name), app_id) for name in ("appid", "azp")),
    ),
)
_TIMES: tuple[tuple[str, int | None, Callable[[int, int], bool]], ...] = (
    ("exp", None, lambda moment, now: now >= moment + LEEWAY_SECS * SECOND),
    ("nbf", 0, lambda moment, now: moment > now + LEEWAY_SECS * SECOND),
    ("iat", 0, lambda moment, now: moment > now + LEEWAY_SECS * SECOND),
)
"""A claim; what holds where there is none, which None forbids; and whether a token of that time is refused."""


def bearer(headers: Headers) -> str:
    """The one token. Raises Refused, like all that follows."""
    value = only(headers, "authorization", _BEARER)
    return value.removeprefix("Bearer ") if value else refuse("not exactly one well-formed bearer token")


def key_id(token: str) -> str:
    """Which key it says it is signed with."""
    try:
        header = read_object(base64url_decode(token.partition(".")[0]))
    except ValueError:
        refuse("the token's header cannot be read")
    if header.get("alg") != ALGORITHM:
        refuse(f"the token is not signed with {ALGORITHM}")
    if "crit" in header:
        refuse("the token asks for something that is not understood here")
    kid = header.get("kid")
    return kid if isinstance(kid, str) else refuse("the token names no key")


def signed_claims(token: str, key: SigningKey | None) -> Json:
    """What it claims, when that key signed it and may sign for Teams."""
    if key is None:
        refuse("the token's key is none of the Bot Connector's")
    if CHANNEL not in key.endorsements:
        refuse("the token's key may not sign for Teams")
    try:
        return read_object(_JWS.decode(token, key.public, algorithms=[ALGORITHM]))
    except PyJWTError:
        refuse("the token's signature does not hold")
    except ValueError:
        refuse("the token's claims cannot be read")


def check_claims(claims: Json, app_id: str, now: int) -> None:
    """Refuse a token that is not the Bot Connector's, for this app, and of this time."""
    check(_CLAIMS, claims, app_id)
    for name, missing, is_off in _TIMES:
        moment = claims.get(name, missing)
        if type(moment) is not int:
            refuse(f"the token's {name} is no time")
        if is_off(moment * SECOND, now):
            refuse(f"the token's {name} is too far from our time", now // SECOND - moment)


def is_id(told: object, wanted: str) -> bool:
    """Whether that is this id of Entra's, in whichever letters."""
    return isinstance(told, str) and told.lower() == wanted


def check(checks: Checks, *given: object) -> None:
    for reason, holds in checks:
        if not holds(*given):
            refuse(reason)


def refuse(reason: str, skew_secs: int | None = None) -> NoReturn:
    raise Refused(HTTPStatus.UNAUTHORIZED, reason, skew_secs)
