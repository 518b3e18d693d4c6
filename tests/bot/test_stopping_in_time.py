"""A process that was told to stop ends in time, whatever hangs while it cleans up."""

import subprocess
import sys

HANGING = """
import asyncio
import threading

from bot import stopping

stopping.AT_THE_LATEST_SECS = 0.1


async def work():
    try:
        stopping.leave_in_time()
    finally:
        print("cleaning up", flush=True)
        threading.Event().wait(30)
        print("cleaned up")


asyncio.run(work())
"""


def test_a_clean_up_that_hangs_is_left_as_it_is():
    ended = subprocess.run([sys.executable, "-c", HANGING], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (0, "cleaning up\n"), ended.stderr
