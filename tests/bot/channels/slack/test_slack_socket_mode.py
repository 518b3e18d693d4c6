"""Over a real WebSocket, with Slack's own client: an envelope is acknowledged once it is kept, and repeats are one."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest

from bot.actions import INACTIVE
from bot.channels.slack.bolt import make_app
from bot.channels.slack.events import ELSEWHERE, Events
from bot.channels.slack.socket_mode import SocketMode
from bot.channels.slack.whisper import Whisper
from bot.memory_gateway import MemoryGateway
from cards.gallery import gallery
from cards.slack import to_slack
from core.errors import StoreUnavailable
from core.model.work import Place
from core.store.tables import Inbox
from tests.support.bots import parts_over
from tests.support.memories import rows
from tests.support.slack import Recording, let_in, told
from tests.support.slack_cards import ADA, TEAM

pytestmark = pytest.mark.usefixtures("user")


async def until(slack, so):
    await asyncio.to_thread(slack.wait_until, so)


async def connected(slack):
    await until(slack, lambda slack: len(slack.sockets) == 1)


async def answers(slack, count):
    """What came back, once it is so much."""
    await until(slack, lambda slack: len(slack.acknowledged) >= count)
    return slack.acknowledged


@pytest.fixture
def logged():
    with told() as wait:
        yield wait


@pytest.fixture
def ingress():
    return Recording()


@pytest.fixture
def whisper(web):
    return Whisper(web)


@pytest.fixture
async def connect(slack, acme, web, memory, ingress, whisper):
    """Opens a connection, which is closed when the test ends."""
    let_in(memory, acme)
    async with AsyncExitStack() as stack:

        async def start(over=ingress, token=slack.app_token, **more):
            gateway = MemoryGateway(memory)
            stack.callback(gateway.stop)
            app = make_app(Events(over, whisper), gateway, lambda: True)
            socket = SocketMode(app, web, token, **more)
            await socket.start()
            stack.push_async_callback(socket.stop)
            return socket

        yield start


async def test_what_comes_in_is_heard_and_then_acknowledged(connect, slack, inbound, ingress):
    await connect()
    await connected(slack)
    envelope = inbound.envelope(inbound.message(ADA, "x"))
    assert slack.push(envelope) == 1
    assert await answers(slack, 1) == [{"envelope_id": envelope["envelope_id"]}]
    assert [kept[0] for kept in ingress.kept] == ["said"]


async def test_an_answer_goes_with_the_acknowledgement(connect, slack, inbound):
    await connect()
    await connected(slack)
    slack.push(inbound.envelope(inbound.command(ADA, "saved", channel="C1")))
    assert (await answers(slack, 1))[0]["payload"] == {"response_type": "ephemeral", "text": ELSEWHERE}


async def test_a_refused_tap_is_told_as_over_http(connect, slack, acme, inbound, ingress, whisper):
    await connect()
    await connected(slack)
    ingress.refusal = INACTIVE
    blocks = next(b for b in (to_slack(card)["blocks"] for _, card in gallery()) if "watch_mute" in json.dumps(b))
    card = acme.store(ADA, "x", bot_id=acme.bot_id, blocks=blocks)
    slack.push(inbound.envelope(inbound.tap(ADA, card, "watch_mute:2")))
    await answers(slack, 1)
    await whisper.finish()
    assert [kept[0] for kept in ingress.kept] == ["tapped"]
    assert [said["text"] for said in acme.responses] == [INACTIVE]


async def test_row_2_an_envelope_that_is_repeated_without_a_mark_is_one_event(connect, slack, channel, memory, inbound):
    memory.people.bind("default", memory.people.put("default", "Ada"), Place("slack", TEAM, ADA))
    parts = parts_over(memory, {"slack": channel})
    await connect(parts.ingress)
    await connected(slack)
    request = inbound.message(ADA, "help")
    envelopes = [inbound.envelope(request, retry=0) for _ in range(2)]
    for number, envelope in enumerate(envelopes, start=1):
        slack.push(envelope)
        assert (await answers(slack, number))[-1] == {"envelope_id": envelope["envelope_id"]}
    await parts.worker.settle()
    parts.gateway.stop()
    assert len(rows(memory, Inbox)) == 1
    assert len(slack.workspace(TEAM).cards(ADA)) == 1


async def test_row_3_what_cannot_be_kept_is_not_acknowledged_and_is_when_it_comes_again(
    connect, slack, inbound, ingress, logged
):
    await connect()
    await connected(slack)
    ingress.fails = [StoreUnavailable()]
    request = inbound.message(ADA, "x")
    slack.push(inbound.envelope(request))
    await logged("slack.not_kept")
    again = inbound.envelope(request, retry=1)
    slack.push(again)
    assert await answers(slack, 1) == [{"envelope_id": again["envelope_id"]}]
    assert len(ingress.kept) == 1


@pytest.mark.parametrize("payload", [{}, {"type": "event_callback", "event": None}, {"event": []}, "text", {"team": 7}])
async def test_no_shape_ends_the_connection(connect, slack, inbound, ingress, payload):
    await connect()
    await connected(slack)
    slack.push(inbound.envelope(inbound.message(ADA, "x")) | {"payload": payload})
    slack.push({"type": "what_is_this"})
    last = inbound.envelope(inbound.message(ADA, "y"))
    slack.push(last)
    await until(slack, lambda slack: {"envelope_id": last["envelope_id"]} in slack.acknowledged)
    assert [kept[-1] for kept in ingress.kept] == ["y"]


@pytest.mark.parametrize("how", ["asked", "closed"])
async def test_a_connection_that_ends_is_followed_by_another(connect, slack, inbound, ingress, how):
    await connect()
    await connected(slack)
    [first] = slack.sockets
    if how == "asked":
        slack.push({"type": "disconnect", "reason": "refresh_requested"})
    else:
        asyncio.run_coroutine_threadsafe(first.close(), slack._loop).result(30)
    await until(slack, lambda slack: slack.sockets and first not in slack.sockets)
    slack.push(inbound.envelope(inbound.message(ADA, "x")))
    await answers(slack, 1)
    assert len(ingress.kept) == 1


async def test_an_address_that_leads_nowhere_is_asked_for_again(connect, slack, monkeypatch):
    """It is good for half a minute; Slack's client alone would try it for ever."""
    monkeypatch.setattr("bot.channels.slack.socket_mode._Client.good_for_secs", 0)
    given = iter(["ws://127.0.0.1:9/", f"{slack.base.replace('http', 'ws')}nowhere"])
    usual = slack._socket_address
    monkeypatch.setattr(slack, "_socket_address", lambda token: usual(token) | dict(zip(["url"], given, strict=False)))
    await connect(ping_secs=0.05)
    await connected(slack)


async def test_a_refused_app_token_is_told_without_the_token_and_is_stopped_at_once(connect, logged):
    socket = await connect(token="xapp-wrong")
    assert await logged("slack.socket_refused") == {"event": "slack.socket_refused", "reason": "invalid_auth"}
    await socket.stop()


async def test_stopped_it_leaves_nothing_running(connect, slack):
    before = asyncio.all_tasks()
    socket = await connect()
    await connected(slack)
    await socket.stop()
    assert asyncio.all_tasks() <= before


async def test_what_is_in_hand_when_it_is_stopped_is_kept_and_acknowledged(connect, slack, inbound, ingress):
    at_work, release, keep = asyncio.Event(), asyncio.Event(), ingress.said

    async def slowly(*said):
        at_work.set()
        await release.wait()
        await keep(*said)

    ingress.said = slowly
    socket = await connect()
    await connected(slack)
    slack.push(inbound.envelope(inbound.message(ADA, "x")))
    await at_work.wait()
    stopping = asyncio.create_task(socket.stop())
    assert not (await asyncio.wait({stopping}, timeout=0.1))[0]
    release.set()
    await stopping
    assert len(await answers(slack, 1)) == len(ingress.kept) == 1
