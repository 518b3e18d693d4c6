"""Canonical JSON and its hash: one value, one byte string, one digest."""

import json
from typing import Any

import blake3


def canonical_json(value: Any) -> bytes:
    """UTF-8 JSON with sorted keys and no insignificant white space. Raises ValueError for NaN and infinities."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=str)
    return text.encode()


def json_hash(value: Any) -> str:
    return "b3:" + blake3.blake3(canonical_json(value)).hexdigest()


def keyed_hash(key: bytes, text: str) -> bytes:
    """BLAKE3 of `text` under a 32-byte key; without the key nobody can guess short texts from it."""
    return blake3.blake3(text.encode(), key=key).digest()
