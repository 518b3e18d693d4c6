"""A line for each request: which route, what it came to and how long it took; nothing of what was asked."""

from collections.abc import Awaitable, Callable
from time import perf_counter

import structlog
from aiohttp import web

from core.ids import nonce

log = structlog.get_logger()

ID_HEADER = "X-Request-Id"
_PROBES = {"/healthz", "/readyz", "/metrics"}
"""Asked every few seconds: their lines say something only when they say no."""


@web.middleware
async def access_lines(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Everything that is logged meanwhile names the request by the id that its answer carries."""
    request_id, start = nonce(), perf_counter()
    with structlog.contextvars.bound_contextvars(request=request_id):
        try:
            response = await handler(request)
        except web.HTTPException as refusal:
            refusal.headers[ID_HEADER] = request_id
            _told(request, refusal.status, start)
            raise
        if not response.prepared:
            response.headers[ID_HEADER] = request_id
        _told(request, response.status, start)
        return response


def _told(request: web.Request, status: int, start: float) -> None:
    """The route as it is written in the code: a path may name a document or a person."""
    resource = request.match_info.route.resource
    route = resource.canonical if resource else "unknown"
    if route in _PROBES and status < 400:
        return
    ms = round((perf_counter() - start) * 1000, 1)
    log.info("http.request", method=request.method, route=route, status=status, ms=ms)
