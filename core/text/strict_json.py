"""JSON from anybody, as RFC 8259 has it: each name once in an object, no depth that a reader's stack could mind."""

import json
import re
from codecs import BOM_UTF8
from typing import Any, NoReturn

DEEPEST = 32
"""Brackets within brackets: what is asked here needs a fraction of it."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NO_BRACKET = re.compile(rb"[^\[\]{}]+")


class NotJsonError(ValueError):
    """What is wrong, for people."""


def parse(raw: bytes, deepest: int = DEEPEST) -> Any:
    """Raises NotJsonError."""
    if _depth(raw) > deepest:
        raise NotJsonError(f"it is nested deeper than {deepest}")
    if raw.startswith(BOM_UTF8):
        raise NotJsonError("it begins with a byte order mark")
    try:
        found = json.loads(
            raw.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
        )
        if _SURROGATE.search(raw):
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        raise NotJsonError(f"byte {error.start} is no UTF-8") from None
    except UnicodeEncodeError:
        raise NotJsonError("half of a surrogate pair is no character") from None
    except json.JSONDecodeError as error:
        at = f"at line {error.lineno}, column {error.colno}"
        raise NotJsonError(f"{error.msg.removesuffix(' at')} {at}") from None
    return found


def _depth(raw: bytes) -> int:
    """How deep brackets go, strings aside."""
    depth = deepest = 0
    for byte in _NO_BRACKET.sub(b"", _STRING.sub(b"", raw)):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotJsonError("an object has the same name twice")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        raise NotJsonError("a number is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > 20:
        raise NotJsonError("a number has more than 20 digits")
    return int(text)
