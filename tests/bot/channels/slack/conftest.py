"""A Slack of the test's own, with one workspace and Ada in it."""

from collections.abc import Iterator

import pytest

from core.clock import ManualClock
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack_inbound import Inbound
from tests.fakes.slack_world import User, Workspace

TEAM, ADA = "T1", "U1"


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
