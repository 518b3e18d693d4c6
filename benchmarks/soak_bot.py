"""The bot of `make soak`: the process as it is run, with a watch on its event loop and its memory.

Once a second it prints {"stall": ms, "work": ms, "rss": bytes}: the longest time in which the loop did nothing else,
the longest that it computed without a pause, whatever else the machine did, and what the process holds; in the end
{"sessions": n}, which it has left open. A refresh takes five seconds longer than it would, Slack is written to faster
than a real one allows, and a card in doubt is looked for after seconds.
"""

import asyncio
import gc
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import structlog

from bot.app import run
from bot.channels.slack import pace
from bot.config import Settings
from core.clock import SECOND
from core.memory import Memory
from core.outcomes import engine as outcomes

STEP = 0.01
REFRESH_SECS = 5


class SlowMemory(Memory):
    """Refreshing is what a large model would make of it."""

    def refresh_answer(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(REFRESH_SECS)
        return super().refresh_answer(*args, **kwargs)


def rss() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def watch() -> None:
    """Whatever a nap of ten milliseconds takes longer is a stall."""
    while True:
        stall, work, ends = 0.0, 0.0, time.perf_counter() + 1
        while (began := time.perf_counter()) < ends:
            worked = time.thread_time()
            await asyncio.sleep(STEP)
            stall = max(stall, time.perf_counter() - began - STEP)
            work = max(work, time.thread_time() - worked)
        print(json.dumps({"stall": stall * 1000, "work": work * 1000, "rss": rss()}), flush=True)


async def main(settings: Settings) -> int:
    watching = asyncio.create_task(watch())
    code = await run(settings)
    watching.cancel()
    left = sum(isinstance(one, aiohttp.ClientSession) and not one.closed for one in gc.get_objects())
    print(json.dumps({"sessions": left}), flush=True)
    return code


if __name__ == "__main__":
    pace.WORKSPACE_SECS, pace.CONVERSATION_SECS = 0.01, 0.1
    outcomes.LOOK_AFTER = 5 * SECOND
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    import bot.config

    bot.config.Memory = SlowMemory  # type: ignore[attr-defined]
    given = json.loads(sys.argv[1])
    for platform, secrets in json.loads(os.environ["SOAK_SECRETS"]).items():
        given[platform] |= secrets
    sys.exit(asyncio.run(main(Settings(**given))))
