"""Ids: derived where a thing is determined by its parts, random where it must not be guessed."""

import secrets
from uuid import UUID

import blake3
import xxhash


def derived(*parts: object) -> UUID:
    """The id determined by `parts`, in order: BLAKE3-128 over their length-prefixed UTF-8 text."""
    hasher = blake3.blake3()
    for part in parts:
        raw = str(part).encode()
        hasher.update(len(raw).to_bytes(8, "big"))
        hasher.update(raw)
    return UUID(bytes=hasher.digest(16))


def watch_derived(prefix: str, watch_id: UUID, start: int, end: int) -> UUID:
    """Id of a fire or its job: xxh3_128 of `prefix:watch_id:start:end` (page: watch and jobs, Sweep)."""
    return UUID(int=xxhash.xxh3_128_intdigest(f"{prefix}:{watch_id}:{start}:{end}".encode()))


def random_id() -> UUID:
    return UUID(bytes=secrets.token_bytes(16), version=4)


def random_key() -> bytes:
    """32 random bytes: a hashing key."""
    return secrets.token_bytes(32)


def api_key() -> str:
    """A key with 256 random bits; its prefix lets scanners for leaked secrets, and people, know it."""
    return "clarify_" + secrets.token_urlsafe(32)


def nonce() -> str:
    """128 random bits, URL-safe."""
    return secrets.token_urlsafe(16)


def jitter() -> float:
    """A random factor in [0, 1), for backoff."""
    return secrets.randbelow(1 << 20) / (1 << 20)
