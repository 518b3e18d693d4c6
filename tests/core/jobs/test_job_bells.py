"""Who waits for jobs hears at once that one is due; a bell that is not heard costs a tick, and never a job."""

from contextlib import contextmanager
from threading import Thread
from uuid import UUID

import psycopg
import pytest

from core.clock import HOUR
from core.jobs.kinds import FENCE, JobKind
from core.store import jobs
from core.store.database import Database
from tests.support.memories import open_memory

KIND = JobKind.CHECK_ANSWER
LONG = 30
"""Seconds that no test waits out."""
NOW = 0
LISTENERS = "FROM pg_stat_activity WHERE query = 'LISTEN clarify_jobs' AND datname = current_database()"


def enqueue(memory, *causes, in_=0):
    with memory._database.write("default") as tx:
        for cause in causes or ("cause",):
            jobs.enqueue(tx, KIND, FENCE[KIND], "subject", cause, {}, tx.now + in_)


def enqueue_and_fail(memory):
    with memory._database.write("default") as tx:
        jobs.enqueue(tx, KIND, FENCE[KIND], "subject", "cause", {}, tx.now)
        raise RuntimeError


def leased(memory, limit=100):
    return memory.jobs.lease(FENCE[KIND], [KIND], "worker", limit)


@contextmanager
def hung(memory):
    """A bell that listens, and has said all that it says of itself."""
    bell = memory.jobs.bell()
    bell.wait(NOW)
    yield bell
    bell.close()


@contextmanager
def waiting(bell, secs=LONG):
    """Somebody waits at a bell meanwhile; what they hear."""
    heard = []
    thread = Thread(target=lambda: heard.append(bell.wait(secs)))
    thread.start()
    yield heard
    thread.join(LONG)
    assert not thread.is_alive()


@pytest.fixture
def bell(memory):
    with hung(memory) as bell:
        yield bell


def on_the_server(url, statement):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(statement).fetchall()


def test_a_job_that_is_due_ends_the_wait_and_can_be_leased_then(memory, bell):
    with waiting(bell) as heard:
        enqueue(memory)
    assert heard == [True]
    assert len(leased(memory)) == 1


def test_a_job_made_while_nobody_waited_is_heard_at_the_next_wait(memory, bell):
    enqueue(memory)
    assert bell.wait(LONG)


def test_a_bell_rings_once_for_what_was_told_once(memory, bell):
    enqueue(memory)
    assert [bell.wait(LONG), bell.wait(NOW)] == [True, False]


def test_ten_thousand_jobs_of_one_transaction_ring_once(memory, bell):
    with memory._database.write("default") as tx:
        jobs.enqueue_each(tx, KIND, FENCE[KIND], "cause", {UUID(int=n): {} for n in range(10_000)}, tx.now)
    assert [bell.wait(LONG), bell.wait(NOW)] == [True, False]


def test_a_storm_of_transactions_rings_once_for_whoever_was_away(memory, bell):
    for number in range(50):
        enqueue(memory, number)
    assert [bell.wait(LONG), bell.wait(NOW)] == [True, False]


def test_a_job_for_later_rings_nothing(memory, bell):
    enqueue(memory, in_=HOUR)
    assert not bell.wait(NOW)


def test_what_is_rolled_back_rings_nothing(memory, bell):
    with pytest.raises(RuntimeError):
        enqueue_and_fail(memory)
    assert not bell.wait(NOW)


def test_a_write_without_a_job_rings_nothing(memory, bell):
    memory.people.put("default", "Ada")
    assert not bell.wait(NOW)


def test_every_bell_rings(memory, bell):
    with hung(memory) as other:
        enqueue(memory)
        assert (bell.wait(LONG), other.wait(LONG)) == (True, True)


def test_a_closed_bell_is_rung_no_more_and_the_others_are(memory, bell):
    with hung(memory):
        pass
    enqueue(memory)
    assert bell.wait(LONG)


def test_stopped_during_a_wait_it_ends_at_once_and_for_good(memory, bell):
    with waiting(bell) as heard:
        bell.stop()
    assert heard == [False]
    enqueue(memory)
    assert not bell.wait(LONG)


def test_stopped_before_the_wait_it_never_begins(memory):
    bell = memory.jobs.bell()
    bell.stop()
    assert not bell.wait(LONG)
    bell.close()


def test_a_job_that_is_tried_again_at_once_rings_after_its_lease_ran_out(memory, clock, bell):
    """Whoever frees it may do no more than that."""
    enqueue(memory)
    leased(memory)
    clock.advance(HOUR)
    bell.wait(NOW)
    leased(memory)
    assert bell.wait(LONG)


# ── PostgreSQL: other processes, and connections that break ──


@pytest.fixture
def other(postgres_url, clock):
    """As another process has it."""
    memory = open_memory(postgres_url, clock)
    memory.people.ensure_tenant("default", "Default")
    yield memory
    memory.close()


@pytest.fixture
def listening(postgres_url, clock):
    memory = open_memory(postgres_url, clock)
    with hung(memory) as bell:
        yield bell
    memory.close()


def cut(url):
    """End the connection that listens, as a server that is started anew does."""
    assert on_the_server(url, f"SELECT pg_terminate_backend(pid) {LISTENERS}") == [(True,)]


def test_another_process_is_heard(other, listening):
    with waiting(listening) as heard:
        enqueue(other)
    assert heard == [True]


def test_a_bell_has_one_connection_however_often_it_is_waited_for(postgres_url, other, listening):
    for number in range(3):
        enqueue(other, number)
        assert listening.wait(LONG)
    assert on_the_server(postgres_url, f"SELECT count(*) {LISTENERS}") == [(1,)]


def test_a_connection_that_breaks_is_made_anew_within_the_wait_and_rings_for_what_it_may_have_missed(
    postgres_url, other, listening
):
    with waiting(listening) as heard:
        cut(postgres_url)
    assert heard == [True]
    enqueue(other)
    assert [listening.wait(LONG), listening.wait(NOW)] == [True, False], "it listens again"


def test_a_database_that_is_down_is_no_error_and_not_asked_without_a_pause(clock, monkeypatch):
    asked, connect = [], psycopg.connect
    monkeypatch.setattr(psycopg, "connect", lambda *args, **named: asked.append(1) or connect(*args, **named))
    bell = Database("postgresql://127.0.0.1:1/nowhere", clock).bell()
    assert not bell.wait(0.2)
    assert len(asked) <= 2
    bell.close()


def test_it_stops_at_once_while_its_connection_is_broken(clock):
    bell = Database("postgresql://127.0.0.1:1/nowhere", clock).bell()
    with waiting(bell) as heard:
        bell.stop()
    assert heard == [False]
    bell.close()


def test_a_job_whose_ring_was_lost_is_leased_at_the_tick(postgres_url, other, listening):
    cut(postgres_url)
    enqueue(other)
    assert len(leased(other)) == 1


def test_closing_it_ends_its_connection(postgres_url, clock):
    memory = open_memory(postgres_url, clock)
    with hung(memory):
        assert on_the_server(postgres_url, f"SELECT count(*) {LISTENERS}") == [(1,)]
    looks = (on_the_server(postgres_url, f"SELECT count(*) {LISTENERS}") for _ in range(1000))
    assert any(look == [(0,)] for look in looks)
    memory.close()
