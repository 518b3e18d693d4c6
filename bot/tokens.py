"""Minting write tokens: the bot's half of core.access.card_tokens."""

from dataclasses import asdict

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from core.access.card_tokens import ALGORITHM, AUDIENCE, LIFETIME_SECS, CardWrite
from core.clock import SECOND

ISSUER = "clarify-bot"


def mint(private_key: Ed25519PrivateKey, kid: str, write: CardWrite, now: int, jti: str) -> str:
    """A token for one tap, good for two minutes from `now` (a Ts); `jti` must never have been used before."""
    issued = now // SECOND
    claims = asdict(write) | {
        "person_id": str(write.person_id),
        "aud": AUDIENCE,
        "iss": ISSUER,
        "iat": issued,
        "jti": jti,
        "exp": issued + LIFETIME_SECS,
    }
    if write.arg is None:
        del claims["arg"]
    return jwt.encode(claims, private_key, algorithm=ALGORITHM, headers={"kid": kid})
