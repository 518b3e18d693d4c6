"""When a failed job is tried again."""

from core.clock import HOUR, SECOND

BASE = 5 * SECOND
"""One tick of the poller: nothing sooner would be noticed."""
CEILING = HOUR
"""With eight attempts the waits add up to between one and two and a half hours: a job outlives an hour's outage of a
platform or a model, and an operator still hears of a dead one the same morning."""


def wait(attempt: int, jitter: float) -> int:
    """Microseconds to wait after failed attempt 1, 2, …, four times as long each time; `jitter` in [0, 1).

    The jitter spreads the upper half, so that jobs that failed together do not return together; the lower half stays.
    """
    # The exponent is capped because attempts are not: a job may be retried by hand for ever.
    full = min(CEILING, BASE << 2 * min(attempt - 1, 10))
    return full // 2 + int(full / 2 * jitter)
