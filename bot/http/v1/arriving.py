"""A request as it comes in: its key, what its path names, and its body. Nothing of it is believed yet."""

import asyncio
import re
from urllib.parse import unquote_to_bytes

from aiohttp import HttpVersion11, web

from bot.http.v1.limits import Limits
from bot.http.v1.problems import Problem
from bot.http.v1.route import Document, Route

_BEARER = re.compile(r"(?i:Bearer) +(clarify_[A-Za-z0-9_-]{43}) *")
_NO_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_CONDITIONS = ("If-Match", "If-None-Match", "If-Unmodified-Since")


def secret_of(request: web.Request) -> str:
    """The key that a request came with; empty where it came with none, with several, or with what can be no key."""
    said = request.headers.getall("Authorization", [])
    found = _BEARER.fullmatch(said[0]) if len(said) == 1 else None
    return found[1] if found else ""


def check_address(request: web.Request) -> None:
    """Raises Problem INVALID_REQUEST where it is not clear which words are meant."""
    try:
        unquote_to_bytes(request.raw_path).decode()
    except UnicodeDecodeError:
        raise Problem("INVALID_REQUEST", "The address is no UTF-8 behind its % escapes.") from None
    if _NO_ESCAPE.search(request.raw_path):
        raise Problem("INVALID_REQUEST", "A % in the address begins an escape such as %20; one of its own is %25.")


def check_conditions(request: web.Request) -> None:
    """Raises Problem INVALID_REQUEST: a write that minds no condition must not look as if it did."""
    for name in _CONDITIONS:
        if request.method != "GET" and name in request.headers:
            raise Problem("INVALID_REQUEST", f"{name} is not minded here: send the request without it.")


# ── the body ──


async def body_later(_: web.Request) -> None:
    """Whoever waits for a 100 Continue gets it when the body is wanted, and is refused before they send it."""


async def body_of_route(request: web.Request, route: Route, limits: Limits) -> bytes:
    """Raises Problem UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, BODY_TOO_SLOW."""
    if route.body is None:
        return b""
    _check_kind(request, route)
    most = limits.largest_document if route.body is Document else limits.largest_json
    return await read_body(request, most, limits.body_secs)


async def read_body(request: web.Request, most: int, secs: float) -> bytes:
    """Raises Problem BODY_TOO_LARGE, BODY_TOO_SLOW."""
    if (request.content_length or 0) > most:
        raise _too_large(most)
    try:
        async with asyncio.timeout(secs):
            await _invite(request)
            return await _read(request, most)
    except TimeoutError:
        raise Problem("BODY_TOO_SLOW", f"It must arrive within {secs} seconds.") from None
    except ConnectionError:
        raise Problem("BODY_TOO_SLOW", "The connection ended before it.") from None


async def _invite(request: web.Request) -> None:
    if request.version >= HttpVersion11 and request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")


async def _read(request: web.Request, most: int) -> bytes:
    found = bytearray()
    async for chunk in request.content.iter_chunked(65_536):
        found += chunk
        if len(found) > most:
            raise _too_large(most)
    return bytes(found)


def _check_kind(request: web.Request, route: Route) -> None:
    if any(coding.lower() != "identity" for coding in request.headers.getall("Content-Encoding", [])):
        raise Problem("UNSUPPORTED_MEDIA_TYPE", "A body is read as it is: send it without a Content-Encoding.")
    if route.body is not Document and request.content_type != "application/json":
        raise Problem("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with Content-Type: application/json.")


def _too_large(most: int) -> Problem:
    return Problem("BODY_TOO_LARGE", f"It may have at most {most} bytes.")
