"""The main job in Slack, by the whole process: `bot.app.run` over a Slack of the test's own, called as Slack calls."""

import ast
import asyncio
import json
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

import bot as bot_package
from bot import app, keys
from bot.channels.settings import SlackSettings
from bot.config import HttpSettings, Settings, open_memory
from core.config import AnswersConfig, WatchConfig
from core.store.tables import CardMessage
from tests.fakes.slack import fake_slack
from tests.fakes.slack_blocks import elements
from tests.fakes.slack_inbound import Inbound, deliver
from tests.support.memories import page, rows

TEAM, ASKED = "T1", "What may a meal cost at most?"
PATIENCE = 30


def handbook(meals: int) -> bytes:
    return page("Travel", {"Meals": f"A meal may cost {meals} EUR at most."})


@pytest.fixture
def slack():
    with fake_slack() as running:
        acme = running.add_workspace(TEAM)
        acme.add_user("U1", "Ada", email="ada@acme.example", zone="Asia/Kolkata")
        acme.add_user("U2", "Bob", email="bob@acme.example")
        yield running
        assert running.violations == []


@pytest.fixture
def acme(slack):
    return slack.workspace(TEAM)


@pytest.fixture
def settings(tmp_path, slack, sqlite_url):
    """A bot that was set up for Slack: Ada is known by her e-mail address, Bob is not known at all."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keys.create(tmp_path / "keys")
    made = Settings(
        database=sqlite_url,
        keys=tmp_path / "keys",
        embedder="hashing",
        http=HttpSettings(port=port),
        watch=WatchConfig(settle_secs=0, tick_secs=1),
        answers=AnswersConfig(min_cosine=0.05),
        slack=SlackSettings(
            mode="http",
            trusted=True,
            public_url="https://bot.example.com",
            api_url=slack.url,
            bot_token=SecretStr(slack.workspace(TEAM).token),
            signing_secret=SecretStr(slack.signing_secret),
        ),
    )
    with open_memory(made) as memory:
        memory.people.ensure_tenant("default", "Default")
        memory.people.put("default", "Ada", email="Ada@Acme.example")
        memory.ingest("travel.md", handbook(40), readers=["everyone"])
    return made


class World:
    def __init__(self, settings, slack, process):
        self.settings, self.slack, self.process = settings, slack, process
        self.acme = slack.workspace(TEAM)
        self.inbound = Inbound(slack, TEAM)
        self.url = f"http://127.0.0.1:{settings.http.port}/slack/events"

    async def hear(self, request):
        reply = await deliver(self.slack, self.url, request)
        assert reply.status == 200
        return reply

    async def until(self, so: Callable[[], object]):
        async with asyncio.timeout(PATIENCE):
            while not (found := so()):  # noqa: ASYNC110  # another process's doing tells nobody
                await asyncio.sleep(0.02)
        return found

    async def card(self, user, number, words=""):
        """The card of this number in a user's conversation, once it is there and says these words."""

        def there():
            cards = self.acme.cards(user)
            return cards[number] if len(cards) > number and words in said(cards[number].blocks) else None

        return await self.until(there)

    async def tap(self, user, card, kind, arg=None):
        await self.hear(self.inbound.tap(user, card, action(card.blocks, kind, arg)))

    def revise(self, meals):
        with open_memory(self.settings) as memory:
            memory.ingest("travel.md", handbook(meals), readers=["everyone"])

    def memory_rows(self, table):
        with open_memory(self.settings) as memory:
            return rows(memory, table)


def said(blocks) -> str:
    return json.dumps(blocks, ensure_ascii=False)


def action(blocks, kind, arg=None):
    for _, element in elements(blocks):
        value = json.loads(element.get("value", "{}"))
        if value.get("kind") == kind and value.get("arg") == arg:
            return element["action_id"]
    raise AssertionError(f"no {kind} {arg} in {said(blocks)}")


@pytest.fixture
async def world(settings, slack, monkeypatch):
    async with running(settings, slack) as world:
        yield world


