"""Ending when told to, in order and in time.

At the first signal nothing more is begun, and what is in hand has a while to end; then it is let go, which gives its
lease back. A thread that still waits for a model or a source cannot be ended, and is left behind: whatever it was about
is done again by whoever starts next. A second signal ends the process where it stands, as a crash would; so does one
that comes while it starts, with nothing in hand. A terminal that closes is a signal too, unless that is off (nohup).
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


def leave_while_starting() -> None:
    """Let a signal end the process at once, until `stop_signal`.

    By a thread: the main one may wait for a locked database or load a model, and would hear of it only afterwards.
    """
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    for number in _signals():
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(tell)
    threading.Thread(target=lambda: os.read(told, 1) and os._exit(0), daemon=True).start()


def stop_signal() -> asyncio.Event:
    """Set by a signal from now on."""
    stopped, loop = asyncio.Event(), asyncio.get_running_loop()

    def told(number: int) -> None:
        if stopped.is_set():
            os._exit(128 + number)
        stopped.set()

    for number in _signals():
        loop.add_signal_handler(number, told, number)
    return stopped


def _signals() -> list[signal.Signals]:
    hangup = [] if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else [signal.SIGHUP]
    return [signal.SIGINT, signal.SIGTERM, *hangup]


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
