"""MCP over stdin and stdout, for a client that starts the server itself. The SDK keeps all else off stdout."""

from mcp.server.stdio import stdio_server

from bot.http.v1.answering import Incoming
from bot.http.v1.route import Outcome, Route
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.mcp.tools import memory_server
from bot.memory_gateway import MemoryGateway


async def serve(gateway: MemoryGateway, secret: str) -> None:
    """Serve whom a key stands for until stdin ends. The key is looked up at each call: it may be revoked meanwhile."""
    desk = Server(gateway, ROUTES)

    async def call(route: Route, raw: bytes) -> Outcome:
        principal = await desk.caller(secret)
        with desk.turn(principal):
            return await desk.answered(route, Incoming(principal, secret, raw))

    server = memory_server(call)
    try:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    except* BrokenPipeError:  # whoever asked listens no more: there is nobody to serve
        pass
