"""`make soak`: a thousand cards and a thousand taps through a platform that refuses, limits and cuts as the real one.

This process is Slack or Teams and the people (`--platform`); the bot is a process of its own (`soak_bot`), as
`clarify-bot run` would start it, over a memory of its own. Everybody watches one page, which changes: each must get one
card. Where nobody knows whether a card is out it is not sent again, and the next change's card tells of both. Each then
taps [Mute], some twice within 30 ms; a few ask for a refresh, which takes five seconds. In the end no card is there
twice, none is lost, every card shows what its tap led to, and no call was made that is no direct message's.
"""

import argparse
import asyncio
import random
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from benchmarks.soak_process import Bot, Request, free_port
from benchmarks.soak_slack import slack_side
from benchmarks.soak_teams import teams_side
from bot import keys
from bot.channels.teams.events import PATIENCE_SECS
from bot.config import HttpSettings, Settings, open_memory
from core.config import AnswersConfig, WatchConfig
from core.memory import DEFAULT_TENANT, Memory
from core.model.node_ids import section_id
from core.model.watching import watch_on_section
from core.model.work import Place
from core.store.messages import FIRES
from core.store.tables import CardMessage, NotifyDelivery
from tests.support.memories import rows, source_id

URI, QUESTION = "handbook/meals.md", "What may a meal cost at most?"
OTHER_URI, OTHER_PAGE = "handbook/trains.md", b"# Trains\n\n## Booking\n\nTrains are booked four weeks ahead.\n"
OTHER_QUESTION = "When are trains booked?"
REFRESHES = 20
ACK_MS = 500.0
LIMITS = {
    "slowest acknowledgement, ms": ACK_MS,
    "slowest answer to a tap that is seen through, ms": PATIENCE_SECS * 1000 + ACK_MS,
    "longest stall of the bot's loop, ms": 100.0,
    "longest work of the loop without a pause, ms": 100.0,
    "memory grown, %": 5.0,
    "sessions left open": 0.0,
}


class Side(Protocol):
    """A platform, and the people on it, as the soak needs them."""

    name: str
    users: Sequence[str]
    secrets: dict[str, str]

    def settings(self) -> Any: ...
    def place(self, user: str) -> Place: ...
    def address(self, user: str) -> dict[str, Any] | None: ...
    def cards(self, user: str) -> list[str]: ...
    def words(self, user: str, text: str) -> Request: ...
    def tap(self, user: str, kind: str, arg: str = "") -> Request: ...
    def says(self, answer: bytes, /) -> str | None: ...
    def calm(self) -> None: ...
    def calls(self) -> Counter[str]: ...
    def wrong(self, ledger: Sequence[CardMessage], /) -> list[str]: ...


SIDES: dict[str, Callable[[int], AbstractContextManager[Any]]] = {"slack": slack_side, "teams": teams_side}


@dataclass
class Soak:
    """`memory`: the bot's. `given_up`: of each user, how many cards with news were. `wrong`: what was so on the way."""

    side: Side
    memory: Memory
    bot: Bot
    given_up: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def shows(self, user: str, words: str) -> bool:
        return any(words in card for card in self.side.cards(user))

    async def tap(self, user: str, kind: str, arg: str = "", *, outcome: str = "", twice: bool = False) -> None:
        """Tap a button; where the answer shows what that led to, it must say so."""
        request = self.side.tap(user, kind, arg)
        answers = [await self.bot.post(request)]
        if twice:
            await asyncio.sleep(0.03)
            answers.append(await self.bot.post(request))
        told = [self.side.says(answer) for answer in answers]
        self.wrong += [f"{user} was told of {kind}: {one}" for one in told if one is not None and outcome not in one]

    async def say(self, users: Iterable[str], words: str) -> None:
        for user in users:
            await self.bot.post(self.side.words(user, words))

    async def revise(self, amount: int) -> None:
        await asyncio.to_thread(self.memory.ingest, URI, page(amount), readers=["everyone"])

    async def keep_reading(self) -> None:
        while True:
            self.given_up = await asyncio.to_thread(self._given_up)
            await asyncio.sleep(1)

    def _given_up(self) -> Counter[str]:
        news = [row for row in self.ledger() if row.subject.startswith(FIRES)]
        return Counter(row.place["user_id"] for row in news if row.state in {"skipped", "parked"})

    def ledger(self) -> list[CardMessage]:
        return rows(self.memory, CardMessage)

    def unreachable(self) -> set[str]:
        places = self.memory.people.places(DEFAULT_TENANT)
        return {view.place.user_id for view in places if view.state != "bound"}


