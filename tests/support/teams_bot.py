"""A whole bot in Teams: the process as it runs, over a Bot Connector and an Entra of the test's own."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr

from bot import app, keys
from bot.channels.settings import TeamsSettings
from bot.config import HttpSettings, Settings, open_memory
from core.clock import SystemClock
from core.config import AnswersConfig, WatchConfig
from tests.fakes.teams_connector import SECRET, FakeConnector
from tests.fakes.teams_openid import APP_ID, TENANT_ID, FakeOpenId, TeamsRequest, message, teams_request
from tests.fakes.teams_world import Message, User
from tests.support.memories import page, rows

Json = dict[str, Any]
PATIENCE = 30
_numbers = count(1_600_000_000_000)


def handbook(meals: int) -> bytes:
    return page("Travel", {"Meals": f"A meal may cost {meals} EUR at most."})


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


def teams_settings(teams: FakeConnector, openid: FakeOpenId, **more: Any) -> TeamsSettings:
    """As for a bot that an admin has set up."""
    given = {"mode": "on", "trusted": True, "app_id": APP_ID, "tenant_id": TENANT_ID, "openid_url": openid.url}
    return TeamsSettings(**given | {"login_url": teams.login_url, "app_password": SecretStr(SECRET)} | more)


def set_up(folder: Path, database: str, **more: Any) -> Settings:
    """Settings, keys and a memory with one page of the handbook, in which Ada is known by her address."""
    keys.create(folder / "keys")
    made = Settings(
        database=database,
        keys=folder / "keys",
        embedder="hashing",
        http=HttpSettings(port=free_port()),
        watch=WatchConfig(settle_secs=0, tick_secs=1),
        answers=AnswersConfig(min_cosine=0.05),
        **more,
    )
    with open_memory(made) as memory:
        memory.people.ensure_tenant("default", "Default")
        memory.people.put("default", "Ada", email="Ada@acme.example")
        memory.ingest("travel.md", handbook(40), readers=["everyone"])
    return made


def activity_of(teams: FakeConnector, user: User, **more: Any) -> Json:
    """Something that a user does in their chat with the bot."""
    sender = {"id": user.teams_id, "name": user.name, "aadObjectId": user.user_id}
    conversation = {"conversationType": "personal", "tenantId": TENANT_ID, "id": teams.world.chat(user)}
    told = {"id": str(next(_numbers)), "serviceUrl": teams.service_url, "from": sender}
    return message() | told | {"conversation": conversation} | more


def tapping(teams: FakeConnector, user: User, card: Message, execute: Json, inputs: Mapping[str, str] = {}) -> Json:
    """A tap on this button of a card, with what the card's inputs hold."""
    action = {"type": "Action.Execute", "verb": execute["verb"], "data": {**execute["data"], **inputs}}
    value = {"action": action, "trigger": "manual"}
    invoke = {"type": "invoke", "name": "adaptiveCard/action", "value": value, "replyToId": card.activity_id}
    return activity_of(teams, user, **invoke)


def signed(teams: FakeConnector, activity: Mapping[str, Any]) -> TeamsRequest:
    """As Teams posts it."""
    claims, raw = {"serviceurl": teams.service_url}, json.dumps(activity).encode()
    return teams_request(SystemClock().now(), claims=claims, activity=raw)


@dataclass
class TeamsWorld:
    """What people in Teams do, and what they see."""

    settings: Settings
    teams: FakeConnector

    def activity(self, user: User, **more: Any) -> Json:
        return activity_of(self.teams, user, **more)

    async def hear(self, activity: Mapping[str, Any], status: int = 200) -> Json:
        """Post it as Teams does; what the bot answers in the body."""
        request = signed(self.teams, activity)
        url = f"http://127.0.0.1:{self.settings.http.port}/teams/messages"
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=request.body, headers=request.headers) as answer,
        ):
            assert answer.status == status, await answer.text()
            body = await answer.read()
        answered: Json = json.loads(body) if body else {}
        return answered

    async def write(self, user: User, text: str) -> Json:
        activity = self.activity(user, text=text)
        await self.hear(activity)
        return activity

    async def tap(self, user: User, card: Message, kind: str, arg: str | None = None) -> Json:
        """Tap the first button of a kind on a card; what Teams is answered."""
        return await self.tap_execute(user, card, button(card.card, kind, arg))

    async def tap_execute(self, user: User, card: Message, execute: Json, inputs: Mapping[str, str] = {}) -> Json:
        """Tap this button, with what the card's inputs hold."""
        return await self.hear(tapping(self.teams, user, card, execute, inputs))

    def cards(self, user: User) -> list[Message]:
        return self.teams.world.messages.get(user.conversation or "", [])

    async def card(self, user: User, number: int, words: str = "") -> Message:
        """The card of this number in a user's chat, once it is there and says these words."""

        def there() -> Message | None:
            cards = self.cards(user)
            return cards[number] if len(cards) > number and words in said(cards[number].card) else None

        return await until(there, f"no card {number} with {words!r} in {[said(c.card) for c in self.cards(user)]}")

    def revise(self, meals: int) -> None:
        with open_memory(self.settings) as memory:
            memory.ingest("travel.md", handbook(meals), readers=["everyone"])

    def memory_rows(self, table: type[Any]) -> list[Any]:
        with open_memory(self.settings) as memory:
            return rows(memory, table)


async def until(so: Callable[[], Any], what: str = "") -> Any:
    try:
        async with asyncio.timeout(PATIENCE):
            while not (found := so()):  # noqa: ASYNC110  # another process's doing tells nobody
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(what) from None
    return found


@asynccontextmanager
async def running(settings: Settings, *connected: str) -> AsyncIterator[asyncio.Task[int]]:
    """The bot, once it listens and is let into these platforms; it is told to stop in the end, and must end with 0."""
    process = asyncio.create_task(app.run(settings))
    try:
        await until(lambda: process.done() or _listens(settings.http.port))
        await until(lambda: process.done() or set(connected) <= _let_in(settings))
        yield process
    finally:
        if not process.done():
            os.kill(os.getpid(), signal.SIGTERM)
        assert await process == 0


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _let_in(settings: Settings) -> set[str]:
    with open_memory(settings) as memory:
        return {one.platform for one in memory.workspaces.all("default") if not one.paused}


def said(card: Mapping[str, Any]) -> str:
    return json.dumps(card, ensure_ascii=False)


def executes(card: Any) -> Iterator[Json]:
    """Every Action.Execute of a card, those that a first tap opens too."""
    return _of_type(card, "Action.Execute")


def shows(card: Any) -> Iterator[Json]:
    """Every Action.ShowCard of a card."""
    return _of_type(card, "Action.ShowCard")


def _of_type(element: Any, kind: str) -> Iterator[Json]:
    if isinstance(element, dict):
        if element.get("type") == kind:
            yield element
        element = list(element.values())
    for inner in element if isinstance(element, list) else ():
        yield from _of_type(inner, kind)


def button(card: Mapping[str, Any], kind: str, arg: str | None = None) -> Json:
    for execute in executes(dict(card)):
        if execute["verb"] == kind and arg in {None, execute["data"].get("arg")}:
            return execute
    raise AssertionError(f"no {kind} {arg} in {said(card)}")