@asynccontextmanager
async def running(settings, slack):
    process = asyncio.create_task(app.run(settings))
    world = World(settings, slack, process)
    try:
        await world.until(lambda: process.done() or slack.workspace(TEAM).calls("auth.test"))
        await world.until(lambda: process.done() or _listens(settings.http.port))
        await world.until(lambda: process.done() or _connected(settings))
        yield world
    finally:
        if not process.done():
            os.kill(os.getpid(), signal.SIGTERM)
        assert await process == 0


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _connected(settings):
    with open_memory(settings) as memory:
        return memory.workspaces.all("default")


async def test_ask_save_change_card_refresh(world):
    """The main job: an answer in the thread, saved in one tap; the words move, a card comes, one tap makes it anew."""
    question = world.inbound.message("U1", ASKED)
    await world.hear(question)
    answer = await world.card("U1", 0, "A meal may cost 40 EUR at most.")
    assert answer.thread_ts == question.payload["event"]["ts"], "it stands in the thread of the question"
    assert "40 EUR" in answer.text, "a notification says it too"
    await world.tap("U1", answer, "answer_save")
    await world.card("U1", 0, "Saved. You will hear when its words change.")
    await asyncio.to_thread(world.revise, 55)
    stale = await world.card("U1", 1, "55 EUR")
    assert stale.thread_ts is None
    button = next(
        e for _, e in elements(stale.blocks) if json.loads(e.get("value", "{}")).get("kind") == "answer_refresh"
    )
    assert "budget" in said(button["confirm"]), "it asks first, with the cost in words"
    await world.tap("U1", stale, "answer_refresh")
    await world.card("U1", 1, "A meal may cost 55 EUR at most.")
    assert len(world.acme.cards("U1")) == 2


async def test_watch_change_card_mute(world):
    await world.hear(world.inbound.command("U1", "watch meals"))
    choices = await world.card("U1", 0, "Choose what to watch")
    await world.tap("U1", choices, "watch_create")
    await world.card("U1", 0, "Watching")
    await asyncio.to_thread(world.revise, 55)
    news = await world.card("U1", 1, "55 EUR")
    await world.tap("U1", news, "watch_mute", "1d")
    await world.card("U1", 1, "Muted for a day")


async def test_somebody_known_by_a_verified_address_is_bound_and_their_zone_taken_over(world):
    await world.hear(world.inbound.message("U1", "whoami"))
    await world.card("U1", 0, "Asia/Kolkata")


async def test_a_stranger_gets_one_polite_card_and_no_memory(world):
    for _ in range(3):
        await world.hear(world.inbound.message("U2", ASKED))
    greeting = await world.card("U2", 0, "U2")
    await world.until(lambda: all(row.state == "sent" for row in world.memory_rows(CardMessage)))
    assert len(world.acme.cards("U2")) == 1
    assert "40 EUR" not in said(greeting.blocks)
    assert elements(greeting.blocks) == [] or not list(elements(greeting.blocks))


async def test_the_home_tab_shows_what_one_watches_and_takes_a_choice(world):
    await world.hear(world.inbound.message("U1", "watch meals"))
    await world.tap("U1", await world.card("U1", 0), "watch_create")
    await world.card("U1", 0, "Watching")
    await world.hear(world.inbound.home_opened("U1"))
    home = await world.until(lambda: world.acme.home("U1"))
    assert "Meals" in said(home["blocks"])
    select, option = _option(home["blocks"], "quiet_from", "22")
    await world.hear(world.inbound.tap_home("U1", select, chosen=option))
    await world.until(lambda: _chosen(world.acme.home("U1")["blocks"], "quiet_from") == "22")
    stop = action(world.acme.home("U1")["blocks"], "watch_mute", "stop")
    await world.hear(world.inbound.tap_home("U1", stop))
    await world.until(lambda: "You watch nothing yet" in said(world.acme.home("U1")["blocks"]))


def _selects(blocks, target):
    for _, element in elements(blocks):
        if element["type"] == "static_select":
            values = [json.loads(option["value"]) for option in element["options"]]
            if values[0]["target"] == target:
                yield element


def _option(blocks, target, arg):
    [select] = _selects(blocks, target)
    [option] = [o["value"] for o in select["options"] if json.loads(o["value"])["arg"] == arg]
    return select["action_id"], option


def _chosen(blocks, target):
    [select] = _selects(blocks, target)
    return json.loads(select["initial_option"]["value"])["arg"]


