"""`make soak`: a thousand cards and a thousand taps through a Slack that refuses, limits and cuts as the real one does.

This process is Slack and the people; the bot is a process of its own (`benchmarks/soak_bot.py`), as `clarify-bot run`
would start it, over a memory of its own. Everybody watches one page, which changes: each must get one card. Each then
taps [Mute], some twice within 30 ms; a few ask for a refresh, which takes five seconds. In the end no card is there
twice, none is lost, every card shows what its tap led to, and no call was made that is no direct message's.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from benchmarks.support import progress
from bot import keys
from bot.config import HttpSettings, Settings, SlackSettings, open_memory
from core.config import AnswersConfig, WatchConfig
from core.model.node_ids import section_id
from core.model.watching import watch_on_section
from core.model.work import Place
from tests.fakes.slack import FakeSlack, fake_slack
from tests.fakes.slack_inbound import Inbound, SlackRequest, sign
from tests.fakes.slack_world import Message, Workspace
from tests.support.memories import source_id

TEAM, URI, QUESTION = "T1", "handbook/meals.md", "What may a meal cost at most?"
FAULTS = (*("ratelimited:1",) * 5, "cut", "cut-stored", "500-stored")
"""5 % limited, 2 % cut, 1 % 500: at a rate of 8 % over the calls that write."""
FAULT_RATE = 0.08
REFRESHES = 20
LIMITS = {"slowest acknowledgement, ms": 500.0, "longest stall of the bot's loop, ms": 100.0, "memory grown, %": 5.0}


@dataclass
class Soak:
    slack: FakeSlack
    workspace: Workspace
    address: str
    people: Sequence[str]
    session: aiohttp.ClientSession
    bot: asyncio.subprocess.Process
    acks: list[float] = field(default_factory=list)

    async def deliver(self, request: SlackRequest) -> None:
        """Post what Slack would, and note how long the answer took."""
        body = request.body
        headers = sign(self.slack, body) | {"Content-Type": request.content_type}
        began = time.perf_counter()
        async with self.session.post(self.address, data=body.encode(), headers=headers) as answer:
            assert answer.status == 200, (answer.status, await answer.text())
        self.acks.append((time.perf_counter() - began) * 1000)

    def cards(self, user: str) -> list[Message]:
        return self.workspace.cards(user)

    def tap(self, user: str, kind: str, arg: str = "") -> SlackRequest:
        """A tap on the last card that has such a button."""
        for card in reversed(self.cards(user)):
            for element in _buttons(card.blocks):
                value = json.loads(element["value"])
                if (value["kind"], value.get("arg", "")) == (kind, arg):
                    return Inbound(self.slack, TEAM).tap(user, card, element["action_id"])
        raise AssertionError(f"{user} has no card with {kind} {arg}")


def _buttons(blocks: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for block in blocks:
        held = [*block.get("elements", ()), *([block["accessory"]] if "accessory" in block else ())]
        yield from (element for element in held if element.get("type") == "button" and "value" in element)


def page(amount: int) -> bytes:
    return f"# Meals\n\n## Limit\n\nA meal may cost {amount} EUR at most.\n".encode()


def prepare(folder: Path, slack: FakeSlack, people: Sequence[str], port: int) -> Settings:
    """A memory that everybody is bound to and watches, before anything has changed."""
    settings = Settings(
        database=f"sqlite:///{folder / 'soak.db'}",
        keys=folder / "keys",
        embedder="hashing",
        http=HttpSettings(port=port),
        watch=WatchConfig(settle_secs=0, tick_secs=1),
        answers=AnswersConfig(min_cosine=0.05),
        slack=SlackSettings(
            mode="http",
            api_url=slack.url,
            public_url="https://bot.example.com",
            bot_token=slack.workspace(TEAM).token,
            signing_secret=slack.signing_secret,
        ),
    )
    keys.create(settings.keys)
    with open_memory(settings) as memory:
        memory.people.ensure_tenant(settings.tenant, "Soak")
        memory.ingest(URI, page(40), readers=["everyone"])
        node = str(section_id(source_id(URI), ("Meals", "Limit"), 0))
        for user in people:
            person_id = memory.people.put(settings.tenant, user)
            memory.people.bind(settings.tenant, person_id, Place("slack", TEAM, user))
            memory.watch(watch_on_section(node, "Limit", memory.people.principal(settings.tenant, person_id)),
                         memory.people.principal(settings.tenant, person_id))  # fmt: skip
        memory.sweep(settings.tenant)
    return settings


async def until(bot: asyncio.subprocess.Process, so: Callable[[], bool], what: str, within: float) -> None:
    ends, shown = time.monotonic() + within, 0.0
    while not so():
        if bot.returncode is not None:
            raise AssertionError(f"the bot ended with {bot.returncode}: {what}")
        if time.monotonic() > ends:
            raise AssertionError(f"not within {within:.0f} s: {what}")
        if time.monotonic() - shown > 5:
            progress(what)
            shown = time.monotonic()
        await asyncio.sleep(0.2)


async def told(soak: Soak) -> None:
    """The page changes, and everybody hears of it once."""
    await until(soak.bot, lambda: all(soak.cards(user) for user in soak.people), "cards arriving", 600)


async def tapped(soak: Soak) -> None:
    """Everybody mutes for a day, every tenth with a double click; the cards say so in the end."""
    chosen = random.Random(2)
    places = asyncio.Semaphore(20)

    async def one(user: str) -> None:
        async with places:
            request = soak.tap(user, "watch_mute", "1d")
            await soak.deliver(request)
            if chosen.random() < 0.1:
                await asyncio.sleep(0.03)
                await soak.deliver(request)

    await asyncio.gather(*map(one, soak.people))
    muted = lambda user: "Muted for a day" in json.dumps(soak.cards(user)[0].blocks)  # noqa: E731
    await until(soak.bot, lambda: all(map(muted, soak.people)), "outcomes showing", 600)


async def refreshed(soak: Soak, database: Callable[[int], None]) -> None:
    """Some have saved an answer; it changes, and they ask for it anew while everything else goes on."""
    some = soak.people[:REFRESHES]
    for user in some:
        await soak.deliver(Inbound(soak.slack, TEAM).message(user, QUESTION))
    await until(soak.bot, lambda: all(len(soak.cards(user)) == 2 for user in some), "answers arriving", 300)
    for user in some:
        await soak.deliver(soak.tap(user, "answer_save"))
    saved = lambda user: "Saved" in json.dumps(soak.cards(user)[-1].blocks)  # noqa: E731
    await until(soak.bot, lambda: all(map(saved, some)), "answers saved", 300)
    database(70)
    await until(soak.bot, lambda: all(len(soak.cards(user)) == 3 for user in some), "answers stale", 300)
    for user in some:
        await soak.deliver(soak.tap(user, "answer_refresh"))

    def anew(user: str) -> bool:
        shown = json.dumps(soak.cards(user)[-1].blocks)
        return "70 EUR" in shown and "Refreshed" in shown

    await until(soak.bot, lambda: all(map(anew, some)), "answers refreshed", 600)


def verdict(soak: Soak, lines: Sequence[dict[str, float]], people: int) -> list[str]:
    """What was measured, and what is wrong."""
    keys_of = [card.metadata["event_payload"]["key"] for user in soak.people for card in soak.cards(user)]
    twice = [key for key, times in Counter(keys_of).items() if times > 1]
    warm = [line["rss"] for line in lines[len(lines) // 3 :]]
    first, last = max(warm[: len(warm) // 4]), min(warm[-len(warm) // 4 :])
    acks = sorted(soak.acks)
    figures = {
        "slowest acknowledgement, ms": acks[-1],
        "longest stall of the bot's loop, ms": max(line["stall"] for line in lines),
        "memory grown, %": max(0.0, (last / first - 1) * 100),
    }
    calls = Counter(call.method for call in soak.workspace.received)
    print(f"{people} people, {len(keys_of)} cards, {len(acks)} requests of Slack's; calls of the bot: {dict(calls)}")
    print(f"acknowledged in {acks[len(acks) // 2]:.0f} ms (half), {acks[int(len(acks) * 0.95)]:.0f} ms (19 of 20)")
    for name, value in figures.items():
        print(f"{name}: {value:.1f} (at most {LIMITS[name]:g}: {'ok' if value <= LIMITS[name] else 'MISSED'})")
    wrong = [name for name, value in figures.items() if value > LIMITS[name]]
    return [*wrong, *(f"sent twice: {key}" for key in twice), *soak.slack.violations]


async def run(people: int) -> list[str]:
    users = [f"U{number}" for number in range(people)]
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        slack = stack.enter_context(fake_slack())
        workspace = slack.add_workspace(TEAM)
        for user in users:
            workspace.add_user(user, user)
        for method in ("chat.postMessage", "chat.update"):
            workspace.faults.at_random(method, FAULT_RATE, FAULTS, seed=1)
        port = _free_port()
        settings = prepare(folder, slack, users, port)
        lines: list[dict[str, float]] = []
        bot = await _start_bot(settings, stack)
        reading = asyncio.create_task(_read(bot, lines))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        soak = Soak(slack, workspace, f"http://127.0.0.1:{port}/slack/events", users, session, bot)
        await until(bot, lambda: bool(lines), "the bot starting", 60)

        def revise(amount: int) -> None:
            with open_memory(settings) as memory:
                memory.ingest(URI, page(amount), readers=["everyone"])

        await asyncio.to_thread(revise, 55)
        await told(soak)
        await tapped(soak)
        await refreshed(soak, revise)
        bot.terminate()
        code = await asyncio.wait_for(bot.wait(), 20)
        await reading
        wrong = verdict(soak, lines, people)
        return [*wrong, *([f"the bot ended with {code}"] if code else [])]


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _start_bot(settings: Settings, stack: AsyncExitStack) -> asyncio.subprocess.Process:
    secrets = {
        "CLARIFY_SLACK__BOT_TOKEN": settings.slack.bot_token.get_secret_value(),
        "CLARIFY_SLACK__SIGNING_SECRET": settings.slack.signing_secret.get_secret_value(),
    }
    import os

    bot = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.soak_bot",
        settings.model_dump_json(exclude={"slack": {"bot_token", "signing_secret", "app_token"}}),
        stdout=asyncio.subprocess.PIPE,
        env=os.environ | secrets,
    )
    stack.callback(lambda: bot.returncode is None and bot.kill())
    return bot


async def _read(bot: asyncio.subprocess.Process, lines: list[dict[str, float]]) -> None:
    assert bot.stdout is not None
    async for line in bot.stdout:
        lines.append(json.loads(line))  # noqa: PERF401  # read while it is written


def main() -> None:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--people", type=int, default=1000, help="how many cards, and how many taps")
    asked = parser.parse_args()
    wrong = asyncio.run(run(asked.people))
    for line in wrong:
        print(f"wrong: {line}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
