"""A world in which something happens to a bot at a chosen moment, and what everybody was told in the end."""

import json
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from itertools import count
from threading import Event
from typing import Any

from core.clock import HOUR, MINUTE, ManualClock
from core.model.work import Place
from tests.e2e.crash_kept import kept
from tests.e2e.crash_life import SETTINGS, Life, live, restarted
from tests.e2e.crash_told import Told, told
from tests.e2e.crash_worlds import TENANT
from tests.fakes.platform_channel import PLATFORM, ROOT, Room
from tests.support.memories import NOW, open_memory

LATER = [start * 10 * MINUTE for start in range(1, 8)]
"""When a bot is started again, µs: more often than any crash needs, to lose a lease, to doubt, to look, to send."""
MUCH_LATER = [start * 40 * MINUTE for start in range(1, 5)]
"""The same where a history that cannot be read is asked again for an hour."""
ALL = ["cut"] * 20
"""More answers than anybody waits for."""
_rooms = count()


class Bots:
    """A process that forks bots to be killed."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.e2e.crash_child"]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process: Any = subprocess.Popen(command, cwd=ROOT, **pipes)

    def run(self, life: Life) -> dict[str, Any]:
        """Live in a fork, to be killed at the life's moment; without one, in the process that is forked."""
        self._process.stdin.write(json.dumps(asdict(life)) + "\n")
        self._process.stdin.flush()
        said: dict[str, Any] = json.loads(self._process.stdout.readline())
        assert "error" not in said, said["error"]
        return said

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


class Trial:
    """One world on one database, put back each time, and a room of its own on the platform for each time.

    `moments`: how many a bot has to which nothing happens. `expected`: what is told then.
    """

    def __init__(self, bots: Bots, room: Room, url: str, *, both_sides: bool) -> None:
        self._bots = bots
        self._room = room
        self._kept = kept(url)
        self._life = Life(url, room.url, both_sides=both_sides)
        life = self._begun()
        undisturbed = bots.run(life)
        assert undisturbed["open"] == 0, "what nobody disturbs is finished at once"
        self.moments: int = undisturbed["moments"]
        self.expected = self._told(life)

    def killed(self, moment: int, starts: Iterable[int] = LATER) -> Told:
        life = self._begun()
        self._bots.run(replace(life, at=moment))
        self._finish(life, starts)
        return self._told(life)

    def killed_with_answers_lost(self, moment: int) -> Told:
        """The platform accepts everything, and the bot that is to be killed never hears of it."""
        life = self._begun()
        life = self._deaf(replace(life, at=moment))
        self._finish(life, LATER)
        return self._told(life)

    def killed_without_a_history(self, moment: int, history: str, *, deaf: bool) -> Told:
        """The platform cannot tell what it has accepted; in the end everybody writes to the bot."""
        life = replace(self._begun(), history=history)
        killed = replace(life, at=moment)
        if deaf:
            life = self._deaf(killed)
        else:
            self._bots.run(killed)
        self._finish(life, MUCH_LATER)
        self._everybody_writes(life)
        self._finish(life, [MUCH_LATER[-1] + start for start in MUCH_LATER])
        return self._told(life)

    def set_back(self, moment: int) -> Told:
        """An hour back at that moment, in the middle of the work."""
        life, clock = self._begun(), ManualClock(NOW)
        live(replace(life, at=moment), clock, lambda: clock.advance(-HOUR))
        self._finish(life, LATER)
        return self._told(life)

    def one_of_two_killed(self, moment: int) -> Told:
        life = self._begun()
        with ThreadPoolExecutor(1) as pool:
            killed = pool.submit(self._bots.run, replace(life, at=moment))
            restarted(life)
            killed.result()
        self._finish(life, LATER)
        return self._told(life)

    def overtaken(self, moment: int) -> Told:
        """It stands still until another, that does what is due meanwhile, is about to send or has ended.

        Never before a send of its own, which no lease could help, nor before a commit, at which it would hold locks.
        """
        life, clock = replace(self._begun(), both_sides=False), ManualClock(NOW)
        stands, goes_on = Event(), Event()

        def stand_still() -> None:
            stands.set()
            goes_on.wait()

        with ThreadPoolExecutor(1) as pool:
            slow = pool.submit(live, replace(life, at=moment), clock, stand_still)
            slow.add_done_callback(lambda _: stands.set())
            stands.wait()

            def let_go_on() -> None:
                goes_on.set()
                slow.result()

            try:
                for offset in LATER[:4]:
                    clock.ts = NOW + offset
                    live(life, ManualClock(clock.ts), before_send=let_go_on)
            finally:
                let_go_on()
        self._finish(life, [HOUR + start for start in LATER])
        return self._told(life)

    def _begun(self) -> Life:
        self._kept.put_back()
        return replace(self._life, room=self._room.copied(f"room{next(_rooms)}").url)

    def _deaf(self, life: Life) -> Life:
        """Live without hearing any answer; the life to go on with, which hears them again."""
        room = Room(life.room)
        room.script(*ALL)
        self._bots.run(life)
        return replace(life, room=room.copied(f"room{next(_rooms)}").url, at=None)

    def _finish(self, life: Life, starts: Iterable[int]) -> None:
        """Start again and again until nothing is under way."""
        for offset in starts:
            left = restarted(replace(life, offset=offset)).open
            if not left:
                return
        raise AssertionError(f"{left} things are still under way")

    def _everybody_writes(self, life: Life) -> None:
        memory = open_memory(life.url, ManualClock(NOW + MUCH_LATER[-1]), **SETTINGS)
        for person in memory.people.all(TENANT):
            name = person.display_name
            memory.inbound.receive(TENANT, Place(PLATFORM, "room", name), f"{name}'s", "question", {"text": "help"})
        memory.close()

    def _told(self, life: Life) -> Told:
        return told(life.url, Room(life.room))
