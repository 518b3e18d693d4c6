"""The worker keeps the leases of what takes long, and hears at once of what is due."""

import asyncio
import threading

import pytest
from structlog.testing import capture_logs

from core.clock import SECOND
from core.jobs.kinds import Audience, JobKind
from core.store import jobs
from core.store.tables import Inbox, Job
from tests.support.memories import change_row, dump, rows

ASKED = "What may a meal cost at most?"


@pytest.fixture
def worker(parts):
    return parts.worker


async def asked_for_a_refresh(memory, worker, revise, adas):
    revise()
    await adas.save(ASKED)
    revise(meals=55)
    await worker.settle()
    adas.tap(adas.button("answer_refresh"))


def refresh_job(memory):
    [job] = [job for job in rows(memory, Job) if job.kind == "refresh:answer"]
    return job


class Slow:
    """A model that takes until it is told to go on."""

    def __init__(self, memory):
        self.begun, self.go = threading.Event(), threading.Event()
        self._refresh = memory.refresh_answer

    def __call__(self, *args):
        self.begun.set()
        assert self.go.wait(30)
        return self._refresh(*args)


@pytest.fixture
async def refreshing(memory, clock, worker, revise, adas, monkeypatch):
    """A worker that beats fast, in the middle of a refresh that takes long."""
    await asked_for_a_refresh(memory, worker, revise, adas)
    slow = Slow(memory)
    monkeypatch.setattr(memory, "refresh_answer", slow)
    worker._beat_secs = 0.01
    running = asyncio.create_task(worker.run(0.01))
    await asyncio.to_thread(slow.begun.wait, 30)
    yield slow
    slow.go.set()
    worker.stop()
    await running


async def until(holds):
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110  # another thread's doing tells nobody
            await asyncio.sleep(0.01)


async def test_a_lease_is_kept_while_its_handler_runs_and_the_job_is_done_once(memory, clock, refreshing, adas):
    before = refresh_job(memory).lease_until
    clock.advance(40 * SECOND)
    await until(lambda: refresh_job(memory).lease_until > before)
    clock.advance(40 * SECOND)
    assert memory.jobs.lease(Audience.INTERNAL, [JobKind.REFRESH_ANSWER], "another") == []
    refreshing.go.set()
    await until(lambda: refresh_job(memory).state == "done")
    assert refresh_job(memory).attempts == 1


async def test_whoever_has_lost_a_lease_records_nothing(memory, clock, refreshing, adas):
    change_row(memory, Job, ("default", refresh_job(memory).job_id), attempts=2, lease_owner="another")
    with capture_logs() as logs:
        await until(lambda: [entry for entry in logs if entry["event"] == "job.lost"])
    refreshing.go.set()
    job = refresh_job(memory)
    assert (job.state, job.attempts, job.lease_owner, job.error) == ("leased", 2, "another", None)


async def test_a_question_that_takes_long_is_kept_too(memory, clock, worker, revise, adas, monkeypatch):
    revise()
    go, begun, generate = threading.Event(), threading.Event(), memory.generate

    def slow(*args, **named):
        begun.set()
        assert go.wait(30)
        return generate(*args, **named)

    monkeypatch.setattr(memory, "generate", slow)
    worker._beat_secs = 0.01
    adas.write(ASKED)
    running = asyncio.create_task(worker.run(0.01))
    await asyncio.to_thread(begun.wait, 30)
    before = rows(memory, Inbox)[0].lease_until
    clock.advance(40 * SECOND)
    await until(lambda: rows(memory, Inbox)[0].lease_until > before)
    go.set()
    await until(lambda: [row.state for row in rows(memory, Inbox)] == ["done"])
    worker.stop()
    await running
    assert rows(memory, Inbox)[0].attempts == 1


async def test_a_job_that_becomes_due_is_worked_on_before_the_next_tick(memory, parts, ada, adas):
    """Made by another process, on PostgreSQL, or by another part of this one."""
    task = asyncio.create_task(parts.worker.run(3600))
    await until(lambda: parts.worker._bell is not None)
    with memory._database.write("default") as tx:
        payload = {"person_id": str(ada.person_id), "period": "weekly", "slot": "2026-W40"}
        jobs.enqueue(tx, JobKind.NOTIFY_BRIEF, Audience.CLARIFY, ada.person_id, "2026-W40", payload, tx.now)
    await until(lambda: [job.state for job in rows(memory, Job)] == ["done"])
    parts.worker.stop()
    await asyncio.wait_for(task, 20)


async def test_what_a_failed_job_keeps_has_no_words_of_its_error(memory, worker, revise, adas, monkeypatch):
    await asked_for_a_refresh(memory, worker, revise, adas)

    def broken(*_):
        raise ValueError("canary words of a document")

    monkeypatch.setattr(memory, "refresh_answer", broken)
    await worker.settle()
    assert refresh_job(memory).error.startswith("ValueError at test_worker_leases.py:")
    assert "canary" not in dump(memory)
