"""The door over real HTTP: what is not Teams' gets no further, and nothing that comes ends in HTTP 500 or in a log."""

import asyncio
import io
import json
import logging
import zlib
from dataclasses import dataclass, field, replace
from http import HTTPStatus

import aiohttp
import pytest
from aiohttp import web
from structlog.testing import capture_logs

from bot.channels.inbound import MOST_BYTES
from bot.channels.teams.address import MESSAGES_PATH
from bot.channels.teams.keys import BETWEEN_FAILURES, BETWEEN_MISSES, OpenIdKeys
from bot.channels.teams.listener import Listener
from bot.channels.teams.port import Answered, Claims, Refused
from bot.channels.teams.verifier import Verifier
from tests.fakes.teams_openid import APP_ID, SERVICE_URL, TENANT_ID, fake_openid, teams_request
from tests.support.logged import log
from tests.support.memories import NOW
from tests.support.teams_requests import BAD, GOOD, genuine, with_every_key

__all__ = ["log"]

PRIVATE = "my private question"
INVOKE = {"type": "invoke", "name": "adaptiveCard/action", "value": {"action": {"verb": "tap"}}}


@dataclass
class Standing:
    """A transport that verifies as the real one does, and takes whatever passes. `fails`: what taking raises."""

    verifier: Verifier
    taken: list = field(default_factory=list)
    fails: Exception | None = None

    async def verify(self, headers, raw):
        return await self.verifier.verify(headers, raw)

    async def take(self, claims, raw, turn):
        if self.fails is not None:
            raise self.fails
        self.taken.append((claims, raw))
        return await turn(json.loads(raw))


@dataclass
class Bot:
    """What runs, and what its turn comes to: an answer, or something raised."""

    transport: Standing
    comes_to: Answered | Exception | None = None
    url: str = ""

    async def turn(self, activity):
        if isinstance(self.comes_to, Exception):
            raise self.comes_to
        return self.comes_to

    async def post(self, request, headers=()):
        """Exactly these headers, also one twice."""
        sent = [*request.headers, *headers]
        body = io.BytesIO(request.body) if isinstance(request.body, bytes) else request.body
        async with aiohttp.ClientSession() as session, session.post(self.url, data=body, headers=sent) as got:
            return got.status, await got.text()


@pytest.fixture
def openid():
    with fake_openid() as running:
        yield running


@pytest.fixture
async def bot(openid, clock):
    keys = OpenIdKeys(clock, openid.url, loopback=True)
    made = Bot(Standing(Verifier(APP_ID, TENANT_ID, keys, clock)))
    app = web.Application()
    app.add_routes(Listener(made.transport, made.turn).routes())
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}{MESSAGES_PATH}"
    yield made
    await keys.close()
    await runner.cleanup()


async def test_what_teams_sends_is_taken_as_it_came(bot):
    request = teams_request(NOW)
    assert await bot.post(request) == (200, "")
    assert bot.transport.taken == [(Claims(APP_ID, SERVICE_URL), request.body)]


async def test_all_that_teams_may_send_is_taken(bot):
    assert [await bot.post(genuine(name, NOW)) for name in GOOD] == [(200, "")] * len(GOOD)


async def test_whatever_is_wrong_is_refused_and_taken_no_further(bot, openid):
    with_every_key(openid)
    answered = {row.name: await bot.post(row.request(NOW)) for row in BAD}
    assert answered == {row.name: (row.status, "refused") for row in BAD}
    assert bot.transport.taken == []


async def test_the_log_tells_the_kind_and_the_skew_and_nothing_of_the_request(bot, openid, caplog):
    caplog.set_level(logging.DEBUG)
    with_every_key(openid)
    with capture_logs() as logs:
        for row in BAD:
            await bot.post(row.request(NOW))
    assert [(entry["event"], entry["status"], entry["reason"], entry["skew_secs"]) for entry in logs] == [
        ("teams.refused", row.status, row.reason, row.skew_secs) for row in BAD
    ]
    written = json.dumps(logs, default=str) + caplog.text
    for secret in (APP_ID, TENANT_ID, SERVICE_URL, "Ada", "backups", "evil.example", "sts.windows", "eyJ", "key-of"):
        assert secret not in written


async def test_an_invoke_is_answered_with_what_it_came_to(bot):
    card = {"type": "AdaptiveCard", "version": "1.5"}
    bot.comes_to = Answered(HTTPStatus.OK, "application/vnd.microsoft.card.adaptive", card)
    status, text = await bot.post(teams_request(NOW, activity=INVOKE))
    assert (status, json.loads(text)) == (200, {"statusCode": 200, "type": bot.comes_to.kind, "value": card})


async def test_row_33_what_an_invoke_came_to_takes_no_more_room_than_it_has_letters(bot):
    words = "会🙂" * 99
    bot.comes_to = Answered(HTTPStatus.OK, "application/vnd.microsoft.activity.message", words)
    assert words in (await bot.post(teams_request(NOW, activity=INVOKE)))[1]


