"""Time as an argument. A Ts is integer microseconds since the Unix epoch, UTC."""

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
FOREVER = 2**62
"""The end of an interval that is still open: later than any Ts, and a signed 64-bit integer on every database."""


class Clock(Protocol):
    def now(self) -> int:
        """The current Ts."""


class SystemClock:
    def now(self) -> int:
        return time.time_ns() // 1000


@dataclass
class ManualClock:
    """A clock that moves when told to: for replays and tests."""

    ts: int

    def now(self) -> int:
        return self.ts

    def advance(self, micros: int) -> None:
        self.ts += micros


class Deadline:
    """So many seconds from when it is made, whatever becomes of the clock on the wall."""

    def __init__(self, secs: float) -> None:
        self._end = time.monotonic() + secs

    def left(self) -> float:
        """Seconds. Raises TimeoutError when it is over."""
        if (left := self._end - time.monotonic()) <= 0:
            raise TimeoutError
        return left

    def rest(self, secs: float) -> bool:
        """Wait for so long; False, and at once, where that is longer than what is left."""
        if time.monotonic() + secs >= self._end:
            return False
        time.sleep(secs)
        return True


def to_datetime(ts: int) -> datetime:
    return datetime.fromtimestamp(ts // SECOND, UTC).replace(microsecond=ts % SECOND)


def from_datetime(moment: datetime) -> int:
    """Ts of an aware datetime. Raises ValueError for a naive one: its zone would be a guess."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone; write one, for example {moment.isoformat()}Z")
    delta = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * SECOND + delta.microseconds
