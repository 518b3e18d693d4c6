"""The write token of a card button, checked; only the bot, which holds the private key, can mint one.

A token says: this person may do this one action on this one target, within the grant of the card it was tapped on,
for two minutes, once. `verify` reads it in the order signature, shape, time, audience, and believes nothing in it
before the signature holds. `check_request` then compares it with the grant and with what is being asked. In between
the caller burns `jti` in a commit of its own, so that whatever follows, a token is spent at first sight. PyJWT is used
for the signature alone: its claim checks read the wall clock and accept an audience list, so every claim is checked
here, by exact type.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from jwt import PyJWS
from jwt.exceptions import PyJWTError

from core.clock import SECOND
from core.errors import Refused
from core.model.grants import CardAction, Grant, fingerprint

ALGORITHM = "EdDSA"
AUDIENCE = "core.card_write_action"
LIFETIME_SECS = 120
LEEWAY_SECS = 5
MAX_TOKEN_CHARS = 4096

_COMPACT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)
_JWS = PyJWS(algorithms=[ALGORITHM])


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWrite:
    """What one tap asks for."""

    tenant: str
    person_id: UUID
    action_kind: str
    target_id: str
    scope_fingerprint: str
    generation_id: str
    arg: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardWriteClaims(CardWrite):
    """A tap as a token carries it; `iat` and `exp` are whole seconds since the epoch."""

    aud: str
    iss: str
    iat: int
    jti: str
    exp: int


def verify(token: str, keys: Mapping[str, Ed25519PublicKey], now: int) -> CardWriteClaims:
    """The claims of a token that is signed, whole, of this time and for us; `now` is a Ts.

    Raises Refused: malformed, bad_signature, expired or wrong_audience.
    """
    claims = signed_claims(token, keys)
    check_claims(claims, now)
    return claims


def signed_claims(token: str, keys: Mapping[str, Ed25519PublicKey]) -> CardWriteClaims:
    """What a well signed, whole token says, whenever and for whomever it was minted. Raises Refused."""
    return _claims(_payload(_signed_bytes(token, keys)))


def check_claims(claims: CardWriteClaims, now: int) -> None:
    """Raise Refused unless the token is of this time and for us."""
    _check_time(claims, now)
    if claims.aud != AUDIENCE:
        raise Refused("wrong_audience", f"the token is for {claims.aud!r}; it must be for {AUDIENCE!r}")


def _signed_bytes(token: str, keys: Mapping[str, Ed25519PublicKey]) -> bytes:
    if type(token) is not str or len(token) > MAX_TOKEN_CHARS or not _COMPACT.fullmatch(token):
        raise Refused("malformed", f"not a signed token of at most {MAX_TOKEN_CHARS} characters")
    key = keys.get(_key_id(token))
    if key is None:
        raise Refused("bad_signature", "the token is signed with a key that is not known here")
    try:
        payload: bytes = _JWS.decode(token, key, algorithms=[ALGORITHM])
    except PyJWTError as error:
        raise Refused("bad_signature", f"the token's signature does not hold: {error}") from error
    return payload


def _key_id(token: str) -> str:
    try:
        header = _JWS.get_unverified_header(token)
    except (PyJWTError, RecursionError) as error:
        raise Refused("malformed", f"the token's header cannot be read: {error}") from error
    if header.get("alg") != ALGORITHM:
        raise Refused("bad_signature", f"the token is not signed with {ALGORITHM}")
    kid = header.get("kid")
    if type(kid) is not str:
        raise Refused("malformed", "the token names no key (header kid)")
    return kid


def _payload(raw: bytes) -> dict[str, Any]:
    try:
        payload = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Refused("malformed", "the token's payload is not JSON") from error
    if type(payload) is not dict:
        raise Refused("malformed", "the token's payload is not a JSON object")
    return payload


def _claims(payload: dict[str, Any]) -> CardWriteClaims:
    names = {field.name for field in fields(CardWriteClaims)}
    if wrong := sorted((payload.keys() ^ names) - {"arg"}):
        raise Refused("malformed", f"missing or unknown claims: {', '.join(map(repr, wrong))}")
    for name, value in payload.items():
        wanted = int if name in {"iat", "exp"} else str
        if type(value) is not wanted:
            raise Refused("malformed", f"the claim {name!r} must be of type {wanted.__name__}")
    return CardWriteClaims(**(payload | {"person_id": _uuid(payload["person_id"])}))


def _uuid(text: str) -> UUID:
    try:
        value = UUID(text)
    except ValueError as error:
        raise Refused("malformed", "the claim 'person_id' is not a UUID") from error
    if str(value) != text:
        raise Refused("malformed", "the claim 'person_id' is not a UUID in its lower-case, hyphenated form")
    return value


def _check_time(claims: CardWriteClaims, now: int) -> None:
    if not 0 < claims.exp - claims.iat <= LIFETIME_SECS:
        raise Refused("malformed", f"the token must live at most {LIFETIME_SECS} seconds")
    if now < (claims.iat - LEEWAY_SECS) * SECOND:
        raise Refused("malformed", "the token was issued in the future: compare the clocks of bot and core")
    if now >= (claims.exp + LEEWAY_SECS) * SECOND:
        raise Refused("expired", "the token has expired: tap again")


_Check = Callable[[CardWriteClaims, CardAction, Grant], bool]
_CHECKS: tuple[tuple[str, str, _Check], ...] = (
    (
        "fingerprint_mismatch",
        "the token does not belong to this card's grant",
        lambda claims, _, grant: (
            (claims.scope_fingerprint, claims.generation_id) == (fingerprint(grant), grant.generation_id)
        ),
    ),
    (
        "action_mismatch",
        "the token is for another action",
        lambda claims, action, _: (claims.action_kind, claims.arg) == (action.kind, action.arg),
    ),
    ("target_mismatch", "the token is for another target", lambda claims, action, _: claims.target_id == action.target),
    (
        "not_granted",
        "the card never offered this",
        lambda _, action, grant: any(permitted.allows(action) for permitted in grant.actions),
    ),
    (
        "not_authorised",
        "the card was sent to somebody else",
        lambda claims, _, grant: (claims.tenant, claims.person_id) == (grant.tenant, grant.person_id),
    ),
)


def check_request(claims: CardWriteClaims, action: CardAction, grant: Grant) -> None:
    """Raise Refused with the first code that applies: the token against the request, the request against the grant."""
    for code, message, holds in _CHECKS:
        if not holds(claims, action, grant):
            raise Refused(code, message)
