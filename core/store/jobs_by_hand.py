"""What an operator looks at among jobs, and does about those that are dead."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from core.errors import NotFound
from core.model.job_states import JobState, step
from core.store.database import ReadTx, WriteTx
from core.store.tables import Job


def find(tx: ReadTx, states: Collection[str], kinds: Collection[str], limit: int) -> Sequence[Job]:
    """Those of these states and kinds, the longest due first."""
    chosen = select(Job).where(Job.tenant_id == tx.tenant_id, col(Job.kind).in_(kinds), col(Job.state).in_(states))
    return tx.session.exec(chosen.order_by(col(Job.not_before), col(Job.job_id)).limit(limit)).all()


def get(tx: ReadTx, job_id: UUID) -> Job:
    job = tx.session.get(Job, (tx.tenant_id, job_id), with_for_update=isinstance(tx, WriteTx))
    if job is None:
        raise NotFound(f"there is no job {job_id}")
    return job


def retry(tx: WriteTx, job_id: UUID) -> None:
    """Make a dead job ready. The attempts stay: they are the fence, so it has one more. Raises InvalidRequest."""
    job = get(tx, job_id)
    job.state, job.not_before = step(JobState(job.state), "retry"), tx.now
    tx.session.add(job)
    tx.job_due(tx.tenant_id, job.kind, tx.now)


def retry_dead(tx: WriteTx, kinds: Collection[str]) -> Mapping[str, int]:
    """Make every dead job ready; how many of each kind."""
    dead = (col(Job.tenant_id) == tx.tenant_id, col(Job.kind).in_(kinds), col(Job.state) == JobState.DEAD)
    ready: dict[str, Any] = {"state": step(JobState.DEAD, "retry"), "not_before": tx.now}
    rows = update(Job).where(*dead).values(**ready).returning(col(Job.kind))
    numbers = Counter(tx.session.connection().execute(rows).scalars())
    for kind in numbers:
        tx.job_due(tx.tenant_id, kind, tx.now)
    return numbers
