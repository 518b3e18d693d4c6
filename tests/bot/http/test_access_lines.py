"""A request leaves one line that says how it went, and nothing of what was asked."""

import re
from contextlib import asynccontextmanager

import aiohttp
import pytest
import structlog
from aiohttp import web
from aiohttp.test_utils import TestServer
from structlog.testing import capture_logs

from bot.http.access import ID_HEADER, access_lines
from bot.http.v1 import routes
from bot.http.v1.serving import Server
from bot.memory_gateway import MemoryGateway
from tests.support.http import Caller, key
from tests.support.slack import on_loopback

log = structlog.get_logger()


async def fine(_):
    log.info("inside")
    return web.Response()


async def missing(_):
    raise web.HTTPNotFound


async def broken(_):
    return web.Response(status=503)


ROUTES = [
    web.get("/sources/{uri}", fine),
    web.get("/gone/{name}", missing),
    web.get("/readyz", broken),
    web.get("/healthz", fine),
]


@pytest.fixture
async def base():
    async with on_loopback(ROUTES, middlewares=[access_lines]) as at:
        yield at


async def got(base, path):
    with capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        async with aiohttp.ClientSession() as session, session.get(base + path) as answer:
            await answer.read()
    return answer, lines


async def test_a_line_has_the_route_and_not_what_was_asked_for(base):
    answer, [inside, line] = await got(base, "/sources/robin%40example.com?token=hunter2")
    told = {name: line[name] for name in ("event", "method", "route", "status")}
    assert told == {"event": "http.request", "method": "GET", "route": "/sources/{uri}", "status": 200}
    assert not re.search("robin|hunter2", str(line))
    assert inside["request"] == line["request"] == answer.headers[ID_HEADER], "so that the one is found by the other"


async def test_a_refusal_has_its_line_too(base):
    answer, [line] = await got(base, "/gone/robin")
    assert (line["route"], line["status"], line["request"]) == ("/gone/{name}", 404, answer.headers[ID_HEADER])


async def test_of_a_path_that_leads_nowhere_nothing_is_told_but_that(base):
    _, [line] = await got(base, "/robin@example.com")
    assert (line["route"], line["status"]) == ("unknown", 404)


async def test_a_probe_is_told_of_only_when_it_is_refused(base):
    assert [line["event"] for line in (await got(base, "/healthz"))[1]] == ["inside"]
    [line] = (await got(base, "/readyz"))[1]
    assert (line["route"], line["status"]) == ("/readyz", 503)


# ── who called ──


@asynccontextmanager
async def served(memory):
    """`/v1` as the bot has it, behind what writes the lines."""
    gateway = MemoryGateway(memory)
    app = web.Application(middlewares=[access_lines])
    app.add_subapp("/v1", Server(gateway, routes.ROUTES).app())
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        yield Caller(session, str(server.make_url("/v1")))
    gateway.stop()


async def told_of(call):
    with capture_logs([structlog.contextvars.merge_contextvars]) as lines:
        await call("GET", "/sources")
    [line] = lines
    return {name: line[name] for name in ("tenant", "key", "person") if name in line}


async def test_a_line_names_tenant_key_and_person_once_they_are_known(memory, ada):
    program, hers = memory.api_keys.create("default", "x", ["member"]), key(memory, person=ada)
    async with served(memory) as call:
        assert await told_of(call.as_(program.secret)) == {"tenant": "default", "key": str(program.key_id)}
        known = memory.api_keys.principal_of(hers)
        names = {"tenant": "default", "key": str(known.api_key), "person": str(ada.person_id)}
        assert await told_of(call.as_(hers)) == names
        assert await told_of(call.as_("clarify_" + "A" * 43)) == {}, "on a connection that others had before"
