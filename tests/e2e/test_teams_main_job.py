"""The main job in Teams, by the whole process: `bot.app.run` over a Bot Connector and an Entra of the test's own."""

import ast
import asyncio
import os
import signal
from pathlib import Path

import aiohttp
import pytest

import bot as bot_package
from bot import app
from bot.config import open_memory
from core.outcomes import engine as outcomes
from core.store.tables import CardMessage
from tests.fakes.teams_connector import fake_connector
from tests.fakes.teams_openid import TENANT_ID, USER_ID, fake_openid
from tests.support.teams_bot import TeamsWorld, executes, running, said, set_up, shows, teams_settings, until

ASKED = "What may a meal cost at most?"
BOBS = "00000000-cccc-4ccc-8ccc-000000000009"


@pytest.fixture
def teams():
    with fake_connector() as running:
        yield running
        assert running.violations == []


@pytest.fixture
def ada(teams):
    return teams.world.add_user(USER_ID)


@pytest.fixture
def bob(teams):
    """Nobody knows him."""
    return teams.world.add_user(BOBS, "Bob")


@pytest.fixture
def settings(tmp_path, sqlite_url, teams):
    with fake_openid() as openid:
        yield set_up(tmp_path, sqlite_url, teams=teams_settings(teams, openid))


@pytest.fixture
async def world(settings, teams):
    async with running(settings, "teams"):
        yield TeamsWorld(settings, teams)


async def test_ask_save_change_card_refresh(world, ada):
    """The main job: an answer, saved in one tap; the words move, a card comes, one tap makes it anew."""
    await world.write(ada, ASKED)
    answer = await world.card(ada, 0, "A meal may cost 40 EUR at most.")
    assert "40 EUR" in answer.activity["summary"], "a notification says it too"
    answered = await world.tap(ada, answer, "answer_save")
    assert answered["statusCode"] == 200
    assert "Saved. You will hear when its words change." in said(answered["value"])
    await world.card(ada, 0, "Saved. You will hear when its words change.")
    await asyncio.to_thread(world.revise, 55)
    stale = await world.card(ada, 1, "55 EUR")
    asks = next(shown for shown in shows(stale.card) if "answer_refresh" in said(shown))
    assert "budget" in said(asks), "it asks first, with the cost in words"
    await world.tap(ada, stale, "answer_refresh")
    await world.card(ada, 1, "A meal may cost 55 EUR at most.")
    assert len(world.cards(ada)) == 2


async def test_watch_change_card_mute(world, ada):
    await world.write(ada, "watch meals")
    await world.tap(ada, await world.card(ada, 0, "Choose what to watch"), "watch_create")
    await world.card(ada, 0, "Watching")
    await asyncio.to_thread(world.revise, 55)
    news = await world.card(ada, 1, "55 EUR")
    answered = await world.tap(ada, news, "watch_mute", "1d")
    assert "Muted for a day" in said(answered["value"])
    assert "Muted for a day" in said((await world.card(ada, 1, "Muted for a day")).card), "row 31: also what is stored"


async def test_a_double_tap_has_one_effect_and_both_see_it(world, ada):
    await world.write(ada, ASKED)
    answer = await world.card(ada, 0, "40 EUR")
    first, second = await asyncio.gather(*(world.tap(ada, answer, "answer_save") for _ in range(2)))
    assert "Saved" in said(first["value"])
    assert "Saved" in said(second["value"])
    await world.write(ada, "saved")
    await world.card(ada, 1, "1 saved answer")


async def test_row_31_also_a_card_that_may_not_have_arrived_and_was_given_up_shows_what_its_tap_led_to(
    world, teams, ada, monkeypatch
):
    monkeypatch.setattr(outcomes, "LOOK_AFTER", 0)
    teams.script("send", "502:html-stored")
    await world.write(ada, ASKED)
    await until(lambda: [row.state for row in world.memory_rows(CardMessage)] == ["skipped"])
    answered = await world.tap(ada, await world.card(ada, 0), "answer_save")
    assert "Saved" in said(answered["value"])
    await world.card(ada, 0, "Saved")
    assert len(teams.made("send")) == 1


async def test_somebody_known_by_their_address_is_bound_and_their_zone_taken_over(world, ada):
    await world.hear(world.activity(ada, text="whoami", localTimezone="Asia/Kolkata"))
    await world.card(ada, 0, "Asia/Kolkata")


async def test_a_stranger_gets_one_polite_card_and_no_memory(world, bob):
    for _ in range(3):
        await world.write(bob, ASKED)
    greeting = await world.card(bob, 0, BOBS)
    await until(lambda: all(row.state == "sent" for row in world.memory_rows(CardMessage)))
    assert len(world.cards(bob)) == 1
    assert "40 EUR" not in said(greeting.card)


