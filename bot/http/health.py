"""Whether the process lives, and whether it can do its work."""

from collections.abc import Callable

from aiohttp import web

from bot.memory_gateway import MemoryGateway
from core.errors import CoreError


def health_routes(gateway: MemoryGateway, stopping: Callable[[], bool]) -> list[web.RouteDef]:
    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def readyz(_: web.Request) -> web.Response:
        if stopping():
            return web.json_response({"status": "not ready", "reason": "stopping"}, status=503)
        try:
            await gateway.at_the_door(gateway.memory.check_store)
        except CoreError as error:
            return web.json_response({"status": "not ready", "reason": error.code}, status=503)
        return web.json_response({"status": "ready"})

    return [web.get("/healthz", healthz), web.get("/readyz", readyz)]
