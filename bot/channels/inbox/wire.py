"""What the page may send. Pure: bytes in, a value or a RefusalError out."""

import json
import re
from typing import Any

from bot.channels.inbox.backend import Tap

TEXT_LIMIT = 4000
BODY_LIMIT = 64 * 1024
"""Bytes: a text of TEXT_LIMIT characters, each escaped as a pair of six-byte surrogates, and room for the rest."""
FIELD_LIMIT = 200
_ID = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
"""What an event is logged by: nobody's words or address fit in."""


class RefusalError(Exception):
    """A request that is not served: the HTTP status, and one sentence for the person."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


def parse_ask(raw: bytes) -> tuple[str, str]:
    """(event_id, text) of a question."""
    body = _object(raw)
    return _event_id(body), _text(body, "text", TEXT_LIMIT)


def parse_tap(raw: bytes) -> Tap:
    body = _object(raw)
    named = {name: _text(body, name, FIELD_LIMIT) for name in ("message_id", "nonce", "kind", "target")}
    arg = None if body.get("arg") is None else _text(body, "arg", FIELD_LIMIT)
    return Tap(_event_id(body), **named, arg=arg)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        raise RefusalError(400, "The request is not valid JSON.") from error
    if not isinstance(body, dict):
        raise RefusalError(400, "The request is not a JSON object.")
    return body


def _event_id(body: dict[str, Any]) -> str:
    value = _text(body, "event_id", FIELD_LIMIT)
    if not _ID.fullmatch(value):
        raise RefusalError(400, "“event_id” is no id: up to 64 letters of English, digits and hyphens, as in a UUID.")
    return value


def _text(body: dict[str, Any], name: str, limit: int) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value.strip():
        raise RefusalError(400, f"“{name}” is missing: it is a text that is not blank.")
    if len(value) > limit:
        raise RefusalError(400, f"“{name}” has {len(value)} characters; {limit} are allowed.")
    if not _storable(value):
        raise RefusalError(400, f"“{name}” holds a character that cannot be stored.")
    return value


def _storable(value: str) -> bool:
    """Half a surrogate pair has no UTF-8, and PostgreSQL keeps no NUL."""
    return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
