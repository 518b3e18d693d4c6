"""Whether the process lives, and whether it can do its work."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from bot.memory_gateway import MemoryGateway
from bot.vitals import Vital
from core.errors import CoreError, StoreUnavailable

PATIENCE_SECS = 5.0
"""How long a database may take to say that it is there: whoever asks waits no longer than that."""


def health_routes(
    gateway: MemoryGateway,
    stopping: Callable[[], bool],
    vitals: Callable[[], Sequence[Vital]],
    patience_secs: float = PATIENCE_SECS,
) -> list[web.RouteDef]:
    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def readyz(_: web.Request) -> web.Response:
        if stopping():
            return _not_ready("stopping")
        ailing = {vital.name: ailment for vital in vitals() if (ailment := vital.ailment())}
        if ailing:
            return _not_ready("loop_down", loops=ailing)
        try:
            await asyncio.wait_for(gateway.at_the_door(gateway.memory.check_store), patience_secs)
        except CoreError as error:
            return _not_ready(error.code)
        except TimeoutError:
            return _not_ready(StoreUnavailable.code)
        return web.json_response({"status": "ready"})

    return [web.get("/healthz", healthz), web.get("/readyz", readyz)]


def _not_ready(reason: str, **more: Any) -> web.Response:
    return web.json_response({"status": "not ready", "reason": reason, **more}, status=503)
