"""The whole Teams side as the process starts and stops it."""

import asyncio

import aiohttp
import pytest

from bot.channels.base import CALLED_OFF, Sent
from bot.channels.teams.address import MESSAGES_PATH
from bot.channels.teams.runner import TeamsRunner
from bot.config import Settings
from bot.memory_gateway import MemoryGateway
from cards.codec import to_json
from cards.notices import looking
from tests.fakes.teams_openid import TENANT_ID, USER_ID, fake_openid, teams_request
from tests.fakes.teams_world import BOT
from tests.support.loopback import sessions
from tests.support.posting import take
from tests.support.slack import on_loopback, told
from tests.support.teams import Recording
from tests.support.teams_bot import activity_of, teams_settings
from tests.support.teams_out import ADA


@pytest.fixture
def ingress():
    return Recording()


@pytest.fixture
def runner(memory, teams, ingress):
    """Made, and not yet started."""
    gateway = MemoryGateway(memory)
    with fake_openid() as openid:
        yield lambda **more: TeamsRunner(Settings(teams=teams_settings(teams, openid, **more)), ingress, gateway)
    gateway.stop()


@pytest.fixture
def in_hand(memory, teams, user):
    """Cards for Ada, taken to be sent."""
    ada = memory.people.put("default", "Ada")
    memory.people.bind("default", ada, ADA)
    address = {"service_url": teams.service_url, "conversation": teams.world.chat(user)}
    memory.addresses.keep("default", ADA, address | {"user": user.teams_id, "bot": BOT})
    post = memory.messages.post
    made = [post("default", ada, ADA, f"e{number}", "answer", lambda _: to_json(looking())) for number in range(5)]
    return [take(memory, message_id) for message_id in made]


async def heard(runner, teams, user, clock):
    """Something that Ada writes, as Teams posts it; what that is answered."""
    activity = activity_of(teams, user, text="x")
    request = teams_request(clock.now(), claims={"serviceurl": teams.service_url}, activity=activity)
    async with (
        on_loopback(runner.routes()) as base,
        aiohttp.ClientSession() as session,
        session.post(base + MESSAGES_PATH, data=request.body, headers=request.headers) as answer,
    ):
        return answer.status


async def started(running):
    with told() as logged:
        await running.start()
        await logged("teams.connected")


async def test_it_connects_hears_and_sends_what_may_still_be_sent(runner, teams, user, ingress, memory, in_hand, clock):
    running = runner(trusted=True)
    await started(running)
    assert memory.workspaces.find("teams", TENANT_ID).trusted
    assert await heard(running, teams, user, clock) == 200
    assert isinstance(await running.channel.send(in_hand[0]), Sent)
    memory.people.set_active("default", in_hand[1].person_id, False)
    assert await running.channel.send(in_hand[1]) == CALLED_OFF
    await running.stop()
    assert [kept[0] for kept in ingress.named("said")] == ["said"]
    assert len(teams.world.messages[user.conversation]) == 1


async def test_row_27_everything_goes_over_one_session_which_is_closed(runner, teams, user, in_hand, clock):
    """Those that a token and keys are got by are closed at once."""
    before, running = sessions(), runner()
    await started(running)
    for card in in_hand:
        assert await heard(running, teams, user, clock) == 200
        await running.channel.send(card)
        await running.channel.profile(TENANT_ID, USER_ID)
        teams.revoke()
    assert len(teams.made("token")) > 1
    assert sessions() == before + 1
    await running.stop()
    assert sessions() == before


async def test_a_microsoft_that_cannot_be_reached_holds_up_neither_start_nor_stop(runner, unused_tcp_port):
    before = asyncio.all_tasks()
    running = runner(login_url=f"http://127.0.0.1:{unused_tcp_port}/")
    with told() as logged:
        await running.start()
        await logged("teams.not_connected")
        await running.stop()
    assert asyncio.all_tasks() <= before
