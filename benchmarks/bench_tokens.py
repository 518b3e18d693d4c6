"""What the write token costs beyond the signature: our mint, verify and checks against bare PyJWT."""

import time
from collections.abc import Callable
from uuid import UUID

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from bot.tokens import mint
from core.access.card_tokens import AUDIENCE, CardWrite, check_request, verify
from core.model.grants import CardAction, Grant, PermittedAction, fingerprint
from core.clock import SECOND

ROUNDS = 2_000
GRANT = Grant("acme", UUID(int=7), (PermittedAction("watch_create", "t-1"),), "g-1", "d-1")
WRITE = CardWrite(
    tenant="acme",
    person_id=GRANT.person_id,
    action_kind="watch_create",
    target_id="t-1",
    scope_fingerprint=fingerprint(GRANT),
    generation_id="g-1",
)


def run() -> list[tuple[str, float, str]]:
    key = Ed25519PrivateKey.generate()
    public, now = key.public_key(), 1_800_000_000 * SECOND

    def ours() -> None:
        claims = verify(mint(key, "k", WRITE, now, "j"), {"k": public}, now)
        check_request(claims, CardAction("watch_create", "t-1"), GRANT)

    def bare() -> None:
        payload = {"sub": str(GRANT.person_id), "aud": AUDIENCE, "exp": time.time() + 120}
        jwt.decode(jwt.encode(payload, key, algorithm="EdDSA"), public, algorithms=["EdDSA"], audience=AUDIENCE)

    mine, base = _micros(ours), _micros(bare)
    return [
        ("token.mint_verify_check", mine, "us"),
        ("token.bare_pyjwt", base, "us"),
        ("token.ratio", mine / base, "x"),
    ]


def _micros(call: Callable[[], None]) -> float:
    call()
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(ROUNDS // 5):
            call()
        best = min(best, (time.perf_counter() - start) / (ROUNDS // 5))
    return best * 1e6
