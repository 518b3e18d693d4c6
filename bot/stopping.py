"""Ending when told to, in order and in time.

At the first signal nothing more is begun, and what is in hand has a while to end; then it is let go, which gives its
lease back. A thread that still waits for a model or a source cannot be ended, and is left behind: whatever it was about
is done again by whoever starts next. A second signal ends the process where it stands, as a crash would.
"""

import asyncio
import os
import signal
import sys
import threading

GRACE_SECS = 10.0
"""For a card on its way and an answer that is being written. With what follows it is well under twenty seconds."""
CLOSE_SECS = 3.0
"""For threads that still work, and for connections that are still open."""
AT_THE_LATEST_SECS = 18.0
"""Whatever hangs then is left as it is: the leases have been given back."""


def stop_signal() -> asyncio.Event:
    """Set by SIGINT or SIGTERM from now on."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()

    def told(number: int) -> None:
        if stopped.is_set():
            os._exit(128 + number)
        stopped.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, told, number)
    return stopped


def leave_in_time() -> None:
    """End the process some time after now, whatever it still does."""
    last = threading.Timer(AT_THE_LATEST_SECS, os._exit, (0,))
    last.daemon = True
    last.start()


def leave(code: int) -> None:
    """End the process; Python by itself would wait for every thread."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        os._exit(code)
