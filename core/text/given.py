"""Text that callers give, refused before any work is done where it could be neither encoded nor stored. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.errors import InvalidRequest

_BROKEN = re.compile("[\0\ud800-\udfff]")


def refuse_broken(where: str, given: Any) -> None:
    """Refuse a text, or a JSON value with one in it, that is no Unicode text. Raises InvalidRequest, naming `where`."""
    if any(map(_BROKEN.search, _texts(given))):
        raise InvalidRequest(f"{where} must be Unicode text, without NUL or halves of surrogate pairs")


def _texts(given: Any) -> Iterator[str]:
    """Every text within a JSON value, however deep it is."""
    left = [given]
    while left:
        match left.pop():
            case str(text):
                yield text
            case Mapping() as pairs:
                left += [*pairs, *pairs.values()]
            case list() | tuple() as items:
                left += items
