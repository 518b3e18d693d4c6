"""Killed at any moment and started again, the bot tells everybody everything, once.

What counts is what the platform accepted: each fire once for each person, each question answered by one card, each
tap's outcome on the card it was tapped on. The clock moves ten minutes with each start, so that leases run out.
"""

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from sqlalchemy import make_url

from core.clock import MINUTE
from core.model.notices import Outgoing
from tests.e2e.crash_worlds import WORLDS, Told, build, told
from tests.fakes.platform_channel import ROOT, Room, platform
from tests.support.postgres import Postgres

pytestmark = pytest.mark.timeout(400)

STARTS = 8
"""More than any crash needs: one to lose a lease, one to doubt, one to look, one to send."""
AT_ONCE = 2
_rooms = count()


class Bots:
    """Processes that fork bots to be killed."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.e2e.crash_child"]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._processes = [subprocess.Popen(command, cwd=ROOT, **pipes) for _ in range(AT_ONCE)]
        self._idle: Queue[Any] = Queue()
        for process in self._processes:
            self._idle.put(process)

    def run(self, **request: Any) -> dict[str, Any]:
        process = self._idle.get()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline())
        self._idle.put(process)
        assert "error" not in said, said["error"]
        return said

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def bots() -> Iterator[Bots]:
    running = Bots()
    yield running
    running.stop()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with platform() as url:
        yield url


@dataclass
class Trial:
    """One world on one kind of database: every run works on a copy of it, in a room of its own."""

    bots: Bots
    address: str
    copy: Callable[[], Any]
    sent: list[Outgoing]

    def uncrashed(self) -> tuple[int, Told]:
        """How many moments a run has, and what it tells; both processes have imported everything after it."""
        runs = [self._run(warm=True) for _ in range(AT_ONCE)]
        assert all(found == runs[0][1] for _, found in runs), "a run always tells the same"
        return min(moments for moments, _ in runs), runs[0][1]

    def killed_at(self, moment: int) -> Told:
        return self._run(kill_at=moment)[1]

    def killed_at_each(self, moments: list[int]) -> list[Told]:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(self.killed_at, moments))

    def two_at_once(self, *kill_at: int | None) -> Counter[Any]:
        """The news after two bots at the same time, one of which may be killed, and one that finishes.

        Not the texts: who is told of what in which card depends on which bot came first.
        """
        with self._place() as (url, room), ThreadPoolExecutor(2) as pool:
            first = {"url": url, "room": room.url, "offset": 0}
            list(pool.map(lambda moment: self.bots.run(**first, kill_at=moment), kill_at))
            self._finish(url, room)
            return told(url, room).news

    def _run(self, *, kill_at: int | None = None, **how: bool) -> tuple[int, Told]:
        with self._place() as (url, room):
            first = self.bots.run(url=url, room=room.url, offset=0, kill_at=kill_at, **how)
            # What is shown again in place meanwhile makes a run two moments longer or shorter.
            assert first.get("killed", False) or kill_at is None or kill_at > first["points"], first
            if kill_at is None:
                assert first["open"] == 0, "what nobody disturbs is finished at once"
            self._finish(url, room)
            return first.get("points", 0), told(url, room)

    def _finish(self, url: str, room: Room) -> None:
        for start in range(1, STARTS):
            said = self.bots.run(url=url, room=room.url, offset=start * 10 * MINUTE, kill_at=None)
            if not said["open"]:
                return
        raise AssertionError(f"{said['open']} things are still under way after {STARTS} starts")

    @contextmanager
    def _place(self) -> Iterator[tuple[str, Room]]:
        room = Room(f"{self.address}/room{next(_rooms)}")
        for card in self.sent:
            room.post(card.delivery_key, card.place.user_id, card.card)
        with self.copy() as url:
            yield url, room


@contextmanager
def _copied(template: Path, folder: Path) -> Iterator[str]:
    file = folder / f"copy{next(_rooms)}.db"
    yield f"sqlite:///{shutil.copy(template, file)}"
    for part in folder.glob(f"{file.name}*"):
        part.unlink()


@pytest.fixture
def on_sqlite(bots: Bots, address: str, sqlite_url: str, tmp_path: Path) -> Callable[[str], Trial]:
    def trial(world: str) -> Trial:
        sent = build(world, sqlite_url)
        template = Path(sqlite_url.removeprefix("sqlite:///"))
        return Trial(bots, address, lambda: _copied(template, tmp_path), sent)

    return trial


@pytest.fixture
def on_postgres(bots: Bots, address: str, postgres: Postgres) -> Iterator[Callable[[str], Trial]]:
    with ExitStack() as stack:

        def trial(world: str) -> Trial:
            template = stack.enter_context(postgres.database("migrated"))
            sent = build(world, template)
            return Trial(bots, address, lambda: postgres.database(str(make_url(template).database)), sent)

        yield trial


def compare(trial: Trial, moments: list[int], expected: Told, subtests: Any) -> None:
    for moment, found in zip(moments, trial.killed_at_each(moments), strict=True):
        with subtests.test(moment=moment):
            assert found == expected


@pytest.mark.parametrize("world", WORLDS)
def test_killed_at_any_moment_it_tells_everything_once(world, on_sqlite, subtests):
    trial = on_sqlite(world)
    moments, expected = trial.uncrashed()
    compare(trial, list(range(1, moments + 1)), expected, subtests)


@pytest.mark.parametrize("world", WORLDS)
def test_killed_on_postgresql_it_tells_everything_once(world, on_postgres, subtests):
    """At every fifth moment: what differs is the database, not the bot."""
    trial = on_postgres(world)
    moments, expected = trial.uncrashed()
    compare(trial, list(range(2, moments + 1, 5)), expected, subtests)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("database", ["on_sqlite", "on_postgres"])
def test_two_bots_at_once_tell_everything_once(world, database, request):
    trial = request.getfixturevalue(database)(world)
    _, expected = trial.uncrashed()
    assert trial.two_at_once(None, None) == expected.news


@pytest.mark.parametrize("database", ["on_sqlite", "on_postgres"])
def test_one_of_two_bots_is_killed_and_the_other_goes_on(database, request, subtests):
    trial = request.getfixturevalue(database)("news")
    moments, expected = trial.uncrashed()
    for moment in range(5, moments // 2, 10):
        with subtests.test(moment=moment):
            assert trial.two_at_once(moment, None) == expected.news
