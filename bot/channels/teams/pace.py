"""How fast Teams may be written to, in a conversation and, over all of them, in a tenant.

Teams counts what came within a window of time. Of a bucket with a burst, no window of W seconds holds more turns than
the burst and what W has room for besides: so its interval is W by what the limit leaves beyond the burst, and one more.
A few turns are kept back, since what leaves at a steady pace arrives less steadily.
https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit
"""

import asyncio
import time

from bot.channels.pace import Monotonic, Pace, Rate, Sleep

CONVERSATION_LIMITS = ((3_600, 1_800), (30, 60), (2, 8), (1, 7))
"""(seconds, messages), the longest first: who waits for the last of them has waited for all."""
TENANT_LIMIT = (1, 30)


def within(secs: float, limit: int) -> Rate:
    """A rate that stays below a limit in every window, half of it at once where nothing was for a while."""
    kept, burst = limit - limit // 7, limit // 2
    return secs / (kept + 1 - burst), burst


def teams_pace(monotonic: Monotonic = time.monotonic, sleep: Sleep = asyncio.sleep) -> Pace:
    return Pace([within(*limit) for limit in CONVERSATION_LIMITS], within(*TENANT_LIMIT), monotonic, sleep)
