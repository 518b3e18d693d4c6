"""One person in Slack and in Teams: the same memory of what they watch and saved, and each card in one place alone."""

import asyncio
import json

import pytest
from pydantic import SecretStr

from bot.channels.settings import SlackSettings
from core.store.tables import WatchFire
from tests.fakes.slack import fake_slack
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import Inbound, deliver
from tests.fakes.teams_connector import fake_connector
from tests.fakes.teams_openid import USER_ID, fake_openid
from tests.support.teams_bot import TeamsWorld, executes, running, said, set_up, teams_settings, until

TEAM, ASKED = "T1", "What may a meal cost at most?"


@pytest.fixture
def teams():
    with fake_connector() as running:
        yield running
        assert running.violations == []


@pytest.fixture
def slack():
    with fake_slack() as running:
        running.add_workspace(TEAM).add_user("U1", "Ada", email="ada@acme.example")
        yield running
        assert running.violations == []


@pytest.fixture
def ada(teams):
    return teams.world.add_user(USER_ID)


@pytest.fixture
async def world(tmp_path, sqlite_url, teams, slack):
    settings_of_slack = SlackSettings(
        mode="http",
        trusted=True,
        public_url="https://bot.example.com",
        api_url=slack.url,
        bot_token=SecretStr(slack.workspace(TEAM).token),
        signing_secret=SecretStr(slack.signing_secret),
    )
    with fake_openid() as openid:
        settings = set_up(tmp_path, sqlite_url, teams=teams_settings(teams, openid), slack=settings_of_slack)
        async with running(settings, "teams", "slack"):
            yield Both(settings, teams, slack)


class Both(TeamsWorld):
    def __init__(self, settings, teams, slack):
        super().__init__(settings, teams)
        self.slack, self.acme, self.inbound = slack, slack.workspace(TEAM), Inbound(slack, TEAM)

    async def in_slack(self, request):
        reply = await deliver(self.slack, f"http://127.0.0.1:{self.settings.http.port}/slack/events", request)
        assert reply.status == 200

    async def slack_card(self, words):
        return await until(lambda: next((c for c in self.acme.cards("U1") if words in said(c.blocks)), None), words)

    async def teams_card(self, ada, words):
        return await until(lambda: next((c for c in self.cards(ada) if words in said(c.card)), None), words)

    async def tap_in_slack(self, card, kind):
        action = next(e for _, e in elements(card.blocks) if json.loads(e.get("value", "{}")).get("kind") == kind)
        await self.in_slack(self.inbound.tap("U1", card, action["action_id"]))


async def test_the_same_watches_and_answers_and_each_card_in_one_place(world, ada):
    await world.in_slack(world.inbound.message("U1", ASKED))
    answer = await world.slack_card("A meal may cost 40 EUR at most.")
    await world.tap_in_slack(answer, "answer_save")
    await world.slack_card("Saved. You will hear")
    await world.write(ada, "saved")
    await world.teams_card(ada, ASKED)
    await world.in_slack(world.inbound.message("U1", "watch meals"))
    await world.tap_in_slack(await world.slack_card("Choose what to watch"), "watch_create")
    await world.slack_card("Watching “Meals”")
    await world.write(ada, "watching")
    await world.teams_card(ada, "You watch 2 things")

    await world.write(ada, "preferences")
    card = await world.teams_card(ada, "Cards come in")
    execute = next(e for e in executes(card.card) if e["data"]["target"] == "platform")
    await world.tap_execute(ada, card, execute, {"preference_set:platform": "slack"})
    await world.teams_card(ada, "Set, from now on.")
    before = len(world.cards(ada))
    await asyncio.to_thread(world.revise, 55)
    await world.slack_card("Your saved answer")
    await until(lambda: all(row.status == "delivered" for row in world.memory_rows(WatchFire)))
    await world.write(ada, "status")
    await world.teams_card(ada, "What I remember")
    assert len(world.cards(ada)) == before + 1, "she was last seen in Teams, and chose Slack"
    assert "55 EUR" not in said([card.card for card in world.cards(ada)])
