"""How fast a platform may be written to.

A bucket is the time at which it would be empty again (the generic cell rate algorithm): each turn adds an interval to
it, and may come as much before it as the burst allows. A turn is first had in the conversation and then, when that has
come, in the workspace, so that many cards for one person never hold up those for others.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

_REMEMBERED = 256

Monotonic = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]
Rate = tuple[float, int]
"""Seconds from one turn to the next, and how many may be had at once."""


@dataclass
class Bucket:
    interval: float
    burst: int
    empty_at: float = 0.0

    def reserve(self, now: float) -> float:
        """Take the next turn; how long it is until then."""
        at = max(now, self.empty_at - self.interval * (self.burst - 1))
        self.empty_at = max(now, self.empty_at) + self.interval
        return at - now


class Pace:
    """The turns of one workspace. Conversations where nothing is due are forgotten: they are like new ones."""

    def __init__(
        self,
        conversation: Sequence[Rate],
        workspace: Rate,
        monotonic: Monotonic,
        sleep: Sleep,
    ) -> None:
        self._rates = conversation
        self._workspace = Bucket(*workspace)
        self._monotonic = monotonic
        self._sleep = sleep
        self._conversations: dict[str, list[Bucket]] = {}

    async def turn(self, conversation: str) -> None:
        """Wait until something may be written there."""
        for bucket in self._conversation(conversation):
            await self._wait(bucket)
        await self._wait(self._workspace)

    async def _wait(self, bucket: Bucket) -> None:
        secs = bucket.reserve(self._monotonic())
        if secs > 0:
            await self._sleep(secs)

    def _conversation(self, name: str) -> list[Bucket]:
        if len(self._conversations) >= _REMEMBERED:
            now = self._monotonic()
            busy = {name: all_ for name, all_ in self._conversations.items() if any(one.empty_at > now for one in all_)}
            self._conversations = busy
        return self._conversations.setdefault(name, [Bucket(*rate) for rate in self._rates])
