"""A clock that was ahead and is set back: order holds, what is new goes on, and what was begun ahead waits."""

import pytest

from core.clock import DAY, HOUR
from core.jobs.kinds import FENCE, JobKind
from core.model.watching import ScopeType
from core.store import jobs
from core.store.tables import Feed, WatchFire
from tests.support.memories import last_tx, page, put, rows, section, watch_request

KIND = JobKind.CHECK_ANSWER


def enqueue(memory, cause):
    with memory._database.write("default") as tx:
        jobs.enqueue(tx, KIND, FENCE[KIND], "subject", cause, {"cause": cause}, tx.now)


def leased(memory):
    return [job.payload["cause"] for job in memory.jobs.lease(FENCE[KIND], [KIND], "worker", 10)]


@pytest.fixture
def watching(memory, ada):
    revise(memory, 40)
    memory.watch(watch_request(ada, ScopeType.ENTITY, section("travel.md", "Travel", "Meals")), ada)
    memory.sweep()


def revise(memory, amount):
    put(memory, "travel.md", page("Travel", {"Meals": f"A meal may cost {amount} EUR."}))


def test_what_is_written_after_comes_after(memory, clock):
    clock.advance(DAY)
    put(memory, "a.md", page("A", {"Meals": "A meal may cost 40 EUR."}))
    ahead = last_tx(memory)
    clock.advance(-DAY)
    put(memory, "b.md", page("B", {"Meals": "A meal may cost 50 EUR."}))
    assert last_tx(memory) == ahead + 1
    assert {row.tx for row in rows(memory, Feed)} == {ahead, ahead + 1}


def test_what_changed_ahead_is_told_at_once(memory, watching, clock):
    clock.advance(DAY)
    revise(memory, 50)
    clock.advance(-DAY)
    memory.sweep()
    assert len(rows(memory, WatchFire)) == 1


def test_what_was_written_ahead_is_read_at_once(memory, ada, watching, clock):
    clock.advance(DAY)
    revise(memory, 50)
    clock.advance(-DAY)
    assert "50 EUR" in memory.generate("What may a meal cost?", ada).text


def test_a_job_made_after_is_leased_at_once_and_one_made_ahead_when_its_time_has_come(memory, clock):
    clock.advance(DAY)
    enqueue(memory, "ahead")
    clock.advance(-DAY)
    enqueue(memory, "after")
    assert leased(memory) == ["after"]
    clock.advance(HOUR)
    assert leased(memory) == ["after"], "its lease ran out as ever"
    clock.advance(DAY)
    assert leased(memory) == ["after", "ahead"]
