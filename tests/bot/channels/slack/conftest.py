"""A Slack of the test's own, with one workspace and Ada in it."""

from collections.abc import AsyncIterator, Iterator

import pytest
from aiohttp import ClientSession, ClientTimeout

from bot.channels.slack.channel import SlackChannel
from bot.channels.slack.web import SlackWeb
from bot.memory_gateway import MemoryGateway
from core.clock import ManualClock
from core.memory import Memory
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack_inbound import Inbound
from tests.fakes.slack_world import User, Workspace
from tests.support.slack import Recording, Served, let_in, served
from tests.support.slack_cards import ADA, TEAM, channel_over


@pytest.fixture
def slack(clock: ManualClock) -> Iterator[FakeSlack]:
    """Slack, which no bot of ours may have misused when the test ends."""
    with fake_slack(clock) as running:
        yield running
        assert running.violations == []


@pytest.fixture
def acme(slack: FakeSlack) -> Workspace:
    """The workspace T1."""
    return slack.add_workspace(TEAM)


@pytest.fixture
def user(acme: Workspace) -> User:
    """The user U1 of it."""
    return acme.add_user(ADA, "Ada", email="ada@acme.example")


@pytest.fixture
def inbound(slack: FakeSlack, acme: Workspace) -> Inbound:
    """What the workspace T1 sends to the bot."""
    return Inbound(slack, acme.team)


@pytest.fixture
async def web(slack: FakeSlack, acme: Workspace) -> AsyncIterator[SlackWeb]:
    """The API as the bot in T1 calls it."""
    opened = SlackWeb(acme.token, slack.url, timeout_secs=5)
    yield opened
    await opened.close()


@pytest.fixture
def channel(web: SlackWeb) -> SlackChannel:
    """The bot's channel to T1, for which it is always its turn."""
    return channel_over(web)


@pytest.fixture
async def session() -> AsyncIterator[ClientSession]:
    """Connections as `doctor` opens them."""
    async with ClientSession(timeout=ClientTimeout(total=5)) as opened:
        yield opened


@pytest.fixture
def ingress() -> Recording:
    """What the bot in `bot` was told and kept."""
    return Recording()


@pytest.fixture
async def bot(
    slack: FakeSlack, acme: Workspace, memory: Memory, ingress: Recording, web: SlackWeb
) -> AsyncIterator[Served]:
    """A bot which T1 has let in, and which Slack can reach."""
    let_in(memory, acme)
    gateway = MemoryGateway(memory)
    async with served(slack, gateway, ingress, web) as running:
        yield running
    gateway.stop()
