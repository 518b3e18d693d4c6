"""Several bots on one PostgreSQL share the work, and go on within a lease when one of them is killed."""

import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from cards.codec import from_json
from cards.plain import to_plain
from core.jobs.kinds import JobKind
from core.model.watching import ScopeType
from core.model.work import Place
from core.store.tables import Job, NotifyDelivery
from tests.e2e.share_child import HELD, open_shared
from tests.fakes.platform_channel import PLATFORM, ROOT, Room, platform
from tests.support.memories import page, rows, section, watch_request

PAGES = ("first.md", "second.md")
PEOPLE = 24
PATIENCE_SECS = 40


@dataclass(frozen=True)
class Child:
    process: Any

    def hears(self) -> str:
        return self.process.stdout.readline().strip()

    def begin(self) -> None:
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> int:
        self.process.communicate()
        return self.process.returncode


def child(stack, what, url, room):
    command = [sys.executable, "-m", "tests.e2e.share_child", what, url, room]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = Child(subprocess.Popen(command, cwd=ROOT, **pipes))
    stack.callback(started.kill)
    return started


def change(memory, uri, amount):
    prices = {f"Part {n}": f"Part {n} costs {amount + n} EUR." for n in range(PEOPLE)}
    memory.ingest(uri, page("Prices", prices), readers=["everyone"])


def watched_by_each(memory):
    """Two pages, each of whose sections somebody watches."""
    memory.people.ensure_tenant("default", "Default")
    for uri in PAGES:
        change(memory, uri, 10)
    for number in range(PEOPLE):
        person_id = memory.people.put("default", f"P{number}")
        memory.people.bind("default", person_id, Place(PLATFORM, "room", f"P{number}"))
        person = memory.people.principal("default", person_id)
        for uri in PAGES:
            ref = section(uri, "Prices", f"Part {number}")
            memory.watch(watch_request(person, ScopeType.ENTITY, ref, name=uri), person)
    memory.sweep("default")


def until(holds):
    give_up_at = time.monotonic() + PATIENCE_SECS
    while not holds():
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


@pytest.mark.timeout(120)
def test_bots_share_the_work_and_take_over_what_a_killed_one_held(postgres_url):
    with ExitStack() as stack:
        memory = open_shared(postgres_url)
        stack.callback(memory.close)
        room = Room(f"{stack.enter_context(platform())}/shared")
        holder, *workers = [child(stack, what, postgres_url, room.url) for what in ("holds", "works", "works")]
        watched_by_each(memory)
        change(memory, PAGES[0], 500)
        memory.sweep("default")
        assert [one.hears() for one in (holder, *workers)] == ["ready"] * 3
        holder.begin()
        assert holder.hears() == f"holds {HELD}"
        holder.kill()
        for worker in workers:
            worker.begin()
        change(memory, PAGES[1], 500)
        until(lambda: Counter(row.state for row in rows(memory, NotifyDelivery)) == {"sent": 2 * PEOPLE})
        assert [worker.end() for worker in workers] == [0, 0]

        done = [job for job in rows(memory, Job) if job.kind == JobKind.NOTIFY_WATCH]
        assert Counter(job.state for job in done) == {"done": 2 * PEOPLE}
        assert Counter(job.attempts for job in done) == {1: 2 * PEOPLE - HELD, 2: HELD}
        assert {job.lease_owner for job in done} == {str(worker.process.pid) for worker in workers}
        texts = [(message["person"], to_plain(from_json(message["card"]))) for message in room.messages()]
        told = Counter((person, uri) for person, text in texts for uri in PAGES if uri in text)
        assert told == {(f"P{number}", uri): 1 for number in range(PEOPLE) for uri in PAGES}, texts[:3]
