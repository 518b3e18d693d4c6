"""What the memory counts, for Prometheus, and how much waits at the moment it is asked."""

import asyncio

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.memory_gateway import MemoryGateway
from core.errors import CoreError

PATIENCE_SECS = 5.0
"""Less than Prometheus waits for numbers: that the database hangs is one of them."""


def metrics_route(gateway: MemoryGateway, patience_secs: float = PATIENCE_SECS) -> web.RouteDef:
    memory = gateway.memory

    async def metrics(_: web.Request) -> web.Response:
        try:
            memory.metrics.waiting(await asyncio.wait_for(gateway.at_the_door(memory.backlog), patience_secs))
        except (CoreError, TimeoutError):
            memory.metrics.unknown()
        return web.Response(
            body=generate_latest(memory.metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    return web.get("/metrics", metrics)