def page(amount: int) -> bytes:
    return f"# Meals\n\n## Limit\n\nA meal may cost {amount} EUR at most.\n".encode()


def prepare(folder: Path, side: Side) -> Settings:
    """A memory that everybody is bound to and watches, before anything has changed."""
    settings = Settings(
        database=f"sqlite:///{folder / 'soak.db'}",
        keys=folder / "keys",
        embedder="hashing",
        http=HttpSettings(port=free_port()),
        watch=WatchConfig(settle_secs=0, tick_secs=1, debounce_floor_secs=0, debounce_default_secs=5),
        answers=AnswersConfig(min_cosine=0.05),
        **{side.name: side.settings()},
    )
    keys.create(settings.keys)
    tenant = settings.tenant
    with open_memory(settings) as memory:
        memory.people.ensure_tenant(tenant, "Soak")
        memory.ingest(URI, page(40), readers=["everyone"])
        memory.ingest(OTHER_URI, OTHER_PAGE, readers=["everyone"])
        node = str(section_id(source_id(URI), ("Meals", "Limit"), 0))
        for user in side.users:
            person_id = memory.people.put(tenant, user)
            memory.people.bind(tenant, person_id, side.place(user))
            if address := side.address(user):
                memory.addresses.keep(tenant, side.place(user), address)
            person = memory.people.principal(tenant, person_id)
            memory.watch(watch_on_section(node, "Limit", person), person)
        memory.sweep(tenant)
    return settings


