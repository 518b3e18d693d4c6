"""How a call goes wrong, as words in a script.

    ok                       it does not
    ratelimited:7            HTTP 429 with Retry-After: 7 (any text after the colon; `none`: no header; alone: 30)
    limited:7                the same said with HTTP 200, in the body
    500  503                 that status, and a page of HTML
    silence                  no answer ever
    cut                      the connection is cut
    {"ok": true}             HTTP 200 with that JSON
    garbage                  HTTP 200 with something that is no JSON
    internal_error  …        any other word is an error in the body

With `-stored` after it (`cut-stored`, `500-stored`) the call takes effect first; without, it has none.
"""

import asyncio
from typing import Any

from aiohttp import web

from tests.fakes.faults import STORED

Json = dict[str, Any]
UNSAID = ("500", "503", "cut", "garbage", "internal_error", "fatal_error", "request_timeout")
"""After these nobody knows whether the call took effect."""
NAMES = ("ratelimited", "ratelimited:7", "ratelimited:none", "limited:7", *UNSAID, *(one + STORED for one in UNSAID))


async def answer(fault: str, request: web.Request, body: Json) -> web.StreamResponse:
    """What the client gets to see of `body`."""
    name = fault.removesuffix(STORED)
    if name == "silence":
        await asyncio.Event().wait()
    if name == "cut":
        assert request.transport is not None
        request.transport.abort()
    if name.startswith("{"):
        return web.json_response(text=name)
    return web.json_response(body) if name == "ok" else _refusal(*name.partition(":")[::2])


def _refusal(name: str, detail: str) -> web.Response:
    match name:
        case "ratelimited" | "limited":
            headers = {} if detail == "none" else {"Retry-After": detail or "30"}
            status = 429 if name == "ratelimited" else 200
            return web.json_response({"ok": False, "error": "ratelimited"}, status=status, headers=headers)
        case "500" | "503":
            return web.Response(status=int(name), text="<h1>Server Error</h1>", content_type="text/html")
        case "garbage":
            return web.Response(text='{"ok": tru', content_type="application/json")
        case _:
            return web.json_response({"ok": False, "error": name})
