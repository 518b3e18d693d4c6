"""A bot's life: it opens a memory, works until nothing is due, and something may happen to it at one of its moments.

Its moments are after every commit, and after every send and update in place that the platform has answered: at each a
kill leaves something else behind. Before them it leaves what the moment before did, and the one after the commit of a
lease is the one before the send. `both_sides` counts those all the same.
"""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from sqlalchemy import and_, event, not_
from sqlmodel import Session, select

from bot.channels.base import SendOutcome
from core.clock import DAY, ManualClock
from core.jobs.kinds import JobKind
from core.memory import Memory
from core.model.card_states import CardState
from core.model.notices import Outgoing
from core.store.tables import CardMessage, Inbox, Job, NotifyDelivery
from tests.fakes.platform_channel import CHANNELS, PLATFORM
from tests.support.bots import parts_over
from tests.support.memories import NOW, open_memory

SETTINGS: dict[str, Any] = {"watch": {"settle_secs": 0}}
IN_HAND = (CardState.PENDING, CardState.SENDING, CardState.FAILED, CardState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Life:
    """`offset`: how late its clock is at the start, µs. `at`: the moment at which something happens, from 1 on.

    `history`: what the platform can tell of what it has accepted: "kept", "unread" just now, or "none" there is.
    """

    url: str
    room: str
    offset: int = 0
    at: int | None = None
    history: str = "kept"
    both_sides: bool = False


@dataclass(frozen=True, slots=True)
class Lived:
    """`open`: how much work is still under way."""

    moments: int
    open: int


class Moments:
    """Counts, and lets something happen at the one it is told."""

    def __init__(self, at: int | None, happens: Callable[[], object]) -> None:
        self._numbers = count(1)
        self._at = at
        self._happens = happens
        self.passed = 0

    def __call__(self, *_: Any) -> None:
        self.passed = next(self._numbers)
        if self.passed == self._at:
            self._happens()


class WatchedChannel:
    def __init__(self, life: Life, moment: Moments, before_send: Callable[[], object]) -> None:
        self._channel = CHANNELS[life.history](life.room)
        self._before: Callable[[], object] = moment if life.both_sides else lambda: None
        self._before_send = before_send
        self._after = moment
        self.find_sent = self._channel.find_sent
        self.profile = self._channel.profile

    async def send(self, card: Outgoing) -> SendOutcome:
        self._before_send()
        self._before()
        outcome = await self._channel.send(card)
        self._after()
        return outcome

    async def update(self, card: Outgoing) -> SendOutcome:
        self._before()
        outcome = await self._channel.update(card)
        self._after()
        return outcome


def _nothing() -> None: ...


def live(
    life: Life,
    clock: ManualClock,
    happens: Callable[[], object] = _nothing,
    before_send: Callable[[], object] = _nothing,
) -> Lived:
    """`happens`: at the life's moment. `before_send`: each time that it is about to send."""
    memory = open_memory(life.url, clock, **SETTINGS)
    moment = Moments(life.at, happens)
    parts = parts_over(
        memory, {PLATFORM: WatchedChannel(life, moment, before_send)}, owner=f"{os.getpid()} {id(moment)}"
    )
    with _commits(memory, moment, both_sides=life.both_sides):
        asyncio.run(parts.worker.settle())
    left = _open_work(memory, clock.now())
    parts.gateway.close()
    return Lived(moment.passed, left)


def restarted(life: Life) -> Lived:
    """A life to which nothing happens."""
    return live(life, ManualClock(NOW + life.offset))


@contextmanager
def _commits(memory: Memory, moment: Moments, *, both_sides: bool) -> Iterator[None]:
    """Let every commit of this memory be a moment, and none of another memory in this process."""
    engine = memory._database.engine

    def committed(session: Session) -> None:
        if session.get_bind().engine.pool is engine.pool:
            moment()

    event.listen(Session, "after_commit", committed)
    if both_sides:
        event.listen(engine, "commit", moment)
    yield
    event.remove(Session, "after_commit", committed)


def _open_work(memory: Memory, now: int) -> int:
    """What is not at its end and will be due within the day, but for the look at each answer once a week."""
    ahead = and_(Job.kind == JobKind.CHECK_ANSWER, Job.not_before > now)
    chosen = (
        select(CardMessage).where(CardMessage.state.in_(IN_HAND)),
        select(Job).where(Job.state.in_(("ready", "leased")), Job.not_before < now + DAY, not_(ahead)),
        select(Inbox).where(Inbox.state.in_(("ready", "running"))),
        select(NotifyDelivery).where(NotifyDelivery.state == "pending"),
    )
    with memory._database.read("") as tx:
        return sum(len(tx.session.exec(rows).all()) for rows in chosen)