@pytest.mark.parametrize("code", [HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.INTERNAL_SERVER_ERROR])
async def test_row_30_http_is_200_whatever_an_invoke_came_to(bot, code):
    bot.comes_to = Answered(code, "application/vnd.microsoft.error", {"code": "BadRequest", "message": "too old"})
    status, text = await bot.post(teams_request(NOW, activity=INVOKE))
    assert (status, json.loads(text)["statusCode"]) == (200, code)


async def test_what_could_not_be_kept_may_be_sent_again_and_is_logged_by_its_type_alone(bot, caplog):
    caplog.set_level(logging.DEBUG)
    bot.comes_to = OSError(PRIVATE)
    with capture_logs() as logs:
        assert await bot.post(teams_request(NOW, activity={"text": PRIVATE})) == (503, "")
    assert logs == [{"event": "teams.not_kept", "error": "OSError", "log_level": "error"}]
    assert PRIVATE not in caplog.text


@pytest.mark.parametrize("error", [KeyError("x"), RecursionError(), UnicodeEncodeError("utf-8", "x", 0, 1, "x")])
async def test_an_error_of_the_transport_s_is_no_500(bot, error):
    bot.transport.fails = error
    assert (await bot.post(teams_request(NOW)))[0] == 503


async def test_an_answer_that_cannot_be_written_is_no_500(bot):
    bot.comes_to = Answered(HTTPStatus.OK, "x", object())
    assert (await bot.post(teams_request(NOW)))[0] == 503


async def test_what_the_transport_cannot_read_is_refused_as_it_says(bot):
    bot.transport.fails = Refused(HTTPStatus.BAD_REQUEST, "no conversation")
    assert await bot.post(teams_request(NOW)) == (400, "refused")


async def test_while_the_metadata_is_down_teams_is_told_to_try_again(bot, openid, clock):
    openid.go_down()
    assert await bot.post(teams_request(NOW)) == (503, "refused")
    openid.come_back()
    clock.advance(BETWEEN_FAILURES)
    assert await bot.post(teams_request(NOW)) == (200, "")


async def test_a_rotated_key_is_picked_up(bot, openid, clock):
    await bot.post(teams_request(NOW))
    openid.drop_key("key-of-today")
    openid.add_key("key-of-tomorrow")
    clock.advance(BETWEEN_MISSES)
    rotated = teams_request(NOW, header={"kid": "key-of-tomorrow"}, sign="key-of-tomorrow")
    assert await bot.post(rotated) == (200, "")
    assert (await bot.post(teams_request(NOW)))[0] == 401


async def test_others_are_answered_while_the_metadata_server_hangs(bot, openid, clock):
    await bot.post(teams_request(NOW))
    openid.add_key("key-of-tomorrow")
    openid.trouble["metadata"] = "hang"
    clock.advance(BETWEEN_MISSES)
    rotated = teams_request(NOW, header={"kid": "key-of-tomorrow"}, sign="key-of-tomorrow")
    waiting = asyncio.create_task(bot.post(rotated))
    await asyncio.to_thread(openid.reached)
    assert await bot.post(teams_request(NOW)) == (200, "")
    assert (await bot.post(teams_request(NOW, sign="foreign")))[0] == 401
    assert not waiting.done()
    openid.release()
    assert await waiting == (200, "")


async def test_the_first_to_come_all_wait_for_one_fetch(bot, openid):
    answered = await asyncio.gather(*(bot.post(teams_request(NOW)) for _ in range(50)))
    assert answered == [(200, "")] * 50
    assert openid.asked == {"metadata": 1, "keys": 1}


async def test_a_body_without_end_is_not_read_to_its_end(bot):
    sent = []

    async def pieces():
        while len(sent) < 1_000:
            sent.append(None)
            yield b"x" * 65_536

    assert await bot.post(replace(teams_request(NOW), body=pieces())) == (413, "refused")
    assert len(sent) < 1_000


async def test_a_body_of_many_bytes_in_few_is_not_unpacked_to_its_end(bot):
    packed = zlib.compress(b" " * (20 * MOST_BYTES))
    assert len(packed) < MOST_BYTES
    assert (await bot.post(replace(teams_request(NOW), body=packed), [("Content-Encoding", "deflate")]))[0] == 413


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_body_that_cannot_be_unpacked_is_no_500(bot, encoding):
    request = replace(teams_request(NOW), body=b"no archive")
    assert await bot.post(request, [("Content-Encoding", encoding)]) == (400, "unreadable")
    assert bot.transport.taken == []


async def test_a_header_too_long_for_http_is_no_500_and_not_quoted_in_the_log(bot, log):
    status, _ = await bot.post(teams_request(NOW).with_token("x" * 100_000))
    assert status in {400, 431}
    assert "LineTooLong" in log()
    assert "xxx" not in log()


async def test_the_content_type_is_not_believed(bot):
    request = teams_request(NOW)
    for kind in ("text/plain", "application/json; charset=klingon", "application/json;;"):
        told = replace(request, headers=[request.headers[0], ("Content-Type", kind)])
        assert await bot.post(told) == (200, "")


async def test_only_post_is_taken(bot):
    async with aiohttp.ClientSession() as session, session.get(bot.url) as answer:
        assert answer.status == 405
