"""Signing by the Standard Webhooks convention: HMAC-SHA256 over `id.timestamp.body`, said in three headers. Pure.

No secret is kept. A webhook's secret is derived from a key that lies in a file outside of the database, from its id,
and from how often it was renewed: what the database holds signs nothing. A fingerprint of the secret is kept, so that
another key file is noticed before anything is signed with it.
"""

import hmac
from base64 import b64encode
from collections.abc import Sequence
from uuid import UUID

from blake3 import blake3

from core.clock import SECOND

PREFIX = "whsec_"


def secret_of(key: bytes, webhook_id: UUID, turn: int) -> bytes:
    """The 32 bytes that a webhook signs with. `turn`: 1, and one more each time it is renewed."""
    return hmac.digest(key, f"webhook:{webhook_id}:{turn}".encode(), "sha256")


def shown(secret: bytes) -> str:
    """A secret as its receiver writes it down."""
    return PREFIX + b64encode(secret).decode()


def fingerprint(secret: bytes) -> bytes:
    return blake3(secret).digest()


def headers(message_id: str, at: int, body: bytes, secrets: Sequence[bytes]) -> dict[str, str]:
    """What is sent beside a body at a Ts. Each secret signs: the receiver is content with any one that it knows."""
    timestamp = str(at // SECOND)
    signed = f"{message_id}.{timestamp}.".encode() + body
    signatures = ("v1," + b64encode(hmac.digest(secret, signed, "sha256")).decode() for secret in secrets)
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }
