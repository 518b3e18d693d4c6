"""A chat platform in the test's own hands: it answers as told, and keeps what it takes.

A call goes on its way, passes the gates that a test has put there, and takes effect when it has passed them all.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.channels.base import Absent, CannotTell, Found, Profile, SendOutcome, Sent
from core.model.notices import Outgoing
from core.model.work import Place

Meaning = SendOutcome | Exception


@dataclass
class Standing:
    """A message that was taken, as it stands now; `said` is all that it has said."""

    place: Place
    key: str
    card: dict[str, Any]
    said: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Gate:
    """Holds back what `holds` says, until it is opened; `reached` by whatever is held."""

    holds: Callable[[str, Place], bool]
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class ScriptedChannel:
    """What is not scripted succeeds. `profiles`: by user; who is not there is unknown to the platform."""

    def __init__(self) -> None:
        self.standing: dict[str, Standing] = {}
        self.calls: list[tuple[str, Place]] = []
        self.most: Counter[str] = Counter()
        self.profiles: dict[str, Profile | Exception] = {}
        self._scripts: dict[tuple[str, str], list[tuple[Meaning, bool]]] = defaultdict(list)
        self._gates: list[Gate] = []
        self._under_way: Counter[str] = Counter()
        self._moved = asyncio.Event()

    # ── what a test says and sees ──

    def script(self, what: str, *meanings: Meaning, workspace: str = "A", taken: bool = False) -> None:
        """How the next calls end; `taken`: they take effect all the same, as when only the answer is lost."""
        self._scripts[what, workspace] += [(meaning, taken) for meaning in meanings]

    def heal(self) -> None:
        """From now on everything succeeds."""
        self._scripts.clear()

    def gate(self, what: str, workspace: str = "A", user: str | None = None) -> Gate:
        """Hold back what is called from now on, of one workspace, or of one user there."""
        here = (what, workspace)
        gate = Gate(lambda called, place: (called, place.workspace) == here and user in {None, place.user_id})
        self._gates.append(gate)
        return gate

    def tried(self, what: str = "send", workspace: str = "A") -> int:
        return len([1 for called, place in self.calls if (called, place.workspace) == (what, workspace)])

    async def until(self, holds: Callable[[], object]) -> None:
        """Let the bot go on until something holds."""
        async with asyncio.timeout(30):
            while not holds():
                self._moved.clear()
                await self._moved.wait()

    def at(self, workspace: str = "A", user: str | None = None) -> list[Standing]:
        """What stands in a workspace, or in one user's place there."""
        found = self.standing.values()
        return [one for one in found if one.place.workspace == workspace and user in {None, one.place.user_id}]

    def take(self, ref: str, card: Outgoing) -> None:
        """Let a card stand there."""
        self.standing[ref] = Standing(card.place, card.delivery_key, card.card, [card.card])

    # ── what the bot calls ──

    async def send(self, card: Outgoing) -> SendOutcome:
        async with self._way("send", card.place):
            ref = f"m{len(self.standing)}"
            meaning, taken = self._meaning("send", card.place, Sent(ref))
            if taken:
                self.take(ref, card)
            return meaning

    async def update(self, card: Outgoing) -> SendOutcome:
        ref = str(card.message_ref)
        async with self._way("update", card.place):
            meaning, taken = self._meaning("update", card.place, Sent(ref))
            if taken:
                one = self.standing[ref]
                one.card, one.place = card.card, card.place
                one.said.append(card.card)
            return meaning

    async def find_sent(self, card: Outgoing) -> Found | Absent | CannotTell:
        async with self._way("find_sent", card.place):
            refs = [ref for ref, one in self.standing.items() if one.key == card.delivery_key]
            return Found(refs[0]) if refs else Absent()

    async def profile(self, workspace: str, user_id: str) -> Profile | None:
        async with self._way("profile", Place("", workspace, user_id)):
            known = self.profiles.get(user_id)
            if isinstance(known, Exception):
                raise known
            return known

    @asynccontextmanager
    async def _way(self, what: str, place: Place) -> AsyncIterator[None]:
        self.calls.append((what, place))
        self._under_way[place.workspace] += 1
        self.most |= self._under_way
        self._moved.set()
        try:
            for gate in self._gates:
                if gate.holds(what, place):
                    gate.reached.set()
                    await gate.opened.wait()
            yield
        finally:
            self._under_way[place.workspace] -= 1
            self._moved.set()

    def _meaning(self, what: str, place: Place, otherwise: SendOutcome) -> tuple[SendOutcome, bool]:
        script = self._scripts[what, place.workspace]
        meaning, taken = script.pop(0) if script else (otherwise, True)
        if isinstance(meaning, Exception):
            raise meaning
        return meaning, taken
