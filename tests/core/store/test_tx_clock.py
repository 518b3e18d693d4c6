"""Within a tenant commit order is tx order, so that a sweep that has read up to T never misses a row up to T."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from core.clock import SystemClock
from core.errors import NotFound
from core.model.nodes import SECTION
from core.model.watching import ScopeType
from core.store import database, jobs
from core.store.tables import Feed, Tenant, UsedJti
from tests.support.memories import NOW, add_person, last_tx, open_memory, page, put, rows, watch_request
from tests.support.threads import at_once


def write_feed(memory, tenant="default"):
    with memory._database.write(tenant) as tx:
        tx.feed("node", UUID(int=1), "changed")
        return tx.tx


def test_the_tx_is_the_wall_clock_where_that_has_moved(memory, clock):
    clock.advance(10)
    assert write_feed(memory) == clock.now()


def test_the_tx_rises_when_the_clock_stands_still_or_goes_back(memory, clock):
    first = write_feed(memory)
    second = write_feed(memory)
    clock.advance(-1_000_000)
    assert (second, write_feed(memory)) == (first + 1, first + 2)


def test_each_tenant_has_a_clock_of_its_own(memory):
    memory.people.ensure_tenant("other", "Other")
    assert write_feed(memory) == write_feed(memory, "other")


def test_a_transaction_that_reports_nothing_takes_no_tx(memory):
    before = last_tx(memory)
    add_person(memory, "Ada")
    assert last_tx(memory) == before


def test_a_transaction_that_fails_leaves_the_clock_where_it_was(memory):
    before = last_tx(memory)

    def fail():
        with memory._database.write("default") as tx:
            tx.feed("node", UUID(int=1), "changed")
            tx.flush()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (last_tx(memory), rows(memory, Feed)) == (before, [])


def test_an_unknown_tenant_has_no_clock(memory):
    with pytest.raises(NotFound, match="'nowhere'"):
        write_feed(memory, "nowhere")


def test_feed_rows_of_one_transaction_are_numbered_in_order(memory):
    with memory._database.write("default") as tx:
        for number in range(3):
            tx.feed("node", UUID(int=number), "changed")
    assert [(row.seq, row.ref_id.int) for row in sorted(rows(memory, Feed), key=lambda row: row.seq)] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]


def test_what_takes_its_tx_first_and_commits_last_is_not_missed_by_a_sweep_in_between(memory, reopen):
    """With a plain sequence the second writer commits first, the sweep passes it, and the first is never heard.

    The second has opened the memory for itself, as another process would: no lock of this process holds it back.
    """
    ada, other = add_person(memory, "Ada"), reopen()
    memory.sweep()
    memory.watch(watch_request(ada, ScopeType.LABEL, SECTION), ada)
    taken, go_on, second_done = threading.Event(), threading.Event(), threading.Event()

    def first():
        with memory._database.write("default") as tx:
            tx.feed("node", UUID(int=1), "changed")
            tx.flush()
            taken.set()
            assert go_on.wait(20)
            return tx.tx

    def second():
        written = write_feed(other)
        second_done.set()
        return written

    with ThreadPoolExecutor(2) as pool:
        early = pool.submit(first)
        assert taken.wait(20)
        late = pool.submit(second)
        second_done.wait(0.3)  # time to go wrong: with the lock it cannot be done
        with memory._database.read("default") as tx:
            swept_upto = tx.last_tx
        go_on.set()
        earlier, later = early.result(), late.result()
    assert swept_upto < earlier < later


def test_writers_of_one_process_take_turns_and_leave_no_waiting_to_sqlite(sqlite_url, clock, monkeypatch):
    """SQLite lets who waits sleep up to a tenth of a second at a time, and gives the turn to whoever looks first."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 0)
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    written = at_once(*[lambda: [write_feed(memory) for _ in range(10)] for _ in range(4)])
    assert sorted(tx for mine in written for tx in mine) == list(range(NOW, NOW + 40))
    memory.close()


def test_four_writers_at_once_take_different_txs_in_the_order_in_which_they_commit(database_url):
    memory = open_memory(database_url, SystemClock())
    memory.people.ensure_tenant("default", "Default")
    seen = [[] for _ in range(4)]

    def write(mine):
        for _ in range(15):
            mine.append(write_feed(memory))
            with memory._database.read("default") as tx:
                assert tx.last_tx >= mine[-1]

    assert at_once(*[lambda mine=mine: write(mine) for mine in seen]) == [None] * 4
    txs = [tx for mine in seen for tx in mine]
    assert len(set(txs)) == len(txs) == len(rows(memory, Feed))
    assert max(txs) == rows(memory, Tenant)[0].last_tx
    memory.close()


def test_a_reader_sees_one_snapshot(memory):
    put(memory, "a.md", page("A", {"One": "One."}))
    with memory._database.read("default") as tx:
        before = tx.last_tx
        at_once(lambda: put(memory, "b.md", page("B", {"Two": "Two."})))
        assert tx.last_tx == before
    assert last_tx(memory) > before


def test_a_row_is_new_once(memory):
    row = {"tenant_id": "default", "jti": "j", "exp_at": NOW}
    for new in (True, False):
        with memory._database.write("default") as tx:
            assert jobs.insert_once(tx, UsedJti, row) is new


def test_what_is_reported_after_a_flush_follows_what_was_reported_before(memory):
    with memory._database.write("default") as tx:
        for number in (1, 2):
            tx.feed("node", UUID(int=number), "changed")
            tx.flush()
    assert [(row.seq, row.ref_id.int) for row in sorted(rows(memory, Feed), key=lambda row: row.seq)] == [
        (0, 1),
        (1, 2),
    ]
