"""From bytes to a model: strict JSON, then a strict model, and each refusal names its place as a JSON pointer. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel

from bot.http.v1.problems import Problem
from bot.http.v1.shapes import PATTERNS, UnknownFieldError
from core.errors import InvalidQuery, InvalidRequest
from core.text import strict_json

_MOST_ERRORS = 20
_PLACE = re.compile(r"((?:find|where)(?:\[\d+\]|\.[a-z]+)*): ")
"""How core names a place in a query, as in `where[2].any[0].op: …`."""
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


def parse(raw: bytes, deepest: int = strict_json.DEEPEST) -> Any:
    """A JSON value, as `core.text.strict_json` has it. Raises Problem MALFORMED_JSON, saying what is wrong."""
    try:
        return strict_json.parse(raw, deepest)
    except strict_json.NotJsonError as error:
        raise Problem("MALFORMED_JSON", f"The body must be JSON in UTF-8: {error}.") from None


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


def of_request(error: InvalidRequest) -> Problem:
    """What core refused of a part that it names."""
    place = "".join(f"/{to_camel(step) if isinstance(step, str) else step}" for step in error.at)
    return Problem("INVALID_REQUEST", str(error), [{"pointer": place, "detail": str(error)}])


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
