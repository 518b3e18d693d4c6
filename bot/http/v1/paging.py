"""Lists, a page at a time. Pure.

A cursor holds the name of the list and the place of the last item that was shown, in the list's order, and no count:
what is added or goes meanwhile moves nothing that was not yet shown. It gives no right to anything: whatever it says, a
list holds what its reader may see. One of another list is refused.
"""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field

from bot.http.v1.problems import Problem
from bot.http.v1.shapes import CURSOR, Asked, Whole

MOST = 200

T = TypeVar("T")
Place = tuple[int | str, ...]


class PageAsked(Asked):
    """How much of a list, and after what."""

    limit: Annotated[Whole, Field(ge=1, le=MOST)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=8192, pattern=CURSOR)] | None = None


def page(of: str, items: Iterable[T], place: Callable[[T], Place], asked: PageAsked) -> tuple[list[T], str | None]:
    """The items after the cursor, in the order of their places, and the cursor of the next page, if there is one.

    `of`: which list it is. Raises Problem INVALID_REQUEST for what is no cursor of it.
    """
    ordered = sorted(items, key=place)
    if asked.cursor is not None:
        after = _place(of, asked.cursor)
        try:
            ordered = [item for item in ordered if place(item) > after]
        except TypeError:
            raise _no_cursor() from None
    shown = ordered[: asked.limit]
    return shown, _cursor(of, place(shown[-1])) if len(ordered) > len(shown) else None


def page_of_ids(of: str, ids: Sequence[UUID], asked: PageAsked) -> tuple[Sequence[UUID], str | None]:
    """As `page`, of a list that grows in front and is cut at its end: an id that is gone was at the end."""
    left = ids
    if asked.cursor is not None:
        place = _place(of, asked.cursor)
        left = next((ids[at + 1 :] for at, one in enumerate(ids) if (str(one),) == place), [])
    shown = left[: asked.limit]
    return shown, _cursor(of, (str(shown[-1]),)) if len(left) > len(shown) else None


def _cursor(of: str, place: Place) -> str:
    words = json.dumps([of, *place], separators=(",", ":"), ensure_ascii=False)
    return base64.urlsafe_b64encode(words.encode()).decode().rstrip("=")


def _place(of: str, cursor: str) -> Place:
    try:
        found = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        raise _no_cursor() from None
    if not isinstance(found, list) or found[:1] != [of] or not all(isinstance(part, int | str) for part in found):
        raise _no_cursor()
    return tuple(found[1:])


def _no_cursor() -> Problem:
    detail = "it is no cursor of this list: send the nextCursor of the page before, or none"
    return Problem("INVALID_REQUEST", f"/cursor: {detail}", [{"pointer": "/cursor", "detail": detail}])
