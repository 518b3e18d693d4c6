"""Moments of a person's own clock. Pure.

A local time that a change of clocks skips is taken as what it would have been before the change: the next valid one
(RFC 5545, 3.3.5). One that comes twice is taken the first time.
"""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from core.clock import from_datetime, to_datetime


def local(ts: int, zone: str) -> datetime:
    """What the clocks of an IANA zone show at a Ts."""
    return to_datetime(ts).astimezone(ZoneInfo(zone))


def moment(zone: str, day: date, minute: int) -> int:
    """The Ts at which it is `minute` minutes past midnight there."""
    return _moments(zone, day, minute)[0]


def next_moment(now: int, zone: str, minute: int) -> int:
    """The first Ts after `now` at which it is `minute` minutes past midnight there."""
    today = local(now, zone).date()
    coming = (at for days in range(3) for at in _moments(zone, today + timedelta(days=days), minute))
    return next(at for at in coming if at > now)


def _moments(zone: str, day: date, minute: int) -> tuple[int, ...]:
    shown = datetime.combine(day, time(*divmod(minute, 60)), ZoneInfo(zone))
    first, again = from_datetime(shown), from_datetime(shown.replace(fold=1))
    return (first, again) if again > first else (first,)
