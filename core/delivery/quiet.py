"""A person's quiet hours: what the bot has to say by itself waits for their end, what they ask for does not. Pure."""

from core.model.local_time import local, next_moment


def held_until(now: int, zone: str, from_hour: int | None, until_hour: int | None) -> int:
    """The Ts at which the quiet hours that hold now end; 0 when none do. They may pass midnight."""
    if from_hour is None or until_hour is None or not _within(local(now, zone).hour, from_hour, until_hour):
        return 0
    return next_moment(now, zone, until_hour * 60)


def _within(hour: int, start: int, end: int) -> bool:
    return start <= hour < end if start <= end else hour >= start or hour < end
