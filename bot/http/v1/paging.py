"""Lists, a page at a time. Pure.

A cursor holds the name of the list and the place of the last item that was shown, in the list's order, and no count:
what is added or goes meanwhile moves nothing that was not yet shown. It gives no right to anything: whatever it says, a
list holds what its reader may see. One of another list is refused.
"""

import base64
import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from uuid import UUID

from pydantic import Field

from bot.http.v1.problems import Problem
from bot.http.v1.shapes import CURSOR, Asked, Whole
from core.model.paging import Part

MOST = 200

T = TypeVar("T")
Place = tuple[int | str | UUID, ...]
_LARGEST = (1 << 63) - 1


class PageAsked(Asked):
    """How much of a list, and after what."""

    limit: Annotated[Whole, Field(ge=1, le=MOST)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=8192, pattern=CURSOR)] | None = None


def part(of: str, asked: PageAsked, *kinds: type) -> Part:
    """What is to be read of a list for a page: one item more than is shown, which says whether there is a next page.

    `of`: which list it is; `kinds`: of what its places consist. Raises Problem INVALID_REQUEST for what is no cursor
    of it.
    """
    return Part(None if asked.cursor is None else _place(of, asked.cursor, kinds), asked.limit + 1)


def page(of: str, found: Sequence[T], place: Callable[[T], Place], asked: PageAsked) -> tuple[Sequence[T], str | None]:
    """Of what was read, what is shown, and the cursor of the next page, if there is one."""
    shown = found[: asked.limit]
    return shown, _cursor(of, place(shown[-1])) if len(found) > len(shown) else None


def _cursor(of: str, place: Place) -> str:
    words = json.dumps([of, *place], separators=(",", ":"), ensure_ascii=False, default=str)
    return base64.urlsafe_b64encode(words.encode()).decode().rstrip("=")


def _place(of: str, cursor: str, kinds: Sequence[type]) -> Place:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if not isinstance(found, list) or found[:1] != [of]:
            raise _no_cursor()
        return tuple(_part(kind, given) for kind, given in zip(kinds, found[1:], strict=True))
    except (ValueError, RecursionError):
        raise _no_cursor() from None


def _part(kind: type, given: Any) -> int | str | UUID:
    """Raises ValueError for what no place has there, or no database could be asked for."""
    if kind is int and type(given) is int and 0 <= given <= _LARGEST:
        return given
    if kind is str and isinstance(given, str) and "\0" not in given:
        given.encode()
        return given
    if kind is UUID and isinstance(given, str):
        return UUID(given)
    raise ValueError


def _no_cursor() -> Problem:
    detail = "it is no cursor of this list: send the nextCursor of the page before, or none"
    return Problem("INVALID_REQUEST", f"/cursor: {detail}", [{"pointer": "/cursor", "detail": detail}])
