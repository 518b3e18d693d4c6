"""Slack's Web API by Slack's own client, without its retries: each call is made once, and says how it ended.

The client's default handler repeats a call whose connection was cut, and so posts twice.
"""

import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.channels.slack.outcomes import Trouble, trouble

TIMEOUT_SECS = 10.0

SILENT = logging.getLogger(f"{__name__}.sdk")
SILENT.setLevel(logging.CRITICAL + 1)
"""For Slack's own code, which writes whole requests into its messages: what matters is logged here."""


class CallFailed(Exception):
    """Slack did not do what it was asked to."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.reason)
        self.trouble = trouble


@dataclass(frozen=True, slots=True)
class Reply:
    """What Slack answered to a call that it carried out."""

    body: dict[str, Any]
    headers: Mapping[str, str]


class SlackWeb:
    """One client on one session of connections, which is opened by the first call and closed by `close`."""

    def __init__(self, token: str, api_url: str, timeout_secs: float = TIMEOUT_SECS) -> None:
        self._timeout = aiohttp.ClientTimeout(total=timeout_secs)
        self._client = AsyncWebClient(token, api_url, retry_handlers=[], logger=SILENT)
        self._client.proxy = None  # the session reads the environment, NO_PROXY included; the client does not

    @property
    def client(self) -> AsyncWebClient:
        """For calls inside an event loop, each awaited through `ask`."""
        self._client.session = self.session
        return self._client

    @property
    def session(self) -> aiohttp.ClientSession:
        """For what Slack takes at other addresses."""
        if self._client.session is None:
            self._client.session = aiohttp.ClientSession(timeout=self._timeout, trust_env=True)
        return self._client.session

    async def ask(self, call: Awaitable[AsyncSlackResponse]) -> Reply:
        """Slack's answer to a call of `client`. Raises CallFailed, which says nothing of the request."""
        try:
            answer = await call
        except Exception as error:  # noqa: BLE001  # the client lets through whatever the network and the body bring
            failed = trouble(error)
        else:
            if isinstance(answer.data, dict):
                return Reply(answer.data, answer.headers)
            failed = Trouble("unreadable answer", answer.status_code)
        raise CallFailed(failed)

    async def close(self) -> None:
        if self._client.session is not None:
            await self._client.session.close()