async def test_a_command_typed_in_a_channel_is_acknowledged_there_in_private_and_answered_in_the_dm(world):
    reply = await world.hear(world.inbound.command("U1", "status", channel="C9"))
    assert "direct messages" in reply.text
    await world.card("U1", 0, "I remember 1 document")


async def test_a_tap_is_acknowledged_and_others_work_while_a_refresh_takes_its_time(world, monkeypatch):
    """Nothing waits for a refresh: neither its own acknowledgement nor what anybody else taps or asks."""
    await world.hear(world.inbound.message("U1", ASKED))
    await world.tap("U1", await world.card("U1", 0, "40 EUR"), "answer_save")
    await world.card("U1", 0, "Saved")
    await asyncio.to_thread(world.revise, 55)
    stale = await world.card("U1", 1, "55 EUR")
    begun, go = threading.Event(), threading.Event()
    refresh = app.Memory.refresh_answer

    def slow(self, *args):
        begun.set()
        assert go.wait(PATIENCE)
        return refresh(self, *args)

    monkeypatch.setattr(app.Memory, "refresh_answer", slow)
    await world.tap("U1", stale, "answer_refresh")
    await world.card("U1", 1, "Refreshing…")
    assert await asyncio.to_thread(begun.wait, PATIENCE)
    await world.hear(world.inbound.message("U1", "status"))
    await world.card("U1", 2, "I remember 1 document")
    await world.tap("U1", world.acme.cards("U1")[0], "watch_create")
    await world.card("U1", 0, "Watching")
    assert "Refreshing…" in said(world.acme.cards("U1")[1].blocks)
    go.set()
    await world.card("U1", 1, "A meal may cost 55 EUR at most.")


async def test_uninstalled_it_sends_nothing_keeps_everything_and_goes_on_when_let_in_again(world, settings, slack):
    await world.hear(world.inbound.message("U1", "watch meals"))
    await world.tap("U1", await world.card("U1", 0), "watch_create")
    await world.card("U1", 0, "Watching")
    world.acme.refusal = "account_inactive"
    await world.hear(world.inbound.uninstalled())
    await world.hear(world.inbound.tokens_revoked())
    await asyncio.to_thread(world.revise, 55)
    await world.until(lambda: any(row.state == "pending" for row in world.memory_rows(CardMessage)))
    assert len(world.acme.cards("U1")) == 1
    os.kill(os.getpid(), signal.SIGTERM)
    assert await world.process == 0
    world.acme.refusal = None
    async with running(settings, slack) as again:
        news = await again.card("U1", 1, "55 EUR")
        assert "Meals" in said(news.blocks)


async def test_not_ready_while_it_stops(world, monkeypatch):
    """Told to stop in the middle of a send it says so, finishes, and ends with 0."""
    world.acme.script("chat.postMessage", "silence")
    await world.hear(world.inbound.message("U1", "status"))
    await world.until(lambda: world.acme.calls("chat.postMessage"))
    os.kill(os.getpid(), signal.SIGTERM)
    async with aiohttp.ClientSession() as session:

        async def status():
            async with session.get(f"http://127.0.0.1:{world.settings.http.port}/readyz") as answer:
                return answer.status

        async with asyncio.timeout(PATIENCE):
            while await status() != 503:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    assert await world.process == 0
    [message] = world.memory_rows(CardMessage)
    assert message.state == "unknown", "nobody knows whether it arrived, and that is written down"


def test_no_line_of_code_writes_to_a_conversation_but_the_one_that_opened_it():
    """Posting and updating stand in one module each once, and where to comes from conversations.open alone."""
    root = Path(bot_package.__file__).parent
    writing = {"chat_postMessage", "chat_update", "chat_postEphemeral", "chat_scheduleMessage", "files_upload_v2",
               "files_upload", "chat_meMessage", "conversations_join", "api_call"}  # fmt: skip
    found = [
        (file.relative_to(root).as_posix(), node.attr)
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in writing
    ]
    allowed = [("channels/slack/channel.py", "chat_postMessage"), ("channels/slack/channel.py", "chat_update")]
    assert sorted(one for one in found if one[0] != "channels/slack/checks.py") == allowed
