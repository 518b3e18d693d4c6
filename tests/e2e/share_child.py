"""One of several processes on one database: `holds` leases jobs and does nothing with them, `works` is a bot.

It says `ready`, waits for a line, begins, and works until its input ends.
"""

import asyncio
import os
import sys

from core.clock import SystemClock
from core.jobs.kinds import Audience, JobKind
from core.memory import Memory
from tests.fakes.platform_channel import PLATFORM, PlatformChannel
from tests.support.bots import parts_over
from tests.support.memories import open_memory

LEASE_SECS = 5
TICK_SECS = 0.5
HELD = 4


def say(word: str) -> None:
    print(word, flush=True)


def open_shared(url: str) -> Memory:
    return open_memory(url, SystemClock(), watch={"settle_secs": 0, "lease_secs": LEASE_SECS})


def hold(memory: Memory) -> None:
    leased = memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WATCH], "killed", HELD)
    say(f"holds {len(leased)}")
    sys.stdin.read()


async def work(memory: Memory, room: str) -> None:
    parts = parts_over(memory, {PLATFORM: PlatformChannel(room)}, owner=str(os.getpid()))
    running = asyncio.create_task(parts.worker.run(TICK_SECS))
    await asyncio.to_thread(sys.stdin.read)
    parts.worker.stop()
    await running
    parts.gateway.stop()


def main(what: str, url: str, room: str) -> None:
    memory = open_shared(url)
    say("ready")
    sys.stdin.readline()
    if what == "holds":
        hold(memory)
    else:
        asyncio.run(work(memory, room))
    memory.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
