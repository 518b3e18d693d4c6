"""Lists, a page at a time. Pure.

A cursor holds the place of the last item that was shown, in the order of the list, and no count: what is added or goes
meanwhile moves nothing that was not yet shown. It is opaque; one that nobody was given is refused.
"""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field

from bot.http.v1.problems import Problem
from bot.http.v1.shapes import Asked, Whole

MOST = 200

T = TypeVar("T")
Place = tuple[int | str, ...]


class PageAsked(Asked):
    """How much of a list, and after what."""

    limit: Annotated[Whole, Field(ge=1, le=MOST)] = 50
    cursor: Annotated[str, Field(min_length=1, max_length=8192, pattern="^[A-Za-z0-9_-]+$")] | None = None


def page(items: Iterable[T], place: Callable[[T], Place], asked: PageAsked) -> tuple[list[T], str | None]:
    """The items after the cursor, in the order of their places, and the cursor of the next page, if there is one.

    Raises Problem INVALID_REQUEST for what is no cursor of such a list.
    """
    ordered = sorted(items, key=place)
    if asked.cursor is not None:
        after = _place(asked.cursor)
        try:
            ordered = [item for item in ordered if place(item) > after]
        except TypeError:
            raise _no_cursor() from None
    shown = ordered[: asked.limit]
    return shown, _cursor(place(shown[-1])) if len(ordered) > len(shown) else None


def _cursor(place: Place) -> str:
    return (
        base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":"), ensure_ascii=False).encode())
        .decode()
        .rstrip("=")
    )


def _place(cursor: str) -> Place:
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        raise _no_cursor() from None
    if not isinstance(place, list) or not all(isinstance(part, int | str) for part in place):
        raise _no_cursor()
    return tuple(place)


def _no_cursor() -> Problem:
    detail = "it is no cursor of this list: send the nextCursor of the page before, or none"
    return Problem("INVALID_REQUEST", f"/cursor: {detail}", [{"pointer": "/cursor", "detail": detail}])


def page_of_ids(ids: Sequence[UUID], asked: PageAsked) -> tuple[Sequence[UUID], str | None]:
    """As `page`, of a list that grows in front and is cut at its end: an id that is gone was at the end."""
    left = ids
    if asked.cursor is not None:
        place = _place(asked.cursor)
        left = next((ids[at + 1 :] for at, one in enumerate(ids) if (str(one),) == place), [])
    shown = left[: asked.limit]
    return shown, _cursor((str(shown[-1]),)) if len(left) > len(shown) else None
