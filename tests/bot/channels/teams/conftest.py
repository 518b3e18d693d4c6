"""A Teams of the test's own, with Ada in it, and the ways to it."""

from collections.abc import AsyncIterator, Iterator

import pytest

from bot.channels.teams.channel import TeamsChannel
from bot.channels.teams.transport import BotFrameworkTransport
from bot.memory_gateway import MemoryGateway
from core.clock import ManualClock
from core.memory import Memory
from tests.fakes.teams_connector import FakeConnector, fake_connector
from tests.fakes.teams_openid import USER_ID
from tests.fakes.teams_world import User
from tests.support.teams_out import channel_over, transport_to


@pytest.fixture
def teams(clock: ManualClock) -> Iterator[FakeConnector]:
    """Teams, which no bot of ours may have misused when the test ends."""
    with fake_connector(clock) as running:
        yield running
        assert running.violations == []


@pytest.fixture
def user(teams: FakeConnector) -> User:
    """Ada, for whom the app is installed."""
    return teams.world.add_user(USER_ID)


@pytest.fixture
async def transport(teams: FakeConnector) -> AsyncIterator[BotFrameworkTransport]:
    opened = transport_to(teams)
    yield opened
    await opened.close()


@pytest.fixture
def channel(memory: Memory, teams: FakeConnector, transport: BotFrameworkTransport) -> Iterator[TeamsChannel]:
    """The bot's channel, for which it is always its turn."""
    gateway = MemoryGateway(memory)
    yield channel_over(transport, gateway, teams.service_url)
    gateway.stop()