async def warmed(soak: Soak) -> None:
    """Some ask, of another page: what answering loads once is there before the process's memory is measured."""
    some = soak.side.users[:REFRESHES]
    await soak.say(some, OTHER_QUESTION)
    arrived: Callable[[str], bool] = lambda user: soak.shows(user, "four weeks ahead")  # noqa: E731
    await soak.bot.until(lambda: sum(map(arrived, some)) > REFRESHES // 2, "first answers arriving", 600)


async def told(soak: Soak) -> None:
    """The page changes, until everybody has a card about it; whoever has one mutes, and hears no more of it.

    Whoever is thought to have blocked the bot comes back by writing to it.
    """
    chosen, left = random.Random(2), set(soak.side.users)
    for times in count(1):
        await soak.revise(50 + times)

        def over(user: str, times: int = times) -> bool:
            return soak.shows(user, " EUR") or soak.given_up[user] >= times

        await soak.bot.until(lambda: all(map(over, left)), f"cards arriving, {len(left)} to go", 600)  # noqa: B023
        reached = sorted(user for user in left if soak.shows(user, " EUR"))
        await _muted(soak, reached, chosen)
        left -= set(reached)
        if not left:
            return
        await soak.say(sorted(left & await asyncio.to_thread(soak.unreachable)), "status")


async def _muted(soak: Soak, users: Sequence[str], chosen: random.Random) -> None:
    """They mute for a day, every tenth with a double click; the cards say so in the end."""
    places = asyncio.Semaphore(20)

    async def one(user: str) -> None:
        async with places:
            twice = chosen.random() < 0.1
            await soak.tap(user, "watch_mute", "1d", outcome="Muted for a day", twice=twice)

    await asyncio.gather(*map(one, users))
    await _until_all(soak, users, lambda user: soak.shows(user, "Muted for a day"), "outcomes showing")


async def refreshed(soak: Soak) -> None:
    """Some have saved an answer; it changes, and they ask for it anew while everything else goes on."""
    some = soak.side.users[:REFRESHES]
    soak.side.calm()
    last: Callable[[str], str] = lambda user: soak.side.cards(user)[-1]  # noqa: E731
    await soak.say(some, QUESTION)
    await _until_all(soak, some, lambda user: "answer_save" in last(user), "answers arriving")
    await asyncio.gather(*(soak.tap(user, "answer_save", outcome="Saved") for user in some))
    await _until_all(soak, some, lambda user: "Saved" in last(user), "answers saved")
    await soak.revise(70)
    await _until_all(soak, some, lambda user: "answer_refresh" in last(user), "answers stale")
    await asyncio.gather(*(soak.tap(user, "answer_refresh") for user in some))
    anew: Callable[[str], bool] = lambda user: "70 EUR" in last(user) and "Refreshed" in last(user)  # noqa: E731
    await _until_all(soak, some, anew, "answers refreshed")


async def _until_all(soak: Soak, users: Sequence[str], so: Callable[[str], bool], what: str) -> None:
    await soak.bot.until(lambda: all(map(so, users)), what, 600)


def verdict(soak: Soak) -> list[str]:
    """What was measured, and what is wrong."""
    ledger, figures = soak.ledger(), measured(soak.bot)
    cards = sum(len(soak.side.cards(user)) for user in soak.side.users)
    print(f"{soak.side.name}: {len(soak.side.users)} people, {cards} cards, {len(soak.bot.acks)} acknowledgements")
    print(f"calls of the bot: {dict(soak.side.calls())}; the ledger: {dict(Counter(row.state for row in ledger))}")
    for kind, times in (("acknowledged", sorted(soak.bot.acks)), ("seen through", sorted(soak.bot.waits))):
        if times:
            print(
                f"{kind} in {times[len(times) // 2]:.0f} ms (half), {times[int(len(times) * 0.95)]:.0f} ms (19 of 20)"
            )
    for name, value in figures.items():
        print(f"{name}: {value:.1f} (at most {LIMITS[name]:g}: {'ok' if value <= LIMITS[name] else 'MISSED'})")
    missed = [name for name, value in figures.items() if value > LIMITS[name]]
    return [*missed, *soak.wrong, *untold(soak), *soak.side.wrong(ledger)]


def measured(bot: Bot) -> dict[str, float]:
    seconds = [line for line in bot.lines if "rss" in line]
    warm = [line["rss"] for line in seconds[len(seconds) // 3 :]]
    first, last = max(warm[: len(warm) // 4]), min(warm[-len(warm) // 4 :])
    figures = {
        "slowest acknowledgement, ms": max(bot.acks),
        "longest stall of the bot's loop, ms": max(line["stall"] for line in seconds),
        "longest work of the loop without a pause, ms": max(line["work"] for line in seconds),
        "memory grown, %": max(0.0, (last / first - 1) * 100),
        "sessions left open": bot.lines[-1].get("sessions", -1.0),
    }
    return figures | ({"slowest answer to a tap that is seen through, ms": max(bot.waits)} if bot.waits else {})


def untold(soak: Soak) -> list[str]:
    """What is neither told, nor seen already, nor waits for the end of a mute or for the next card."""
    news, now = rows(soak.memory, NotifyDelivery), soak.memory.clock.now()
    ends = Counter((row.state, row.reason or "", row.not_before > now) for row in news)
    print(f"{len(news)} pieces of news: {dict(Counter(row.state for row in news))}")
    return [f"untold: {times} {end}" for end, times in ends.items() if not _is_well(*end)]


def _is_well(state: str, reason: str, waits: bool) -> bool:
    return state in {"sent", "carried"} or reason == "no_net_change" or (state == "pending" and waits)


@asynccontextmanager
async def background(work: Awaitable[None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    yield
    task.cancel()


async def run(platform: str, people: int) -> list[str]:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        side = stack.enter_context(SIDES[platform](people))
        settings = prepare(folder, side)
        bot = await Bot.start(settings, {side.name: side.secrets}, stack)
        soak = Soak(side, stack.enter_context(open_memory(settings)), bot)
        async with background(soak.keep_reading()):
            await warmed(soak)
            await told(soak)
            await refreshed(soak)
        code = await soak.bot.stop()
        return [*verdict(soak), *([f"the bot ended with {code}"] if code else [])]


def main() -> None:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__)
    parser.add_argument("--people", type=int, default=1000, help="how many cards, and how many taps")
    parser.add_argument("--platform", choices=[*SIDES], action="append", help="which; by default each in turn")
    asked = parser.parse_args()
    wrong = [line for platform in asked.platform or SIDES for line in asyncio.run(run(platform, asked.people))]
    for line in wrong:
        print(f"wrong: {line}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
