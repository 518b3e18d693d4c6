"""Bots that can be killed at a chosen moment: this process forks one for each line it is given.

A line is {"url", "room", "offset", "kill_at"}, and "warm" to run it in this very process, so that what is forked after
it has imported and compiled everything. The bot opens that memory with a clock `offset` µs late, works until
nothing is due, and counts the moments it passes: before and after every commit, before and after every send. At the
moment numbered `kill_at` it kills itself with SIGKILL. The answer is {"killed"}, or {"points", "open"}: how many
moments it passed, and how much work is still under way.
"""

import asyncio
import json
import os
import signal
import sys
import traceback
from itertools import count
from typing import Any

import structlog
from sqlalchemy import and_, event, not_
from sqlmodel import Session, select

from core.clock import DAY, ManualClock
from core.jobs.kinds import JobKind
from core.memory import Memory
from core.model.card_states import CardState
from core.model.notices import Outgoing
from core.store.tables import CardMessage, Inbox, Job, NotifyDelivery
from tests.fakes.platform_channel import PLATFORM, PlatformChannel
from tests.support.bots import parts_over
from tests.support.memories import NOW, open_memory

IN_HAND = (CardState.PENDING, CardState.SENDING, CardState.FAILED, CardState.UNKNOWN)


class Moments:
    """Counts, and kills this process at the one it is told."""

    def __init__(self, kill_at: int | None) -> None:
        self._numbers = count(1)
        self._kill_at = kill_at
        self.passed = 0

    def __call__(self, *_: Any) -> None:
        self.passed = next(self._numbers)
        if self.passed == self._kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


class WatchedChannel(PlatformChannel):
    def __init__(self, room: str, moment: Moments) -> None:
        super().__init__(room)
        self._moment = moment

    async def send(self, card: Outgoing) -> Any:
        self._moment()
        outcome = await super().send(card)
        self._moment()
        return outcome

    async def update(self, card: Outgoing) -> Any:
        self._moment()
        outcome = await super().update(card)
        self._moment()
        return outcome


def work(url: str, room: str, offset: int, kill_at: int | None) -> dict[str, int]:
    clock = ManualClock(NOW + offset)
    memory = open_memory(url, clock, watch={"settle_secs": 0})
    moment = Moments(kill_at)
    event.listen(memory._database.engine, "commit", moment)
    event.listen(Session, "after_commit", moment)
    parts = parts_over(memory, {PLATFORM: WatchedChannel(room, moment)}, owner=str(os.getpid()))
    asyncio.run(parts.worker.settle())
    event.remove(Session, "after_commit", moment)
    left = open_work(memory, clock.now())
    parts.gateway.close()
    return {"points": moment.passed, "open": left}


def open_work(memory: Memory, now: int) -> int:
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


def forked(request: dict[str, Any]) -> dict[str, Any]:
    """Fork a bot and say what became of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, json.dumps(work(**request)).encode())
        except BaseException:  # noqa: BLE001  # whatever it is, the parent is told and this process must end here
            os.write(writing, json.dumps({"error": traceback.format_exc()[-2000:]}).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"killed": True} if killed else json.loads(said)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    return work(**request) if request.pop("warm", False) else forked(request)


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)
