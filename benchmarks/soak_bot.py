"""The bot of `make soak`: the process as it is run, with a watch on its event loop and its memory.

Once a second it prints {"stall": ms, "rss": bytes}: the longest time in which the loop did nothing else, and what the
process holds. A refresh takes five seconds longer than it would, and Slack is written to faster than a real one allows.
"""

import asyncio
import json
import logging
import os
import sys
import time
from pathlib import Path
from typing import Any

import structlog

from bot.app import run
from bot.channels.slack import pace
from bot.config import Settings
from core.memory import Memory

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
        longest, ends = 0.0, time.perf_counter() + 1
        while (began := time.perf_counter()) < ends:
            await asyncio.sleep(STEP)
            longest = max(longest, time.perf_counter() - began - STEP)
        print(json.dumps({"stall": longest * 1000, "rss": rss()}), flush=True)


async def main(settings: Settings) -> int:
    watching = asyncio.create_task(watch())
    code = await run(settings)
    watching.cancel()
    return code


if __name__ == "__main__":
    pace.WORKSPACE_SECS, pace.CONVERSATION_SECS = 0.01, 0.1
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    import bot.config

    bot.config.Memory = SlowMemory
    given = json.loads(sys.argv[1])
    given["slack"] |= {key: os.environ[f"CLARIFY_SLACK__{key.upper()}"] for key in ("bot_token", "signing_secret")}
    sys.exit(asyncio.run(main(Settings(**given))))
