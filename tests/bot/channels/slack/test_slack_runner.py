"""The whole Slack side as the process starts and stops it."""

import asyncio
import subprocess
import sys

import pytest
from aiohttp import web
from structlog.testing import capture_logs

from bot.actions import INACTIVE
from bot.channels.base import CALLED_OFF, NotSent, Sent
from bot.channels.settings import SlackSettings
from bot.channels.slack.address import EVENTS_PATH
from bot.channels.slack.runner import SlackRunner
from bot.config import Settings
from bot.memory_gateway import MemoryGateway
from cards.codec import to_json
from cards.notices import looking
from core.model.work import Place
from tests.fakes.slack_inbound import SlackRequest, deliver
from tests.support.loopback import sessions
from tests.support.posting import take
from tests.support.slack import Recording, let_in, on_loopback, told
from tests.support.slack_cards import ADA, TEAM, outgoing

pytestmark = pytest.mark.usefixtures("user")


@pytest.fixture
def ingress():
    return Recording()


@pytest.fixture
def gateway(memory):
    opened = MemoryGateway(memory)
    yield opened
    opened.stop()


@pytest.fixture
def runner(slack, acme, ingress, gateway):
    """Made for a mode, and not yet started."""

    def make(mode, **more):
        secrets = {"bot_token": acme.token, "signing_secret": slack.signing_secret, "app_token": slack.app_token}
        chosen = {"mode": mode, "api_url": slack.url, "public_url": "https://bot.example.com", "trusted": True}
        return SlackRunner(Settings(slack=SlackSettings(**secrets | chosen | more)), ingress, gateway)

    return make


@pytest.fixture
def in_hand(memory):
    """A card for Ada, taken to be sent."""
    ada, there = memory.people.put("default", "Ada"), Place("slack", TEAM, ADA)
    memory.people.bind("default", ada, there)
    message_id = memory.messages.post("default", ada, there, "e1", "answer", lambda _: to_json(looking()))
    return take(memory, message_id)


async def test_over_http_it_connects_hears_and_sends(runner, slack, acme, inbound, ingress, memory, in_hand):
    running = runner("http")
    with told() as logged:
        await running.start()
        await logged("slack.connected")
    assert memory.workspaces.find("slack", TEAM).trusted
    async with on_loopback(running.routes()) as base:
        assert (await deliver(slack, base + EVENTS_PATH, inbound.message(ADA, "x"))).status == 200
    assert isinstance(await running.channel.send(in_hand), Sent)
    memory.people.set_active("default", in_hand.person_id, False)
    assert await running.channel.send(in_hand) == CALLED_OFF
    await running.stop()
    assert ([kept[0] for kept in ingress.kept], len(acme.cards(ADA))) == (["said"], 1)


async def test_in_socket_mode_it_connects_and_hears_without_an_address(runner, slack, inbound, ingress):
    running = runner("socket", signing_secret="", public_url="")
    assert running.routes() == []
    with told() as logged:
        await running.start()
        await logged("slack.connected")
    await asyncio.to_thread(slack.wait_until, lambda slack: slack.sockets)
    slack.push(inbound.envelope(inbound.home_opened(ADA)))
    await asyncio.to_thread(slack.wait_until, lambda slack: slack.acknowledged)
    await running.stop()
    assert [kept[0] for kept in ingress.kept] == ["home"]


async def test_what_is_for_another_workspace_or_due_before_this_one_is_known_is_not_sent(runner, acme):
    """As it is when the token was changed for another workspace's: the same id may be a stranger's there."""
    running = runner("http")
    assert isinstance(await running.channel.send(outgoing()), NotSent)
    with told() as logged:
        await running.start()
        await logged("slack.connected")
    assert isinstance(await running.channel.send(outgoing(place=Place("slack", "T2", ADA))), NotSent)
    await running.stop()
    assert acme.calls("conversations.open") == []


@pytest.mark.parametrize("mode", ["http", "socket"])
async def test_a_slack_that_cannot_be_reached_holds_up_neither_start_nor_stop(runner, unused_tcp_port, mode):
    before = asyncio.all_tasks()
    running = runner(mode, api_url=f"http://127.0.0.1:{unused_tcp_port}/api/")
    with told() as logged:
        await running.start()
        await logged("slack.not_connected")
        await running.stop()
    assert asyncio.all_tasks() <= before


async def test_stopped_before_it_has_begun_it_leaves_nothing(runner):
    before = asyncio.all_tasks()
    for mode in ("http", "socket"):
        running = runner(mode)
        await running.start()
        await running.stop()
    assert asyncio.all_tasks() <= before


async def test_row_27_everything_goes_over_one_session_which_is_closed(runner, slack, acme, inbound, ingress):
    ingress.refusal = INACTIVE
    before, running = sessions(), runner("http")
    with told() as logged:
        await running.start()
        await logged("slack.connected")
    async with on_loopback(running.routes()) as base:
        for _ in range(5):
            command = inbound.command(ADA, "x").payload
            other = {"type": "shortcut", "callback_id": "x", "team": {"id": TEAM}, "user": {"id": ADA}}
            request = SlackRequest("interaction", other | {"response_url": command["response_url"]})
            assert (await deliver(slack, base + EVENTS_PATH, request)).status == 200
            await running.channel.profile(TEAM, ADA)
        await running.channel.send(outgoing())
    assert sessions() == before + 1
    await running.stop()
    assert sessions() == before
    assert len(acme.responses) == 5


async def test_stopped_it_says_what_it_still_has_to_say(runner, slack, memory, acme):
    let_in(memory, acme)
    hearing, release, heard, running = asyncio.Event(), asyncio.Event(), [], runner("http")

    async def hear(request):
        hearing.set()
        await release.wait()
        heard.append((await request.json())["text"])
        return web.Response()

    await running.start()
    routes = [*running.routes(), web.post("/response", hear)]
    with capture_logs() as logs:
        async with on_loopback(routes) as base:
            shortcut = {"type": "shortcut", "callback_id": "x", "team": {"id": TEAM}, "user": {"id": ADA}}
            request = SlackRequest("interaction", shortcut | {"response_url": f"{base}/response"})
            await deliver(slack, base + EVENTS_PATH, request)
            await hearing.wait()
            stopping = asyncio.create_task(running.stop())
            assert not (await asyncio.wait({stopping}, timeout=0.1))[0]
            release.set()
            await stopping
    assert heard == [INACTIVE]
    assert "slack.not_whispered" not in {entry["event"] for entry in logs}


def test_slack_s_code_is_loaded_only_where_it_is_used():
    loaded = (
        "import sys, bot.app, bot.cli.entry, bot.config; sys.exit(len({'slack_bolt', 'slack_sdk'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0
