"""From a change to the card in the platform's hands, for each of a thousand people who watch the same section.

The time to settle is set to nothing, and the platform answers at once; what is left is what the bot itself takes.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from statistics import quantiles

import structlog

from benchmarks.support import KEY, KEY_ID, Bench, Line, document, opened, progress
from bot.actions import Signer
from bot.channels.base import Absent, Profile, Sent
from bot.memory_gateway import MemoryGateway
from bot.parts import wire
from core.clock import MINUTE
from core.config import MemoryConfig
from core.memory import DEFAULT_TENANT
from core.model.notices import Outgoing
from core.model.watching import watch_on_section
from core.model.work import Place
from core.watch.config import WatchConfig

QUICK = {"people": 100}
EDITED = 3


class Platform:
    """Takes every card, and the time at which it came."""

    def __init__(self) -> None:
        self.taken: list[float] = []
        self._refs = map(str, count())

    async def send(self, _: Outgoing) -> Sent:
        self.taken.append(time.perf_counter())
        return Sent(next(self._refs))

    async def update(self, card: Outgoing) -> Sent:
        return Sent(card.message_ref or "")

    async def find_sent(self, _: Outgoing) -> Absent:
        return Absent()

    async def profile(self, *_: str) -> Profile | None:
        return None


def run(people: int = 1_000) -> list[Line]:
    progress(f"news: {people:,} watchers")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with opened(config=MemoryConfig(watch=WatchConfig(settle_secs=0))) as bench:
        _set_up(bench, people)
        bench.put("handbook.md", document(10, edited=EDITED))
        took = asyncio.run(_told(bench))
    assert len(took) == people, f"{len(took):,} cards for {people:,} people"
    median, late = quantiles(took, n=20)[9], quantiles(took, n=20)[18]
    note = f"of {people:,} cards; {people / took[-1]:,.0f} cards a second"
    return [("ms from change to card, p50", median * 1e3, note), ("ms from change to card, p95", late * 1e3, note)]


def _set_up(bench: Bench, people: int) -> None:
    bench.put("handbook.md", document(10))
    bench.memory.sweep()
    target = next(found for found in bench.memory.find_sections(_heading(), bench.person)).node_id
    for number in range(people):
        person_id = bench.memory.people.put(DEFAULT_TENANT, f"Person {number}")
        bench.memory.people.bind(DEFAULT_TENANT, person_id, Place("bench", "bench", str(number)))
        person = bench.memory.people.principal(DEFAULT_TENANT, person_id)
        bench.memory.watch(watch_on_section(str(target), "The section", person), person)
    bench.clock.advance(MINUTE)


def _heading() -> str:
    """Of the section that is edited."""
    return document(10).decode().split("\n\n")[1 + 2 * EDITED].removeprefix("## ")


async def _told(bench: Bench) -> Sequence[float]:
    """Seconds from now to each card, in the order in which they came."""
    platform, gateway = Platform(), MemoryGateway(bench.memory)
    signer = partial(Signer, KEY_ID, KEY)
    parts = wire(gateway, {"bench": platform}, signer, DEFAULT_TENANT, Path("no keys"))
    start = time.perf_counter()
    await parts.worker.settle()
    gateway.close()
    return [at - start for at in platform.taken]
