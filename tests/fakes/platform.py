"""A chat platform as a server of its own: it outlives the bots that are killed, and remembers what it accepted.

Every test has a room (the first part of the path). `POST /ROOM/send` accepts a message each time, so that a card sent
twice shows twice. `POST /ROOM/script` says how the next sends go, one after the other:

    429, 500, 403   that status, nothing accepted (429 with Retry-After: 7)
    silence         nothing accepted, and no answer ever
    cut             accepted, and the connection cut before the answer

`POST /ROOM/copy` makes another room, by the name that is its body, in which the same messages stand.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

from aiohttp import web

RETRY_AFTER_SECS = 7


@dataclass
class Message:
    ref: str
    key: str
    person: str
    card: dict[str, Any]
    updates: int = 0


@dataclass
class Room:
    messages: list[Message] = field(default_factory=list)
    script: list[str] = field(default_factory=list)
    tried: int = 0

    def accept(self, body: dict[str, Any]) -> Message:
        message = Message(f"m{len(self.messages)}", body["key"], body["person"], body["card"])
        self.messages.append(message)
        return message


class Platform:
    def __init__(self) -> None:
        self._rooms: dict[str, Room] = defaultdict(Room)
        self._troubles: dict[str, Callable[[web.Request], Awaitable[web.Response]]] = {
            "429": self._slow_down,
            "500": self._broken,
            "403": self._forbidden,
            "silence": self._silence,
            "cut": self._cut,
        }

    def app(self) -> web.Application:
        app = web.Application(client_max_size=2**24)
        app.add_routes(
            [
                web.post("/{room}/send", self._send),
                web.post("/{room}/update", self._update),
                web.post("/{room}/script", self._script),
                web.post("/{room}/copy", self._copy),
                web.get("/{room}/sent", self._sent),
                web.get("/{room}/find", self._find),
            ]
        )
        return app

    def _room(self, request: web.Request) -> Room:
        return self._rooms[request.match_info["room"]]

    async def _send(self, request: web.Request) -> web.Response:
        room = self._room(request)
        room.tried += 1
        if room.script:
            return await self._troubles[room.script.pop(0)](request)
        return web.json_response({"ref": room.accept(await request.json()).ref})

    async def _slow_down(self, _: web.Request) -> web.Response:
        return web.json_response({}, status=429, headers={"Retry-After": str(RETRY_AFTER_SECS)})

    async def _broken(self, _: web.Request) -> web.Response:
        return web.json_response({}, status=500)

    async def _forbidden(self, _: web.Request) -> web.Response:
        return web.json_response({"error": "account_inactive"}, status=403)

    async def _silence(self, _: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError("the client has gone, and this handler with it")

    async def _cut(self, request: web.Request) -> web.Response:
        self._room(request).accept(await request.json())
        assert request.transport is not None
        request.transport.abort()
        return web.Response()

    async def _update(self, request: web.Request) -> web.Response:
        body = await request.json()
        for message in self._room(request).messages:
            if message.ref == body["ref"]:
                message.card, message.updates = body["card"], message.updates + 1
                return web.json_response({})
        return web.json_response({"error": "message_not_found"}, status=404)

    async def _script(self, request: web.Request) -> web.Response:
        self._room(request).script += await request.json()
        return web.json_response({})

    async def _copy(self, request: web.Request) -> web.Response:
        self._rooms[await request.json()].messages = deepcopy(self._room(request).messages)
        return web.json_response({})

    async def _sent(self, request: web.Request) -> web.Response:
        room = self._room(request)
        return web.json_response({"tried": room.tried, "messages": [asdict(message) for message in room.messages]})

    async def _find(self, request: web.Request) -> web.Response:
        key = request.query["key"]
        refs = [message.ref for message in self._room(request).messages if message.key == key]
        return web.json_response({"refs": refs})


async def serve() -> None:
    """Serve on a free loopback port, which is printed, until killed."""
    runner = web.AppRunner(Platform().app(), access_log=None, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
