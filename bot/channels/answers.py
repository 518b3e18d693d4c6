"""What platforms' answers, or the lack of one, have in common over HTTP."""

from datetime import UTC
from email.utils import parsedate_to_datetime

import aiohttp

from core.clock import SECOND

QUIET_SECS, LONGEST_QUIET_SECS = 30, 3_600
SHUT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError, aiohttp.InvalidURL)
"""The connection never opened, so that nothing was written."""


def quiet(retry_after: str | None, now: int = 0) -> int:
    """How many µs a platform wants to hear nothing, by its header: seconds, or a date where it is `now` (Ts)."""
    seconds = _seconds(retry_after or "", now)
    if not seconds >= 0:  # what is no number is not less than one either
        seconds = QUIET_SECS
    return int(min(max(seconds, 1), LONGEST_QUIET_SECS) * SECOND)


def _seconds(header: str, now: int) -> float:
    try:
        return float(header)
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return QUIET_SECS
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(at.timestamp() - now / SECOND, 0) if now else QUIET_SECS