async def test_installed_it_says_hello_and_removed_it_is_silent_at_once(world, ada, bob):
    await world.hear(world.activity(ada, type="installationUpdate", action="add"))
    await world.card(ada, 0, "Hello, Ada")
    await world.write(ada, "watch meals")
    await world.tap(ada, await world.card(ada, 1), "watch_create")
    await world.card(ada, 1, "Watching")
    await world.hear(world.activity(ada, type="installationUpdate", action="remove"))
    before = len(world.teams.made("send"))
    await asyncio.to_thread(world.revise, 55)
    await asyncio.to_thread(_swept, world)
    await world.write(bob, "status")
    await world.card(bob, 0)
    before += 1
    assert len(world.teams.made("send")) == before, "row 35: nothing is sent, though Teams would take it"
    await world.hear(world.activity(ada, type="installationUpdate", action="add"))
    await asyncio.to_thread(world.revise, 56)
    await until(lambda: any("56 EUR" in said(card.card) for card in world.cards(ada)))


def _swept(world):
    """What has changed is looked through, whoever else does so."""
    with open_memory(world.settings) as memory:
        memory.sweep("default")


async def test_preferences_are_a_card_in_which_a_choice_is_made(world, ada):
    await world.write(ada, "preferences")
    card = await world.card(ada, 0, "Your preferences")
    execute = next(e for e in _sets(card.card) if e["data"]["target"] == "quiet_from")
    inputs = {"preference_set:quiet_from": "22", "preference_set:brief_day": "friday"}
    answered = await world.tap_execute(ada, card, execute, inputs)
    assert "Set, from now on." in said(answered["value"])
    stands = await world.card(ada, 0, "Set, from now on.")
    assert '"value": "22"' in said(stands.card)
    assert '"value": "monday"' in said(stands.card), "what else was chosen in the form was not set"


def _sets(card):
    return (one for one in executes(dict(card)) if one["verb"] == "preference_set")


async def test_in_a_group_nothing_is_answered_and_whoever_is_known_is_told_in_their_own_chat(world, ada):
    await world.write(ada, "status")
    await world.card(ada, 0)
    group = {"conversationType": "groupChat", "isGroup": True, "tenantId": TENANT_ID, "id": "19:group@thread.v2"}
    for _ in range(2):
        assert await world.hear(world.activity(ada, text=ASKED, conversation=group)) == {}
    await world.card(ada, 1, "what others would read, I do not answer")
    await world.write(ada, "status")
    await world.card(ada, 2)
    assert {call.path.split("/")[5] for call in world.teams.made("send")} == {ada.conversation}


async def test_a_button_of_somebody_elses_card_is_refused_to_whoever_taps(world, ada, bob):
    await world.write(ada, ASKED)
    answer = await world.card(ada, 0, "40 EUR")
    answered = await world.tap(bob, answer, "answer_save")
    assert "no longer active" in answered["value"]
    assert "40 EUR" not in said(answered)


async def test_the_credentials_refused_everything_waits_and_goes_on_when_they_are_right(settings, teams, ada):
    teams.script("token", *["AADSTS7000222"] * 3)
    async with running(settings):
        world = TeamsWorld(settings, teams)
        await until(lambda: teams.made("token"))
        await world.hear(world.activity(ada, text="status"))
        await until(lambda: _paused(settings))
    teams.faults.clear()
    async with running(settings, "teams"):
        await TeamsWorld(settings, teams).card(ada, 0, "I remember 1 document")


def _paused(settings):
    with open_memory(settings) as memory:
        return all(one.paused for one in memory.workspaces.all("default"))


async def test_row_28_told_to_stop_in_the_middle_of_a_send_it_is_written_down_that_nobody_knows(
    settings, teams, ada, monkeypatch
):
    monkeypatch.setattr(app, "GRACE_SECS", 0.2)
    world = TeamsWorld(settings, teams)
    teams.script("send", "silence-stored")
    async with running(settings, "teams") as process:
        await world.write(ada, "status")
        await until(lambda: teams.made("send"))
        os.kill(os.getpid(), signal.SIGTERM)
        assert await process == 0
    [row] = world.memory_rows(CardMessage)
    assert (row.state, row.reason, len(world.cards(ada))) == ("unknown", "stopped", 1)
    async with running(settings, "teams"):
        await world.write(ada, "whoami")
        await world.card(ada, 1)
    assert len(teams.made("send")) == 2, "what may have arrived is not sent again"


async def test_a_request_that_nobody_signed_is_refused(world, ada):
    url = f"http://127.0.0.1:{world.settings.http.port}/teams/messages"
    async with aiohttp.ClientSession() as session, session.post(url, json=world.activity(ada, text=ASKED)) as answer:
        assert answer.status == 401
    assert world.memory_rows(CardMessage) == []


def test_nothing_but_the_transport_knows_the_sdk():
    """The import contracts say it too; here also of what is imported within functions."""
    root = Path(bot_package.__file__).parent
    found = {
        file.relative_to(root).as_posix()
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        for name in _imported(node)
        if name.split(".")[0] in {"botbuilder", "botframework", "msrest"}
    }
    assert found == {"channels/teams/transport.py"}


def _imported(node):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
