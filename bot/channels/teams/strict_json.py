"""JSON that says one thing: whoever reads it later must not read another than was looked at here."""

import json
from typing import Any, NoReturn

Json = dict[str, Any]
MOST_DEPTH = 64
"""Of objects and lists within one another: what is deeper could not be walked through by who reads it next."""


def read_object(raw: bytes) -> Json:
    """The object. Raises ValueError for anything else, for a name that is there twice, and for what is no JSON."""
    try:
        found = json.loads(raw.decode(), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError as error:
        raise ValueError("too deep") from error
    if not isinstance(found, dict) or not _is_flat(found):
        raise ValueError(f"no object of at most {MOST_DEPTH} levels")
    return found


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name is there twice")
    return found


def _no_number(_: str) -> NoReturn:
    raise ValueError("no number of JSON's")


def _is_flat(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_DEPTH):
        level = [inner for outer in level for inner in _within(outer)]
        if not level:
            return True
    return False


def _within(outer: Any) -> list[Any]:
    inner = outer.values() if isinstance(outer, dict) else outer if isinstance(outer, list) else ()
    return [one for one in inner if isinstance(one, dict | list)]
