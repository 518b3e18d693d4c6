"""What a person may choose for themselves, and what each choice means. Kept as (name, value) rows."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.clock import DAY, HOUR
from core.errors import InvalidRequest
from core.model.grants import PermittedAction
from core.model.local_time import next_moment

OFF, ANY = "off", "any"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOURS = tuple(map(str, range(24)))

CHOICES: dict[str, tuple[str, ...]] = {
    "brief_day": (OFF, *WEEKDAYS),
    "brief_hour": _HOURS,
    "quiet_from": (OFF, *_HOURS),
    "quiet_until": (OFF, *_HOURS),
    "platform": (ANY, "local", "slack", "teams"),
}
MUTE = "mute"


@dataclass(frozen=True, slots=True)
class MuteTime:
    """A time to be muted for, in µs (None: until the morning after) and in words."""

    micros: int | None
    words: str


MUTE_TIMES: Mapping[str, MuteTime] = {
    "1h": MuteTime(HOUR, "for an hour"),
    "tomorrow": MuteTime(None, "until tomorrow"),
    "1d": MuteTime(DAY, "for a day"),
    "1w": MuteTime(7 * DAY, "for a week"),
}
MUTE_CHOICES = (OFF, *MUTE_TIMES)
"""How long a watch, or everything, may be muted: a time that passes, and no preference."""
_MORNING = 6 * 60
"""When a mute until tomorrow ends, in minutes past a person's own midnight."""


@dataclass(frozen=True, slots=True)
class Preferences:
    """`brief_day`: 0 is Monday, None is off. `brief_minute`: past midnight. Quiet hours of the day; None is off.

    `platform`: where cards go; None is wherever the person was seen last.
    """

    brief_day: int | None
    brief_minute: int
    quiet_from: int | None = None
    quiet_until: int | None = None
    platform: str | None = None

    def chosen(self, rows: Mapping[str, str]) -> "Preferences":
        """These, but for what the rows say."""
        said = {**self.to_rows(), **rows}
        return Preferences(
            brief_day=None if said["brief_day"] == OFF else WEEKDAYS.index(said["brief_day"]),
            brief_minute=int(said["brief_hour"]) * 60,
            quiet_from=_hour(said["quiet_from"]),
            quiet_until=_hour(said["quiet_until"]),
            platform=None if said["platform"] == ANY else said["platform"],
        )

    def to_rows(self) -> dict[str, str]:
        return {
            "brief_day": OFF if self.brief_day is None else WEEKDAYS[self.brief_day],
            "brief_hour": str(self.brief_minute // 60),
            "quiet_from": _said(self.quiet_from),
            "quiet_until": _said(self.quiet_until),
            "platform": self.platform or ANY,
        }


def check(name: str, value: str) -> None:
    """Raise InvalidRequest for a preference that there is not, or a value that it cannot have."""
    if name not in CHOICES:
        raise InvalidRequest(f"there is no preference {name!r}: one of {', '.join(CHOICES)}")
    if value not in CHOICES[name]:
        raise InvalidRequest(f"{name} cannot be {value!r}: one of {', '.join(CHOICES[name])}")


def muted_until(now: int, zone: str, choice: str) -> int:
    """The Ts at which a mute ends, 0 for none. Raises InvalidRequest for what is none of `MUTE_CHOICES`."""
    if choice not in MUTE_CHOICES:
        raise InvalidRequest(f"{choice!r} is no time to mute for: one of {', '.join(MUTE_CHOICES)}")
    if choice == OFF:
        return 0
    micros = MUTE_TIMES[choice].micros
    return next_moment(now, zone, _MORNING) if micros is None else now + micros


def settable(name: str) -> PermittedAction:
    """What a card permits that offers a preference, or the mute, to be set."""
    return PermittedAction("preference_set", name, MUTE_CHOICES if name == MUTE else CHOICES[name])


def _hour(value: str) -> int | None:
    return None if value == OFF else int(value)


def _said(hour: int | None) -> str:
    return OFF if hour is None else str(hour)
