"""What `doctor` finds by knocking at the bot's public address, as Slack does."""

import json
import ssl

import pytest
from aiohttp import ClientSession, ClientTimeout, TCPConnector, web
from aiohttp.abc import AbstractResolver
from slack_sdk.signature import SignatureVerifier

from bot.channels.settings import SlackSettings
from bot.channels.slack.checks import examine
from core.clock import SECOND, ManualClock, SystemClock
from tests.support.loopback import make_certificate, served

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
async def trusting(certificate):
    """A session that trusts the bot's certificate."""
    connector = TCPConnector(ssl=ssl.create_default_context(cafile=certificate))
    async with ClientSession(timeout=ClientTimeout(total=5), connector=connector) as opened:
        yield opened


def alive(_):
    return web.json_response({"status": "alive"})


def bot_with(secret):
    """What the bot does with the request that verifies its address."""

    def events(request):
        body = request._read_bytes.decode()
        if not SignatureVerifier(secret).is_valid_request(body, dict(request.headers)):
            return web.Response(status=401)
        return web.json_response({"challenge": json.loads(body)["challenge"]})

    return events


async def knocked(slack, acme, session, public_url, clock=None, **settings):
    defaults = {"mode": "http", "api_url": slack.url, "bot_token": acme.token, "signing_secret": SECRET}
    known = SlackSettings(**defaults | {"public_url": public_url} | settings)
    found = {finding.name: finding for finding in await examine(known, session, clock or SystemClock())}
    assert all(finding.fix for finding in found.values() if not finding.ok)
    assert SECRET not in repr(found)
    return found["slack.public_url"], found["slack.signing_secret"]


@pytest.mark.parametrize("prefix", ["", "/prefix"])
async def test_the_right_secret_at_the_right_place_is_right(slack, acme, trusting, certificate, prefix):
    async with served({f"{prefix}/slack/events": bot_with(SECRET), "/healthz": alive}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, f"{address}{prefix}")
    assert (door.ok, secret.ok) == (True, True)
    assert f"{address}{prefix}/slack/events" in secret.words


async def test_a_bot_with_another_secret_is_there_and_refuses(slack, acme, trusting, certificate):
    async with served({"/slack/events": bot_with("f" * 32), "/healthz": alive}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, address)
    assert (door.ok, secret.ok) == (True, False)
    assert "does not accept a request signed with this secret" in secret.words
    assert "Basic Information > App Credentials > Signing Secret" in secret.fix
    assert "clocks" in secret.fix


async def test_a_clock_that_is_far_off_is_refused_like_another_secret(slack, acme, trusting, certificate):
    late = ManualClock(SystemClock().now() - 400 * SECOND)
    async with served({"/slack/events": bot_with(SECRET), "/healthz": alive}, certificate) as address:
        _, secret = await knocked(slack, acme, trusting, address, late)
    assert secret.ok is False


@pytest.mark.parametrize("value", ["short", "A" * 32, "0123456789abcdefghij0123456789ab"])
async def test_a_secret_of_another_shape_is_not_tried(slack, acme, trusting, certificate, value):
    """The running bot has it too, and would say that all is well."""
    async with served({"/slack/events": bot_with(value), "/healthz": alive}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, address, signing_secret=value)
    assert (door.ok, secret.ok) == (True, False)
    assert "does not look like one of Slack's" in secret.words
    assert value not in secret.words + secret.fix


@pytest.mark.parametrize(
    ("events", "words"),
    [
        (lambda _: web.Response(status=403), "refuses requests"),
        (lambda _: web.Response(status=404), "nothing at this path"),
        (lambda _: web.Response(status=405), "takes a POST"),
        (lambda _: web.Response(status=502), "no bot behind it (HTTP 502)"),
        (lambda _: web.Response(text="<h1>It works!</h1>"), "else than the bot answers (HTTP 200)"),
        (lambda _: web.Response(body=b"\xff\xfe"), "else than the bot answers (HTTP 200)"),
        (
            lambda _: web.Response(headers={"Content-Type": "text/html; charset=x"}),
            "else than the bot answers (HTTP 200)",
        ),
        (lambda _: web.Response(status=301, headers={"Location": "https://www.example.com"}), "leads elsewhere"),
    ],
)
async def test_what_answers_instead_of_the_bot_is_said(slack, acme, trusting, certificate, events, words):
    async with served({"/slack/events": events, "/healthz": alive}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, address)
    assert (door.ok, secret.ok) == (True, False)
    assert words in secret.words


@pytest.mark.parametrize(
    ("health", "words"),
    [
        (lambda _: web.Response(text="OK"), "something else than the bot"),
        (lambda _: web.Response(status=404), "HTTP 404"),
        (lambda _: web.Response(status=302, headers={"Location": "/login"}), "leads elsewhere"),
    ],
)
async def test_an_address_that_leads_to_something_else_is_said(slack, acme, trusting, certificate, health, words):
    async with served(
        {"/slack/events": lambda _: web.Response(status=404), "/healthz": health}, certificate
    ) as address:
        door, secret = await knocked(slack, acme, trusting, address)
    assert (door.ok, secret.ok) == (False, False)
    assert words in door.words


async def test_a_proxy_that_passes_on_what_slack_calls_alone_is_right(slack, acme, trusting, certificate):
    async with served({"/slack/events": bot_with(SECRET)}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, address)
    assert (door.ok, secret.ok) == (True, True)


async def test_a_certificate_that_nobody_trusts_is_said(slack, acme, session, certificate):
    async with served({"/slack/events": bot_with(SECRET), "/healthz": alive}, certificate) as address:
        door, secret = await knocked(slack, acme, session, address)
    assert (door.ok, secret.ok) == (False, False)
    assert "its certificate is not trusted" in door.words
    assert "its certificate is not trusted" in secret.words


async def test_a_server_without_tls_is_said(slack, acme, trusting):
    async with served({"/slack/events": bot_with(SECRET), "/healthz": alive}) as address:
        door, _ = await knocked(slack, acme, trusting, address.replace("http", "https"))
    assert door.ok is False
    assert "does not speak TLS" in door.words


async def test_an_address_where_nobody_listens_is_said(slack, acme, trusting, unused_tcp_port):
    door, secret = await knocked(slack, acme, trusting, f"https://127.0.0.1:{unused_tcp_port}")
    assert "no connection is accepted" in door.words
    assert "was not tried" in secret.words
    assert "clarify-bot run" in secret.fix


async def test_a_connection_that_is_cut_is_said(slack, acme, trusting, certificate):
    def cut(request):
        request.transport.abort()
        return web.Response()

    async with served({"/{any:.*}": cut}, certificate) as address:
        door, secret = await knocked(slack, acme, trusting, address)
    assert "the connection is cut" in door.words
    assert "the connection is cut" in secret.words


class NoNames(AbstractResolver):
    async def resolve(self, host, port=0, family=0):
        raise OSError(None, "no such name")

    async def close(self):
        pass


async def test_a_name_that_does_not_resolve_is_said(slack, acme):
    async with ClientSession(connector=TCPConnector(resolver=NoNames())) as lost:
        door, _ = await knocked(slack, acme, lost, "https://bot.example.com")
    assert "its name does not resolve" in door.words
