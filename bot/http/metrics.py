"""What the memory counts, for Prometheus, and how much waits at the moment it is asked."""

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from bot.memory_gateway import MemoryGateway
from core.errors import CoreError


def metrics_route(gateway: MemoryGateway) -> web.RouteDef:
    memory = gateway.memory

    async def metrics(_: web.Request) -> web.Response:
        try:
            memory.metrics.waiting(await gateway.at_the_door(memory.backlog))
        except CoreError:
            memory.metrics.unknown()
        return web.Response(
            body=generate_latest(memory.metrics.registry), headers={"Content-Type": CONTENT_TYPE_LATEST}
        )

    return web.get("/metrics", metrics)
