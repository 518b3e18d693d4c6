"""Time zones, those with the odd rules first, and moments near their changes of clocks."""

from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import strategies as st

from core.clock import DAY, HOUR, from_datetime

ODD = (
    "Europe/Berlin",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Pacific/Kiritimati",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "America/Santiago",
    "America/Havana",
    "Asia/Kathmandu",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Africa/Casablanca",
    "America/St_Johns",
    "Etc/GMT+12",
    "UTC",
)
ZONES = st.sampled_from(ODD) | st.sampled_from(sorted(available_timezones()))
START, END = (from_datetime(datetime(year, 1, 1, tzinfo=UTC)) for year in (2026, 2028))


@cache
def switches(zone: str) -> list[int]:
    """The Ts of every change of clocks in 2026 and 2027."""
    days = range(START, END, DAY)
    return [at for day in days if _offset(zone, day) != _offset(zone, day + DAY) for at in _within(zone, day)]


def _within(zone: str, day: int) -> list[int]:
    halves = range(day, day + DAY + 1, HOUR // 2)
    return [at for before, at in pairwise(halves) if _offset(zone, before) != _offset(zone, at)]


def _offset(zone: str, at: int) -> timedelta | None:
    return datetime.fromtimestamp(at / 1e6, UTC).astimezone(ZoneInfo(zone)).utcoffset()


_NEAR = sorted({at for zone in ODD for at in switches(zone)})
MOMENTS = st.integers(START, END) | st.builds(
    lambda at, off: at + off, st.sampled_from(_NEAR), st.integers(-2 * DAY, 2 * DAY)
)
