"""Words to one person alone, at the address that came with what they did: after the acknowledgement, and best effort.

Whoever holds the address may write there for half an hour, so it is never logged.
"""

import asyncio

import structlog

from bot.channels.slack.web import SlackWeb

log = structlog.get_logger()


class Whisper:
    def __init__(self, web: SlackWeb) -> None:
        self._web = web
        self._tasks: set[asyncio.Task[None]] = set()

    def say(self, response_url: object, words: str) -> None:
        """Say it soon; without an address nothing is said."""
        if isinstance(response_url, str) and response_url:
            task = asyncio.create_task(self._say(response_url, words))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Wait until everything is said."""
        await asyncio.gather(*self._tasks)

    async def _say(self, response_url: str, words: str) -> None:
        said = {"text": words, "response_type": "ephemeral", "replace_original": False}
        try:
            async with self._web.session.post(response_url, json=said) as answer:
                answer.raise_for_status()
        except Exception as error:  # noqa: BLE001  # whatever it is, the tap itself was dealt with
            log.warning("slack.not_whispered", error=type(error).__name__)
