"""Leasing and completing jobs, against bare statements on the same table and against procrastinate; and empty polls.

A round takes eight jobs, as the bot does, and completes each by itself. Bare is one `UPDATE … RETURNING` for a batch
and one for each completion, in transactions of the store, and once more by the driver alone, which says what those of
the store cost. Wall time, in turns, since half of the work is a server's; the figure is that of the medians.
"""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from benchmarks.support import Line, progress
from core.clock import HOUR, SystemClock
from core.jobs.engine import JobsEngine
from core.jobs.kinds import FENCE, JobKind
from core.store import jobs
from core.store.database import Database
from core.store.migrate import upgrade
from core.store.tables import Job, JobLane, Tenant
from tests.support.postgres import Postgres, running

GOALS = {"jobs on": 2.0, "empty poll": 1.5}
QUICK = {"rounds": 40, "waiting": 10_000}
KIND, OTHER = JobKind.CHECK_ANSWER, JobKind.REFRESH_ANSWER
BATCH, POLLS = 8, 200

Commit = Callable[[str, tuple[Any, ...]], list[Any]]
"""Run one statement in a transaction of its own; the rows it returns."""

_LEASE = """
UPDATE job SET state = 'leased', lease_owner = ?, lease_until = ?, attempts = attempts + 1
WHERE (tenant_id, job_id) IN (
  SELECT tenant_id, job_id FROM job WHERE tenant_id = 'bare' AND kind = ? AND state = 'ready' AND not_before <= ?
  ORDER BY not_before LIMIT ?{locked})
RETURNING job_id, payload, attempts"""
_COMPLETE = "UPDATE job SET state = 'done' WHERE tenant_id = 'bare' AND job_id = ? AND attempts = ? RETURNING job_id"


def run(rounds: int = 150, waiting: int = 100_000) -> list[Line]:
    with ExitStack() as stack:
        server = stack.enter_context(running())
        databases = {
            "SQLite": stack.enter_context(_opened(f"sqlite:///{stack.enter_context(TemporaryDirectory())}/jobs.db")),
            "PostgreSQL": stack.enter_context(_on(server)),
        }
        lines = [line for name, database in databases.items() for line in _against_bare(name, database, rounds)]
        lines += [_beside_procrastinate(server, databases["PostgreSQL"], rounds)] * bool(find_spec("procrastinate"))
        return lines + [
            _empty_poll(name, database, waiting, tenants)
            for name, database in databases.items()
            for tenants in (1, 1000)
        ]


@contextmanager
def _opened(url: str) -> Iterator[Database]:
    database = Database(url, SystemClock())
    upgrade(database)
    yield database
    database.close()


@contextmanager
def _on(server: Postgres) -> Iterator[Database]:
    with server.database("migrated") as url, _opened(url) as database:
        yield database


# ── lease and complete ──


def _against_bare(name: str, database: Database, rounds: int) -> list[Line]:
    progress(f"jobs: {name}, {rounds} rounds")
    works = [_engine_round(database), _bare_round(database, _in_store(database)), _bare_round(database, _raw(database))]
    for tenant, kind, number in (("ours", KIND, rounds), ("bare", OTHER, 2 * rounds)):
        _enqueue(database, tenant, (number + 2) * BATCH, kind=kind)
    ours, store, raw = _medians(works, rounds)
    note = f"{BATCH / ours:,.0f} a second, against {{:,.0f}} of bare UPDATE … RETURNING {{}}"
    return [
        (
            f"jobs on {name}, to bare statements",
            ours / store,
            note.format(BATCH / store, "in the store's transactions"),
        ),
        (f"{name}, jobs to the driver alone", ours / raw, note.format(BATCH / raw, "by the driver alone")),
    ]


def _enqueue(database: Database, tenant: str, number: int, *, kind: JobKind = KIND, in_: int = 0) -> None:
    with database.write(tenant) as tx:
        tx.insert(Tenant, [{"tenant_id": tenant, "name": tenant, "last_tx": 0, "embed_model": None, "embed_dim": None}])
        payloads = {UUID(int=one): {"answer_id": str(UUID(int=one))} for one in range(number)}
        jobs.enqueue_each(tx, kind, FENCE[kind], "cause", payloads, tx.now + in_)


