"""A limit as platforms count it: so many calls in any window of time."""

from collections import defaultdict, deque
from collections.abc import Iterable

Limit = tuple[float, int]
"""(seconds, calls)"""


class Throttle:
    """What is refused does not count."""

    def __init__(self, limits: Iterable[Limit]) -> None:
        self._limits = tuple(limits)
        self._calls: dict[str, deque[float]] = defaultdict(deque)

    def lets(self, key: str, now: float) -> bool:
        """Whether one more is within every limit; then it counts."""
        calls = self._calls[key]
        while calls and calls[0] <= now - max(secs for secs, _ in self._limits):
            calls.popleft()
        if any(sum(at > now - secs for at in calls) >= most for secs, most in self._limits):
            return False
        calls.append(now)
        return True
