"""The fake platform's process, a test's room in it, and the channel over it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bot.channels.base import Absent, CannotTell, Found, NotSent, SendOutcome, Sent, Unknown
from core.clock import SECOND
from core.model.notices import Outgoing
from core.model.work import Extent

PLATFORM = "fake"
ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Room:
    """One test's place on the platform, asked from outside the bot."""

    url: str

    def messages(self) -> list[dict[str, Any]]:
        """Everything the platform accepted, in order."""
        return self._call("sent")["messages"]

    def tried(self) -> int:
        return self._call("sent")["tried"]

    def script(self, *troubles: str) -> None:
        """How the next sends go."""
        self._call("script", list(troubles))

    def post(self, key: str, person: str, card: dict[str, Any]) -> str:
        """Put a message there, as an earlier life of the bot did; its ref."""
        return self._call("send", {"key": key, "person": person, "card": card})["ref"]

    def copied(self, name: str) -> "Room":
        """Another room in which the same messages stand."""
        self._call("copy", name)
        return Room(f"{self.url.rpartition('/')[0]}/{name}")

    def _call(self, what: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{what}", data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)


@contextmanager
def platform() -> Iterator[str]:
    """The address of a platform that runs in a process of its own."""
    command = [sys.executable, "-m", "tests.fakes.platform"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


class PlatformChannel:
    """Sends once and says how it ended; reads the whole history, so that what it does not find is not there."""

    def __init__(self, room: str, *, timeout_secs: float = 30) -> None:
        self._room = room
        self._timeout = aiohttp.ClientTimeout(total=timeout_secs)

    async def send(self, card: Outgoing) -> SendOutcome:
        body = {"key": card.delivery_key, "person": card.place.user_id, "card": card.card}
        try:
            return await self._post("send", body)
        except aiohttp.ClientConnectorError as error:
            return NotSent(f"cannot be reached: {error.strerror}")
        except (TimeoutError, aiohttp.ClientError) as error:
            return Unknown(type(error).__name__)

    async def update(self, card: Outgoing) -> SendOutcome:
        return await self._post("update", {"ref": card.message_ref, "card": card.card})

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        async with (
            aiohttp.ClientSession(timeout=self._timeout) as session,
            session.get(f"{self._room}/find", params={"key": card.delivery_key}) as answer,
        ):
            refs = (await answer.json())["refs"]
        return Found(refs[0]) if refs else Absent()

    async def profile(self, workspace: str, user_id: str) -> None:
        """This platform knows nothing of its users."""

    async def _post(self, what: str, body: dict[str, Any]) -> SendOutcome:
        async with (
            aiohttp.ClientSession(timeout=self._timeout) as session,
            session.post(f"{self._room}/{what}", json=body) as answer,
        ):
            return _outcome(answer.status, answer.headers.get("Retry-After"), await answer.json())


def _outcome(status: int, retry_after: str | None, body: dict[str, Any]) -> SendOutcome:
    if status == 200:
        return Sent(body.get("ref", ""))
    if status == 429:
        return NotSent("rate limited", retry_after=int(retry_after or 0) * SECOND)
    if status < 500:
        return NotSent(body.get("error", str(status)), lasting=Extent.CARD)
    return Unknown(f"status {status}")


class UnreadChannel(PlatformChannel):
    """A platform whose history cannot be read, as Slack's at times."""

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        return CannotTell("the history cannot be read")


class ForgetfulChannel(PlatformChannel):
    """A platform without a history to read, as Teams."""

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        return CannotTell("there is no history to read", for_good=True)


CHANNELS = {"kept": PlatformChannel, "unread": UnreadChannel, "none": ForgetfulChannel}
"""By what a platform can tell of what it has accepted."""
