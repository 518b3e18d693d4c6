"""The main job, played through on the sample handbook: ingest → ask → save → watch → revision → sweep → cards."""

import asyncio
import json
import shutil
import socket
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from bot import keys
from bot.app import Bot, signer_of
from bot.channels.inbox.backend import PersonKey, Tap
from bot.channels.inbox.server import ListenError
from bot.channels.local import place_of
from bot.config import InboxSettings, Settings, open_memory
from bot.sample import pages, questions
from cards.actions import Button
from cards.codec import from_json
from cards.model import Card, Rows
from cards.plain import to_plain
from core.config import AnswersConfig, WatchConfig
from core.ids import nonce, random_key

FOLDER = Path(".demo")
TENANT, SOURCE_SET = "default", "handbook"
_ASKED = ("parental-leave", "lost-laptop", "hotel-zurich", "sabbatical", "card-refund")
_SAVED = ("parental-leave", "sabbatical", "card-refund")
_WATCHED = ("hotel-zurich",)

_NEAR = 0.5
"""The sample's own questions come nearer than this to their answers; on one so small, what is further is elsewhere."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """A card that lies in the demo person's inbox."""

    title: str
    text: str


class Demo:
    def __init__(self, bot: Bot, person_id: UUID, say: Say) -> None:
        self.bot = bot
        self._memory = bot.gateway.memory
        self.person = PersonKey(TENANT, person_id)
        self._say = say

    async def begin(self) -> None:
        """The handbook as it was: read, asked, saved and watched."""
        self._say("Reading the handbook of Saltmeadow, first revision…")
        await self._ingest("first")
        asked = {question.id: question.question for question in questions()}
        for name in _ASKED:
            self._say(f"Asking: {asked[name]}")
            await self.bot.inbox.ask(self.person, name, asked[name])
            await self.bot.worker.settle()
            await self._tap_answer(name)

    async def revise(self) -> None:
        """The handbook changes: pages are edited, and one is removed."""
        self._say("The handbook changes: second revision…")
        await self._ingest("second")
        for gone in pages("first").keys() - pages("second").keys():
            await self.bot.gateway.at_length(self._memory.remove, f"{SOURCE_SET}/{gone}", tenant=TENANT)

    async def play(self) -> list[Shown]:
        """The whole story; the cards that the revision brought."""
        await self.begin()
        before = len(await self._cards())
        await self.revise()
        await self.bot.worker.settle()
        return [Shown(card.fallback_text, to_plain(card)) for card in (await self._cards())[before:]]

    async def _ingest(self, revision: Any) -> None:
        for name, data in pages(revision).items():
            await self.bot.gateway.at_length(
                self._memory.ingest,
                f"{SOURCE_SET}/{name}",
                data,
                readers=["everyone"],
                tenant=TENANT,
                source_set=SOURCE_SET,
            )

    async def _tap_answer(self, name: str) -> None:
        wanted = [kind for kind, names in (("answer_save", _SAVED), ("watch_create", _WATCHED)) if name in names]
        for kind in wanted:
            button = next(b for b in _buttons((await self._cards())[-1]) if b.kind == kind)
            self._say(f"  tapping [{button.label}]")
            tap = Tap(nonce(), "", button.nonce, button.kind, button.target, button.arg)
            await self.bot.inbox.tap(self.person, tap)
            await self.bot.worker.settle()

    async def _cards(self) -> list[Card]:
        history, _ = await self.bot.gateway.call(self._memory.local.history, TENANT, self.person.person_id)
        return [from_json(view.body["card"]) for view in history if view.author == "bot"]


def _buttons(card: Card) -> list[Button]:
    inside = [
        action for block in card.blocks if isinstance(block, Rows) for row in block.rows for action in row.buttons
    ]
    return [action for action in (*inside, *card.actions) if isinstance(action, Button)]


def demo_settings(folder: Path, port: int) -> Settings:
    """Settings of a throw-away memory; nothing settles, so that the cards come at once."""
    return Settings(
        database=f"sqlite:///{folder / 'demo.db'}",
        keys=folder / "keys",
        company="Saltmeadow",
        inbox=InboxSettings(enabled=True, port=port),
        watch=WatchConfig(settle_secs=0),
        answers=AnswersConfig(min_cosine=_NEAR),
    )


def make_demo(folder: Path, port: int, say: Say) -> Demo:
    """A fresh memory with one person; what a demo left in `folder` before is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    settings = demo_settings(folder, port)
    keys.create(settings.keys)
    memory = open_memory(settings)
    memory.people.ensure_tenant(TENANT, settings.company)
    person_id = memory.people.put(TENANT, "Robin", zone="Europe/Berlin")
    memory.people.bind(TENANT, person_id, place_of(person_id))
    suggestions = tuple(question.question for question in questions()[:3])
    return Demo(Bot(settings, memory, signer_of(settings.keys), suggestions), person_id, say)


async def demo(*, once: bool, as_json: bool, say: Say, port: int = 8081, folder: Path = FOLDER) -> int:
    """Play the demo; then serve the inbox until interrupted, unless `once`. The exit code: 1 when no card came."""
    if not once:
        _check_free(port)  # before the demo that may be running there loses its folder
    story = make_demo(folder, port, say)
    bot = story.bot
    async with AsyncExitStack() as stack:
        stack.callback(bot.gateway.close)
        arrived = await story.play()
        _report(arrived, as_json=as_json, say=say)
        if not arrived:
            return 1
        if not once:
            await _serve(bot, story.person, stack, say)
    return 0


def _report(arrived: Sequence[Shown], *, as_json: bool, say: Say) -> None:
    if as_json:
        print(json.dumps({"cards": [{"title": card.title, "text": card.text} for card in arrived]}))  # noqa: T201
        return
    say(f"\n{len(arrived)} cards arrived:\n")
    for card in arrived:
        say(card.text + "\n")


def _check_free(port: int) -> None:
    """Raises ListenError when another program has the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise ListenError(
                f"port {port} cannot be had ({error.strerror}): stop what has it, or name another with --port"
            ) from error


async def _serve(bot: Bot, person: PersonKey, stack: AsyncExitStack, say: Say) -> None:
    server = bot.inbox_server(random_key())
    await server.start()
    stack.push_async_callback(server.stop)
    work = asyncio.create_task(bot.worker.run(bot.settings.watch.tick_secs))
    stack.callback(work.cancel)
    say(f"The inbox: {server.link_for(person)}\nIt opens once. Press Ctrl-C to stop.")
    await asyncio.Event().wait()