def _medians(works: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Seconds a round of each, in turns; what is compiled or cached is so by then."""
    for work in works:
        work()
    times = [[_wall(work) for work in works] for _ in range(rounds)]
    return [median(of_one) for of_one in zip(*times, strict=True)]


def _wall(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _engine_round(database: Database) -> Callable[[], None]:
    engine = JobsEngine(database, lease_secs=60, max_attempts=8)

    def work() -> None:
        leased = engine.lease(FENCE[KIND], [KIND], "bench", BATCH)
        assert [engine.complete(job) for job in leased] == [True] * BATCH

    return work


def _bare_round(database: Database, commit: Commit) -> Callable[[], None]:
    now = database.clock.now()
    lease = _LEASE.format(locked="" if database.is_sqlite else " FOR UPDATE SKIP LOCKED")
    spelt = [text if database.is_sqlite else text.replace("?", "%s") for text in (lease, _COMPLETE)]

    def work() -> None:
        leased = commit(spelt[0], ("bench", now + HOUR, str(OTHER), now + HOUR, BATCH))
        assert sum(len(commit(spelt[1], (job_id, attempts))) for job_id, _, attempts in leased) == BATCH

    return work


def _in_store(database: Database) -> Commit:
    def commit(statement: str, values: tuple[Any, ...]) -> list[Any]:
        with database.write("bare") as tx:
            return list(tx.session.connection().exec_driver_sql(statement, values))

    return commit


def _raw(database: Database) -> Commit:
    connection = database.engine.raw_connection()
    cursor = connection.cursor()

    def commit(statement: str, values: tuple[Any, ...]) -> list[Any]:
        if database.is_sqlite:
            cursor.execute("BEGIN IMMEDIATE")
        cursor.execute(statement, values)
        found = list(cursor.fetchall())
        connection.commit()
        return found

    return commit


# ── beside another queue ──


def _beside_procrastinate(server: Postgres, database: Database, rounds: int) -> Line:
    progress("jobs: procrastinate")
    with server.database() as url:
        theirs = _procrastinate_secs(url, rounds)
    _enqueue(database, "beside", rounds * BATCH)
    ours = median(_wall(_engine_round(database)) for _ in range(rounds))
    note = f"{BATCH / ours:,.0f} a second, against {BATCH / theirs:,.0f}, fetched and finished one by one"
    return ("jobs beside procrastinate", ours / theirs, note)


def _procrastinate_secs(url: str, rounds: int) -> float:
    """Seconds for as many jobs as a round has, through its own job manager, without its worker's loop."""
    import procrastinate
    from procrastinate.jobs import Status

    app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=url))

    @app.task(name="check")
    def check(answer_id: str) -> None: ...

    async def one() -> None:
        job = await app.job_manager.fetch_job(None, worker)
        assert job is not None
        await app.job_manager.finish_job(job, Status.SUCCEEDED, delete_job=False)

    worker = 0

    async def measured() -> float:
        nonlocal worker
        async with app.open_async():
            await app.schema_manager.apply_schema_async()
            await check.batch_defer_async(*({"answer_id": str(number)} for number in range(rounds * BATCH)))
            worker = await app.job_manager.register_worker()
            times = []
            for _ in range(rounds):
                start = time.perf_counter()
                for _ in range(BATCH):
                    await one()
                times.append(time.perf_counter() - start)
            return median(times)

    return asyncio.run(measured())


# ── polls that find nothing ──


def _empty_poll(name: str, database: Database, waiting: int, tenants: int) -> Line:
    progress(f"jobs: {name}, {waiting:,} waiting of {tenants:,}")
    with database.write("") as tx:
        for table in (Job, JobLane, Tenant):
            tx.session.query(table).delete()
    few = _poll(database)
    for tenant in range(tenants):
        _enqueue(database, f"t{tenant}", waiting // tenants, in_=HOUR)
    with database.write("") as tx:
        tx.session.connection().exec_driver_sql("ANALYZE")  # as PostgreSQL does by itself within a minute
    many = _poll(database)
    note = f"{many * 1e6:,.0f} µs, against {few * 1e6:,.0f} with none"
    return (f"empty poll on {name}, {waiting:,} for later of {tenants:,} tenants", many / few, note)


def _poll(database: Database) -> float:
    engine = JobsEngine(database, lease_secs=60, max_attempts=8)
    return median(_wall(lambda: engine.lease(FENCE[KIND], [KIND], "bench", BATCH)) for _ in range(POLLS))
