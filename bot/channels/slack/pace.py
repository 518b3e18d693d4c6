"""How fast Slack may be written to: about one message a second in a conversation, four a second in a workspace.

A bucket is the time at which it would be empty again (the generic cell rate algorithm): each turn adds an interval to
it, and may come as much before it as the burst allows. A turn is first had in the conversation and then, when that has
come, in the workspace, so that many cards for one person never hold up those for others.
https://docs.slack.dev/apis/web-api/rate-limits
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

CONVERSATION_SECS, CONVERSATION_BURST = 1.0, 3
WORKSPACE_SECS, WORKSPACE_BURST = 0.25, 8
_REMEMBERED = 256


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
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._workspace = Bucket(WORKSPACE_SECS, WORKSPACE_BURST)
        self._conversations: dict[str, Bucket] = {}

    async def turn(self, conversation: str) -> None:
        """Wait until something may be written there."""
        await self._wait(self._conversation(conversation))
        await self._wait(self._workspace)

    async def _wait(self, bucket: Bucket) -> None:
        secs = bucket.reserve(self._monotonic())
        if secs > 0:
            await self._sleep(secs)

    def _conversation(self, name: str) -> Bucket:
        if len(self._conversations) >= _REMEMBERED:
            now = self._monotonic()
            self._conversations = {name: one for name, one in self._conversations.items() if one.empty_at > now}
        return self._conversations.setdefault(name, Bucket(CONVERSATION_SECS, CONVERSATION_BURST))
