"""The job table: enqueued with the data that caused them, leased with a deadline, fenced by the attempt."""

from collections.abc import Collection, Mapping, Sequence
from itertools import count
from math import ceil
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import case, text, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, select

from core.ids import derived
from core.model.job_states import JobState, step
from core.model.work import Leased
from core.store import lanes
from core.store.database import ReadTx, WriteTx
from core.store.lanes import Lane
from core.store.tables import Job


def insert_once(tx: WriteTx, table: Any, row: dict[str, Any]) -> bool:
    """Insert unless a row with a same unique key stands; True when it was inserted."""
    statement = _unless_there(tx, table).values(**row).execution_options(preserve_rowcount=True)
    return tx.session.connection().execute(statement).rowcount == 1


def _unless_there(tx: WriteTx, table: Any) -> Any:
    insert = postgresql.insert if tx.session.get_bind().dialect.name == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing()


def enqueue(
    tx: WriteTx, kind: str, audience: str, subject: object, cause: object, payload: dict[str, Any], not_before: int
) -> UUID:
    """One job per (kind, subject, cause): enqueueing again for the same cause changes nothing."""
    job_id = derived("job", tx.tenant_id, kind, subject, cause)
    put(tx, job_id, kind, audience, payload, not_before)
    return job_id


def enqueue_again(
    tx: WriteTx, kind: str, audience: str, subject: object, cause: object, payload: dict[str, Any], not_before: int
) -> None:
    """One job at a time per (kind, subject, cause): another only when the last has ended."""
    for turn in count():
        job_id = derived("job", tx.tenant_id, kind, subject, cause, turn)
        job = tx.session.get(Job, (tx.tenant_id, job_id))
        if job is None:
            put(tx, job_id, kind, audience, payload, not_before)
        if job is None or job.state in {JobState.READY, JobState.LEASED}:
            return


def enqueue_each(
    tx: WriteTx, kind: str, audience: str, cause: object, payloads: Mapping[UUID, dict[str, Any]], not_before: int
) -> None:
    """As `enqueue`, for many subjects at a time."""
    ids = {subject: derived("job", tx.tenant_id, kind, subject, cause) for subject in payloads}
    rows = (_row(tx, ids[subject], kind, audience, payload, not_before) for subject, payload in payloads.items())
    tx.insert(Job, rows, unless_there=True)
    tx.job_due(tx.tenant_id, kind, not_before)


def put(tx: WriteTx, job_id: UUID, kind: str, audience: str, payload: dict[str, Any], not_before: int) -> None:
    insert_once(tx, Job, _row(tx, job_id, kind, audience, payload, not_before))
    tx.job_due(tx.tenant_id, kind, not_before)


def _row(
    tx: WriteTx, job_id: UUID, kind: str, audience: str, payload: dict[str, Any], not_before: int
) -> dict[str, Any]:
    return {
        "tenant_id": tx.tenant_id,
        "job_id": job_id,
        "kind": kind,
        "audience": audience,
        "payload": payload,
        "state": JobState.READY,
        "not_before": not_before,
        "lease_owner": None,
        "lease_until": 0,
        "attempts": 0,
        "error": None,
        "created_at": tx.now,
    }


def any_lost(tx: ReadTx, kinds: Collection[str], now: int) -> bool:
    return tx.session.connection().execute(_lost(kinds, now).limit(1)).first() is not None


def _lost(kinds: Collection[str], now: int) -> Any:
    """Jobs whose lease has run out. The state is spelt out, so that the index on leased jobs alone is used."""
    leased = text(f"state = '{JobState.LEASED}'")
    return select(Job.tenant_id, Job.job_id).where(leased, col(Job.lease_until) <= now, col(Job.kind).in_(kinds))


def expire(tx: WriteTx, kinds: Collection[str], max_attempts: int) -> None:
    """Free jobs whose lease has run out; give up those whose last allowed one has: they may be what kills workers."""
    lost = _lost(kinds, tx.now).with_for_update(skip_locked=True)
    spent = col(Job.attempts) >= max_attempts
    rows = (
        update(Job)
        .where(tuple_(col(Job.tenant_id), col(Job.job_id)).in_(lost))
        .values(
            state=case((spent, step(JobState.LEASED, "give_up")), else_=step(JobState.LEASED, "expire")),
            error="no worker came back within its lease",
        )
        .returning(col(Job.tenant_id), col(Job.kind))
    )
    for tenant_id, kind in tx.session.connection().execute(rows):
        tx.job_due(tenant_id, kind, tx.now)


def lease(tx: WriteTx, turns: Sequence[Lane], audience: str, owner: str, until: int, limit: int) -> list[Leased]:
    """Take up to `limit` due jobs: of each of these lanes about as many, within one the oldest first."""
    taken: list[Leased] = []
    numbers = dict.fromkeys(turns, 0)
    while turns and len(taken) < limit:
        with_more = []
        for before, lane in enumerate(turns):
            share = ceil((limit - len(taken)) / (len(turns) - before))
            took = _take(tx, lane, audience, owner, until, share)
            numbers[lane] += len(took)
            taken += took
            if len(took) == share:
                with_more.append(lane)
        turns = with_more
    lanes.pass_on(tx.session.connection(), numbers, tx.now)
    return taken


def _take(tx: WriteTx, lane: Lane, audience: str, owner: str, until: int, limit: int) -> list[Leased]:
    ready = (Job.tenant_id == lane.tenant_id, Job.kind == lane.kind, col(Job.state) == JobState.READY)
    next_ones = (
        select(Job.tenant_id, Job.job_id)
        .where(*ready, col(Job.not_before) <= tx.now, Job.audience == audience)
        .order_by(col(Job.not_before), col(Job.job_id))
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("next_ones")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    rows = (
        update(Job)
        .where(col(Job.tenant_id) == next_ones.c.tenant_id, col(Job.job_id) == next_ones.c.job_id)
        .values(
            state=step(JobState.READY, "lease"), lease_owner=owner, lease_until=until, attempts=col(Job.attempts) + 1
        )
        .returning(
            col(Job.not_before), col(Job.job_id), col(Job.kind), col(Job.audience), col(Job.payload), col(Job.attempts)
        )
    )
    taken = sorted(tx.session.connection().execute(rows), key=itemgetter(0, 1))
    return [Leased(lane.tenant_id, *row[1:]) for row in taken]


def end(tx: WriteTx, leased: Leased, **values: Any) -> bool:
    """Set columns of a job in hand; False, and nothing is set, when this lease of it had been lost."""
    rows = update(Job).where(*_in_hand(leased)).values(**values)
    return tx.session.connection().execute(rows).rowcount == 1


def held(tx: WriteTx, leased: Leased) -> Job | None:
    """The job's row if this lease of it is still the newest; None when another worker has it."""
    return tx.session.exec(select(Job).where(*_in_hand(leased)).with_for_update()).one_or_none()


def _in_hand(leased: Leased) -> tuple[Any, ...]:
    return (
        Job.tenant_id == leased.tenant_id,
        Job.job_id == leased.job_id,
        Job.kind == leased.kind,
        Job.audience == leased.audience,
        col(Job.state) == JobState.LEASED,
        Job.attempts == leased.attempts,
    )
