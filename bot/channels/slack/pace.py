"""How fast Slack may be written to: about one message a second in a conversation, four a second in a workspace.

https://docs.slack.dev/apis/web-api/rate-limits
"""

import asyncio
import time

from bot.channels.pace import Monotonic, Pace, Sleep

CONVERSATION_SECS, CONVERSATION_BURST = 1.0, 3
WORKSPACE_SECS, WORKSPACE_BURST = 0.25, 8


def slack_pace(monotonic: Monotonic = time.monotonic, sleep: Sleep = asyncio.sleep) -> Pace:
    conversation, workspace = (CONVERSATION_SECS, CONVERSATION_BURST), (WORKSPACE_SECS, WORKSPACE_BURST)
    return Pace([conversation], workspace, monotonic, sleep)
