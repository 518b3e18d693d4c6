"""When an answer is looked at though nothing was heard. Pure.

Each answer has its own place in the period, and falls due there once a period: however often it is checked in between,
one check alone lies ahead, and no two moments of a period see all the answers at once.
"""

from uuid import UUID


def next_check(answer_id: UUID, now: int, period: int) -> int:
    """The next Ts after `now`, at most a period (in microseconds) away."""
    place = answer_id.int % period
    return now + period - (now - place) % period
