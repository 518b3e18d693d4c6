"""How a platform's requests are read before anything is known of who sent them."""

import asyncio
import re
from collections.abc import Iterable

from aiohttp import StreamReader, web

MOST_BYTES = 1_048_576
"""Of a body that a platform sends: more than any that one has been seen to send."""
PATIENCE_SECS = 30.0
"""For a body to arrive: longer than a platform waits for the answer."""

Headers = Iterable[tuple[str, str]]


async def body_of(request: web.Request, patience_secs: float = PATIENCE_SECS) -> bytes:
    """The body, or as much of it as shows that it is too long.

    Raises HTTPBadRequest where it breaks off, HTTPRequestTimeout where it does not come.
    """
    try:
        async with asyncio.timeout(patience_secs):
            return await limited(request.content, MOST_BYTES)
    except TimeoutError as error:
        raise web.HTTPRequestTimeout(text="too slow") from error
    except (web.RequestPayloadError, ConnectionError) as error:  # packed, and not as its headers say; or cut off
        raise web.HTTPBadRequest(text="unreadable") from error


async def limited(stream: StreamReader, most: int) -> bytes:
    """All that comes, or as much of it as shows that it is more than that many bytes."""
    body = bytearray()
    async for piece in stream.iter_any():
        body += piece
        if len(body) > most:
            break
    return bytes(body)


def only(headers: Headers, wanted: str, shape: re.Pattern[str]) -> str | None:
    """The value of a header, its name in small letters, that is there exactly once and of that shape."""
    values = [value for name, value in headers if name.lower() == wanted]
    return values[0] if len(values) == 1 and shape.fullmatch(values[0]) else None
