"""The job table: enqueued with the data that caused them, leased with a deadline, fenced by the attempt."""

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import col, select

from core.ids import derived
from core.model.job_states import JobState
from core.model.work import Leased
from core.store.database import ReadTx, WriteTx
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


def put(tx: WriteTx, job_id: UUID, kind: str, audience: str, payload: dict[str, Any], not_before: int) -> None:
    insert_once(tx, Job, _row(tx, job_id, kind, audience, payload, not_before))


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


def any_due(tx: ReadTx, audience: str, kinds: Collection[str], now: int) -> bool:
    """Whether a lease would find anything: a look that no writer waits for."""
    rows = select(Job.job_id).where(_due(now), Job.audience == audience, col(Job.kind).in_(kinds))
    return tx.session.exec(rows.limit(1)).first() is not None


def _due(now: int) -> ColumnElement[bool]:
    return or_(
        and_(col(Job.state) == JobState.READY, col(Job.not_before) <= now),
        and_(col(Job.state) == JobState.LEASED, col(Job.lease_until) <= now),
    )


def bury(tx: WriteTx, audience: str, max_attempts: int) -> None:
    """Give up jobs whose last allowed lease has run out too: what kills its workers must not be handed out for ever."""
    tx.session.exec(
        update(Job)
        .where(
            col(Job.state) == JobState.LEASED,
            col(Job.audience) == audience,
            col(Job.lease_until) <= tx.now,
            col(Job.attempts) >= max_attempts,
        )
        .values(state=JobState.DEAD, error="no worker came back within its lease")
    )


def lease(tx: WriteTx, audience: str, kinds: Collection[str], owner: str, until: int, limit: int) -> list[Leased]:
    """Take up to `limit` due jobs of any tenant, oldest first: ready ones, and leased ones whose lease has run out."""
    jobs = tx.session.exec(
        select(Job)
        .where(_due(tx.now), Job.audience == audience, col(Job.kind).in_(kinds))
        .order_by(col(Job.not_before), col(Job.job_id))
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    for job in jobs:
        job.state, job.lease_owner, job.lease_until = JobState.LEASED, owner, until
        job.attempts += 1
        tx.session.add(job)
    return [Leased(job.tenant_id, job.job_id, job.kind, job.payload, job.attempts) for job in jobs]


def held(tx: WriteTx, leased: Leased) -> Job | None:
    """The job's row if this lease of it is still the newest; None when another worker has it."""
    job = tx.session.get(Job, (leased.tenant_id, leased.job_id), with_for_update=True)
    return job if job is not None and job.state == JobState.LEASED and job.attempts == leased.attempts else None
