"""From bytes to a model: strict JSON, then a strict model, and each refusal names its place as a JSON pointer. Pure."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from bot.http.v1.problems import Problem
from bot.http.v1.shapes import PATTERNS, UnknownFieldError
from core.errors import InvalidQuery

DEEPEST = 32
"""Brackets within brackets: `where` needs a fraction of it, and no reader of JSON comes near its stack."""
_MOST_ERRORS = 20
_PLACE = re.compile(r"((?:find|where)(?:\[\d+\]|\.[a-z]+)*): ")
"""How core names a place in a query, as in `where[2].any[0].op: …`."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_NO_BRACKET = re.compile(rb"[^\[\]{}]+")
M = TypeVar("M", bound=BaseModel)


def body_of(model: type[M], raw: bytes) -> M:
    """Raises Problem MALFORMED_JSON, INVALID_REQUEST."""
    given = parse(raw)
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        raise _refused(error, given) from None


def query_of(model: type[M], pairs: Sequence[tuple[str, str]]) -> M:
    """A model from the parameters of an address; a field that is a list takes its name several times.

    Raises Problem INVALID_REQUEST.
    """
    given: dict[str, Any] = {}
    lists = {field.alias or name for name, field in model.model_fields.items() if get_origin(field.annotation) is list}
    for name, value in pairs:
        if name in lists:
            given.setdefault(name, []).append(value)
        elif name in given:
            raise _at(f"/{name}", "is given more than once")
        else:
            given[name] = value
    try:
        return model.model_validate(given, strict=False)
    except ValidationError as error:
        raise _refused(error, given) from None


def parse(raw: bytes) -> Any:
    """A JSON value, as RFC 8259 has it, with each name once. Raises Problem MALFORMED_JSON, saying what is wrong."""
    if _depth(raw) > DEEPEST:
        _malformed(f"it is nested deeper than {DEEPEST}")
    if raw.startswith(BOM_UTF8):
        _malformed("it begins with a byte order mark")
    try:
        found = json.loads(
            raw.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
        )
        if _SURROGATE.search(raw):
            json.dumps(found, ensure_ascii=False).encode()
    except UnicodeDecodeError as error:
        _malformed(f"byte {error.start} is no UTF-8")
    except UnicodeEncodeError:
        _malformed("half of a surrogate pair is no character")
    except json.JSONDecodeError as error:
        _malformed(f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}")
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
            _malformed("an object has the same name twice")
        found[name] = value
    return found


def _no_number(name: str) -> NoReturn:
    _malformed(f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if number in {float("inf"), float("-inf")}:
        _malformed("a number is too large")
    return number


def _whole(text: str) -> int:
    if len(text) > 20:
        _malformed("a number has more than 20 digits")
    return int(text)


def _malformed(detail: str) -> NoReturn:
    raise Problem("MALFORMED_JSON", f"The body must be JSON in UTF-8: {detail}.")


# ── what a model refuses ──


def _refused(error: ValidationError, given: Any) -> Problem:
    found = error.errors(include_url=False, include_input=False)
    places = [{"pointer": pointer(_place(one), given), "detail": _words(one)} for one in found[:_MOST_ERRORS]]
    first = places[0]
    return Problem("INVALID_REQUEST", f"{first['pointer'] or 'the request'}: {first['detail']}", places)


def _place(error: Mapping[str, Any]) -> tuple[int | str, ...]:
    """Where it is; of a field that there is not, the field."""
    cause, loc = error.get("ctx", {}).get("error"), tuple(error["loc"])
    return (*loc, cause.name) if isinstance(cause, UnknownFieldError) else loc


def _words(error: Mapping[str, Any]) -> str:
    """What would be right; of a pattern, what it means."""
    if error["type"] == "string_pattern_mismatch":
        return PATTERNS[error["ctx"]["pattern"]]
    return str(error["msg"]).removeprefix("Value error, ")


def _at(place: str, detail: str) -> Problem:
    return Problem("INVALID_REQUEST", f"{place}: {detail}", [{"pointer": place, "detail": detail}])


def of_query(error: InvalidQuery, at: Sequence[int | str], given: Any) -> Problem:
    """What core refused of a query that stands `at` a place of the body; within a text nothing can be pointed at."""
    found = _PLACE.match(str(error))
    steps = re.findall(r"[a-z]+|\d+", found[1]) if found else []
    place = pointer([*at, *(int(step) if step.isdigit() else step for step in steps)], given)
    return Problem("INVALID_QUERY", str(error), [{"pointer": place, "detail": str(error)}])


def pointer(loc: Iterable[int | str], given: Any) -> str:
    """Where in `given` a model's complaint is (RFC 6901); the parts of `loc` that name a model's variant are not."""
    parts: list[str] = []
    here = given
    steps = list(loc)
    for number, step in enumerate(steps):
        if isinstance(here, Mapping) and isinstance(step, str):
            if step not in here and (step.startswith("#") or number < len(steps) - 1):
                continue
            here = here.get(step)
        elif isinstance(here, list) and isinstance(step, int):
            here = here[step] if step < len(here) else None
        else:
            continue
        parts.append(str(step).replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in parts)
