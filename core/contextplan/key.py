r"""The name of what a compaction kept: equal for equal input, so that the same work is known when it comes again.

It hashes JSON as Go's encoding/json writes it, since another implementation must reach the same key. Bytes that are no
UTF-8 come through `surrogateescape` one by one, and one by one they become the six characters `\ufffd`; so does a
surrogate in a name or an id. A replacement character that was really written stays as it is, as all else beyond ASCII.
Messages are written a few at a time, so that a long conversation is never held a second time.
"""

import hashlib
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.contextplan.messages import Message, ToolCall
from core.contextplan.window import Window

ALGORITHM = "context-compact-v1"
_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_AT_ONCE = 256
_NO_UTF8 = re.compile("[\udc80-\udcff]")


def key_of(kept: Sequence[Message], window: Window) -> str:
    """`context-compact-v1:sha256:` and the hex digest over the window's figures and the messages kept, in order."""
    hasher = hashlib.sha256()
    for part in _parts(kept, window):
        hasher.update(part)
    return f"{ALGORITHM}:sha256:{hasher.hexdigest()}"


def preimage(kept: Sequence[Message], window: Window) -> bytes:
    return b"".join(_parts(kept, window))


def _parts(kept: Sequence[Message], window: Window) -> Iterator[bytes]:
    figures = {
        "algorithm": ALGORITHM,
        "budget": window.budget,
        "trigger_tokens": window.compact_trigger,
        "target_tokens": window.compact_target,
    }
    yield _written(figures)[:-1] + b',"messages":['
    for start in range(0, len(kept), _AT_ONCE):
        messages = _written([_message(message) for message in kept[start : start + _AT_ONCE]])[1:-1]
        yield b"," + messages if start else messages
    yield b"]}"


def _written(fields: object) -> bytes:
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return _NO_UTF8.sub(r"\\ufffd", text).encode()


def _message(message: Message) -> Mapping[str, Any]:
    fields: dict[str, Any] = {
        "role": _text(message.role),
        "content": _decoded(message.content),
        "tool_call_id": _text(message.tool_call_id),
        "name": _text(message.name),
    }
    return fields | {"tool_calls": [_call(call) for call in message.tool_calls]} if message.tool_calls else fields


def _call(call: ToolCall) -> Mapping[str, Any]:
    arguments = None if call.arguments is None else b64encode(call.arguments).decode()
    return {"id": _text(call.id), "arguments": arguments}


def _text(text: str) -> str:
    return _decoded(text.encode("utf-8", "surrogatepass"))


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
