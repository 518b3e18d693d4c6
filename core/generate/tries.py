"""Whether a server that did not answer is asked again, and after how long: as it says itself, or ever longer. Pure."""

from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime

_FIRST_SECS, _LONGEST_SECS = 0.5, 8.0


def is_passing(status: int) -> bool:
    """Whether a server says so of itself: it is busy, was too slow, or fails."""
    return status in {408, 409, 425, 429} or status >= 500


def pause(tried: int, status: int | None, headers: Mapping[str, str], luck: float) -> float | None:
    """Seconds before the next try; None where it would end like this one. `status`: None where no answer came.

    `tried`: how many came before this one. `headers`: of the answer, their names in small letters. `luck`: 0 to 1.
    """
    said = headers.get("x-should-retry")
    if said == "false" or not (said == "true" or status is None or is_passing(status)):
        return None
    wait = _asked_for(headers)
    return min(_FIRST_SECS * 2**tried, _LONGEST_SECS) * (1 - luck / 4) if wait is None else wait


def _asked_for(headers: Mapping[str, str]) -> float | None:
    """What cannot be read asks for nothing. A moment is one by the server's own clock."""
    for name, secs in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(KeyError, ValueError):
            if (wait := float(headers[name]) * secs) >= 0:
                return wait
    with suppress(KeyError, ValueError, TypeError, OverflowError):
        moment, now = (parsedate_to_datetime(headers[name]) for name in ("retry-after", "date"))
        return max((moment - now).total_seconds(), 0.0)
    return None
