"""When a person's brief of an hour, a day or a week is due. Pure.

A brief belongs to its slot, named in the person's own zone: the newest slot that has passed is the one that is due,
and none is due once it, or a later one, has been. So a slot missed while nothing ran is made up for, a change of zone
makes neither two nor none, and how often, or by how many, it is looked does not matter. An hour's slot is named by its
moment in UTC: by their own clocks an hour that is repeated would be one with the hour before it.
Two briefs keep a distance, three sevenths of their period: one that comes late does not end beside the next. For an
hour it is less than half of one, by which the clocks of Lord Howe move, so that no change of clocks takes an hour away.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import count

from core.clock import DAY, HOUR, MINUTE, from_datetime, to_datetime
from core.model.local_time import local, moment
from core.model.watching import Cadence

APART: Mapping[Cadence, int] = {Cadence.HOURLY: 25 * MINUTE, Cadence.DAILY: 10 * HOUR, Cadence.WEEKLY: 3 * DAY}
"""How far two briefs of a period are apart at least."""
_STEP = {Cadence.DAILY: timedelta(days=1), Cadence.WEEKLY: timedelta(days=7)}
_QUARTER = 15 * MINUTE
"""Full hours of one zone are further apart, whatever its clocks do."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """`zone`: an IANA name. `weekday`: 0 is Monday. `at_minute`: past midnight. An hour’s comes at each full one."""

    zone: str
    weekday: int
    at_minute: int
    period: Cadence = Cadence.WEEKLY


@dataclass(frozen=True, slots=True)
class Slot:
    """A time for a brief: its name (2026-W49, 2026-12-07, 2026-12-07T09:00Z), and the Ts from which it may be sent."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class Last:
    """The newest brief: the name of the slot it was for, and when it was sent (Ts; 0 before any was)."""

    slot: str
    sent_at: int


def latest(now: int, schedule: Schedule) -> Slot:
    """The newest slot that has passed."""
    if schedule.period is Cadence.HOURLY:
        return _hour(_full_hour(now, schedule.zone))
    today = local(now, schedule.zone).date()
    slot = _on(schedule, today)
    return slot if slot.at <= now else _on(schedule, today - _STEP[schedule.period])


def due(now: int, schedule: Schedule, last: Last) -> Slot | None:
    """The brief to send now, if any."""
    slot = latest(now, schedule)
    return slot if slot.name > last.slot and last.sent_at + APART[schedule.period] <= now else None


def look_again(now: int, schedule: Schedule, last: Last) -> int:
    """The Ts at which the next brief is due, if nothing changes until then."""
    slot = latest(now, schedule)
    if slot.name <= last.slot:
        slot = _after(schedule, max(slot.name, last.slot))
    return max(slot.at, last.sent_at + APART[schedule.period])


def _on(schedule: Schedule, day: date) -> Slot:
    """The slot of a day, or of the ISO week of a day."""
    if schedule.period is Cadence.DAILY:
        return Slot(day.isoformat(), moment(schedule.zone, day, schedule.at_minute))
    year, week, _ = day.isocalendar()
    on = date.fromisocalendar(year, week, schedule.weekday + 1)
    return Slot(f"{year}-W{week:02}", moment(schedule.zone, on, schedule.at_minute))


def _after(schedule: Schedule, name: str) -> Slot:
    """The slot that follows the one of a name."""
    if schedule.period is Cadence.HOURLY:
        past = from_datetime(datetime.fromisoformat(name))
        hours = (_full_hour(past + steps * _QUARTER, schedule.zone) for steps in count(1))
        return _hour(next(at for at in hours if at > past))
    first = f"{name}-1" if schedule.period is Cadence.WEEKLY else name
    return _on(schedule, date.fromisoformat(first) + _STEP[schedule.period])


def _hour(at: int) -> Slot:
    return Slot(f"{to_datetime(at):%Y-%m-%dT%H:%MZ}", at)


def _full_hour(now: int, zone: str) -> int:
    """The last Ts up to `now` at which a minute hand there stood at twelve."""
    offsets = {_offset(ts, zone) for ts in (now, now - HOUR)}
    floors = [now - (now + offset) % HOUR for offset in offsets]
    return max(at for floor in floors for at in (floor, floor - HOUR) if (at + _offset(at, zone)) % HOUR == 0)


def _offset(ts: int, zone: str) -> int:
    """By how many µs the clocks of a zone are ahead of UTC."""
    ahead = local(ts, zone).utcoffset() or timedelta()
    return ahead // timedelta(microseconds=1)
