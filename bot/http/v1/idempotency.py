"""The `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header): done once, told twice.

Names and requests are known by hashes under the caller's own secret, which is kept nowhere: of what was asked nothing
can be guessed from the database. What was said is kept as it was, and holds ids alone.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from blake3 import blake3

from bot.http.v1.holding import Holding
from bot.http.v1.problems import Problem
from bot.http.v1.route import Outcome
from core.memory import Memory
from core.model.principals import Principal
from core.requests.views import Standing

_LONGEST = 255
_PATTERN = "^[!-~]+$"
KEY_SCHEMA: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": _LONGEST, "pattern": _PATTERN}
_CONTEXT = "clarify-bot /v1 Idempotency-Key"
_REFUSALS = {Standing.BUSY: "IN_PROGRESS", Standing.OTHER: "KEY_REUSED"}


def name_of(given: Sequence[str]) -> str | None:
    """Raises Problem INVALID_REQUEST for what is no such key."""
    if not given:
        return None
    if len(given) > 1 or len(given[0]) > _LONGEST or not re.fullmatch(_PATTERN, given[0]):
        detail = f"an Idempotency-Key is one word of 1 to {_LONGEST} visible ASCII characters"
        raise Problem("INVALID_REQUEST", detail)
    return given[0]


def once(
    memory: Memory, principal: Principal, secret: str, name: str, asked: bytes, act: Callable[[], Outcome]
) -> Outcome:
    """Act, unless this was done before. What fails is not remembered. Raises Problem IN_PROGRESS, KEY_REUSED."""
    key = blake3(secret.encode(), derive_key_context=_CONTEXT).digest()
    hashed, content = (blake3(part, key=key).digest() for part in (b"name:" + name.encode(), b"asked:" + asked))
    begun = memory.requests.begin(principal, hashed, content)
    if begun.standing in _REFUSALS:
        raise Problem(_REFUSALS[begun.standing])
    if begun.said is not None:
        return Outcome(begun.said["status"], begun.said["body"].encode(), begun.said["headers"])
    holding = Holding(partial(memory.requests.keep, principal, hashed), begun)
    try:
        with holding:
            outcome = act()
    except BaseException:
        memory.requests.give_up(principal, hashed, holding.begun)
        raise
    said = {"status": outcome.status, "body": outcome.body.decode(), "headers": dict(outcome.headers)}
    memory.requests.end(principal, hashed, holding.begun, said)
    return outcome
