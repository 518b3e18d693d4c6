"""The inbox on a loopback listener of its own."""

import asyncio
import errno
from contextlib import aclosing, suppress
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.channels.inbox import stream
from bot.channels.inbox.backend import InboxBackend, PersonKey
from bot.channels.inbox.guard import add_headers, check, refused
from bot.channels.inbox.page import inbox_page, notice_page, static_files
from bot.channels.inbox.session import COOKIE_LIFE, Sessions
from bot.channels.inbox.wire import BODY_LIMIT, RefusalError, parse_ask, parse_tap
from core.clock import SECOND, Clock
from core.errors import CoreError

DEFAULT_PORT = 8765
_SPENT = "This link was used already, or has expired. Whoever starts clarify-bot again is shown a new one."


class ListenError(Exception):
    """The inbox cannot listen at its address; the message says what to do."""


class InboxServer:
    """Serves each person their inbox. Port 0 takes any free one. Raises ValueError unless `host` is a loopback address.

    Between `start` and `stop`, `port` and `link_for` are valid.
    """

    def __init__(
        self, backend: InboxBackend, clock: Clock, secret: bytes, host: str = "127.0.0.1", port: int = DEFAULT_PORT
    ) -> None:
        if not ip_address(host).is_loopback:
            raise ValueError(f"the inbox listens on this machine alone: {host} is not 127.0.0.1 or ::1")
        self._backend = backend
        self._clock = clock
        self._sessions = Sessions(secret, clock)
        self._host = host
        self.port = port
        self._static = static_files()

    async def start(self) -> None:
        """Raises ListenError."""
        self._closing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise ListenError(self._advice(error)) from error
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Ends every open stream; returns within about a second."""
        await self._runner.cleanup()

    def link_for(self, person: PersonKey) -> str:
        """An address that opens `person`'s inbox once, within session.LINK_LIFE."""
        return f"http://{self._authority}/enter/{self._sessions.issue(person)}"

    @property
    def _authority(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return host if self.port == 80 else f"{host}:{self.port}"

    @property
    def _cookie(self) -> str:
        """Cookies do not know ports: two inboxes on one machine need two names."""
        return f"clarify_inbox_{self.port}"

    def _advice(self, error: OSError) -> str:
        if error.errno == errno.EADDRINUSE:
            return f"port {self.port} on {self._host} is in use: stop the program that has it, or set inbox.port"
        return f"cannot listen on {self._host} port {self.port}: {error.strerror}; set inbox.port"

    def _app(self) -> web.Application:
        app = web.Application(middlewares=[self._guard], client_max_size=BODY_LIMIT)
        app.router.add_get("/", self._page)
        app.router.add_get("/enter/{token}", self._enter, allow_head=False)
        app.router.add_get("/static/{name}", self._file)
        app.router.add_get("/events", self._events, allow_head=False)
        app.router.add_post("/ask", self._ask)
        app.router.add_post("/tap", self._tap)
        app.on_response_prepare.append(add_headers)
        app.on_shutdown.append(self._close_streams)
        return app

    async def _close_streams(self, _app: web.Application) -> None:
        self._closing.set_result(None)

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            check(request, self._authority)
            return await handler(request)
        except RefusalError as refusal:
            return refused(request, refusal)
        except web.RequestPayloadError:
            return refused(request, RefusalError(400, "The request is not packed as it says."))
        except CoreError as error:
            return refused(request, RefusalError(409, str(error)))
        except web.HTTPRequestEntityTooLarge:
            return refused(request, RefusalError(413, f"That is too long: a request has {BODY_LIMIT} bytes at most."))

    def _signed_in(self, request: web.Request) -> PersonKey | None:
        return self._sessions.person(request.cookies.get(self._cookie))

    def _person(self, request: web.Request) -> PersonKey:
        person = self._signed_in(request)
        if person is None:
            raise RefusalError(401, "You are not signed in here. Ask for a new link where you got the last one.")
        return person

    async def _enter(self, request: web.Request) -> web.Response:
        cookie = self._sessions.redeem(request.match_info["token"])
        if cookie is None:
            raise RefusalError(410, _SPENT)
        page = notice_page("Opening your inbox…", "It opens by itself in a moment.")
        response = web.Response(text=page, content_type="text/html", headers={"Refresh": "0; url=/"})
        response.set_cookie(
            self._cookie, cookie, max_age=COOKIE_LIFE // SECOND, path="/", httponly=True, samesite="Strict"
        )
        return response

    async def _page(self, request: web.Request) -> web.Response:
        view = await self._backend.describe(self._person(request))
        return web.Response(text=inbox_page(view), content_type="text/html")

    async def _file(self, request: web.Request) -> web.Response:
        body, content_type = self._static.get(request.match_info["name"], (None, None))
        if body is None:
            raise web.HTTPNotFound
        return web.Response(body=body, content_type=content_type, charset="utf-8")

    async def _events(self, request: web.Request) -> web.StreamResponse:
        """Once it has begun, whatever goes wrong ends the stream, and the page asks again."""
        person = self._person(request)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with suppress(ConnectionResetError, CoreError):
            await response.write(stream.RETRY)
            async with aclosing(stream.events(self._backend, person, self._clock, self._closing)) as events:
                async for event in events:
                    if self._signed_in(request) is None:
                        break
                    await response.write(event)
        return response

    async def _ask(self, request: web.Request) -> web.Response:
        person = self._person(request)
        event_id, text = parse_ask(await request.read())
        await self._backend.ask(person, event_id, text)
        return web.json_response({}, status=202)

    async def _tap(self, request: web.Request) -> web.Response:
        person = self._person(request)
        sentence = await self._backend.tap(person, parse_tap(await request.read()))
        return web.json_response({"sentence": sentence}, status=202)
