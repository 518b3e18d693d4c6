"""Bots to be killed: this process forks one for each line it is given, a Life as JSON.

At its moment the bot kills itself with SIGKILL. The answer is {"killed": true}, or what it lived to the end.
"""

import gc
import json
import os
import signal
import sys
import traceback
from dataclasses import asdict
from typing import Any

import structlog

from core.clock import ManualClock
from tests.e2e.crash_life import Life, live
from tests.support.memories import NOW
from tests.support.once import share_migrations, share_statements


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def forked(life: Life) -> dict[str, Any]:
    """Fork a bot and say what became of it."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, json.dumps(asdict(live(life, ManualClock(NOW + life.offset), kill))).encode())
        except BaseException:  # noqa: BLE001  # whatever it is, the parent is told and this process must end here
            os.write(writing, json.dumps({"error": traceback.format_exc()[-2000:]}).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return {"killed": True} if killed else json.loads(said)


def answer(life: Life) -> dict[str, Any]:
    """Without a moment it lives in this very process, so that what is forked after it has imported everything."""
    if life.at:
        return forked(life)
    lived = live(life, ManualClock(NOW + life.offset))
    gc.collect()
    gc.freeze()
    return asdict(lived)


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    share_statements()
    share_migrations()
    for line in sys.stdin:
        print(json.dumps(answer(Life(**json.loads(line)))), flush=True)
