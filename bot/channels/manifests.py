"""What is told to every platform of the bot's app, and how a manifest is read that may hold anything."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

NAME = "clarify-bot"
DESCRIPTION = "Answers from what your team wrote down, and tells you when it changes."


def at(found: object, *path: str) -> Any:
    """What stands at a place of a manifest; None where there is no such place."""
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def texts(found: object, *path: str) -> list[str]:
    """Every text of a list in it."""
    items = at(found, *path)
    return [item for item in items if isinstance(item, str)] if isinstance(items, list) else []


def parts(found: object, *path: str) -> list[Json]:
    """Every object of a list in it."""
    items = at(found, *path)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def leaves(found: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Every text in it, with its place."""
    if isinstance(found, str):
        yield ".".join(path), found
    items = enumerate(found) if isinstance(found, list) else found.items() if isinstance(found, dict) else ()
    for key, value in items:
        yield from leaves(value, (*path, str(key)))


def plain_addresses(found: object, platform: str) -> Iterator[str]:
    """Every address in it that is not encrypted, in words."""
    for place, text in leaves(found):
        if "url" in place.lower() and text.lower().startswith("http://"):
            yield f"{place} must begin with https://: {platform} calls nothing else"
