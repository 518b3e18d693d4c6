"""The job table: enqueued with the data that caused them, leased with a deadline, fenced by the attempt."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from math import ceil
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import Update, and_, bindparam, case, text, tuple_, update
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
    statement = _unless_there(table, tx.session.get_bind().dialect.name)
    return tx.session.connection().execute(statement, row).rowcount == 1


@cache
def _unless_there(table: Any, dialect: str) -> Any:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


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


def was_enqueued(tx: ReadTx, kind: str, subject: object, cause: object) -> bool:
    """Whether `enqueue_again` has made a job for this, whatever has become of it."""
    job_id = derived("job", tx.tenant_id, kind, subject, cause, 0)
    return tx.session.get(Job, (tx.tenant_id, job_id)) is not None


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


_LOST = select(Job.tenant_id, Job.job_id).where(
    text(f"state = '{JobState.LEASED}'"),  # spelt out, so that the index on leased jobs alone is used
    col(Job.lease_until) <= bindparam("now"),
)
"""Jobs whose lease has run out. What is asked at every job is built once, which takes longer than SQLite's answer."""
_ANY_LOST = _LOST.limit(1)


def any_lost(tx: ReadTx, now: int) -> bool:
    return tx.session.connection().execute(_ANY_LOST, {"now": now}).first() is not None


def expire(tx: WriteTx, max_attempts: int) -> None:
    """Free jobs whose lease has run out; give up those whose last allowed one has: they may be what kills workers."""
    lost = _LOST.params(now=tx.now).with_for_update(skip_locked=True)
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


_NEXT = (
    select(Job.tenant_id, Job.job_id)
    .where(
        Job.tenant_id == bindparam("tenant"),
        Job.kind == bindparam("of_kind"),
        col(Job.state) == JobState.READY,
        col(Job.not_before) <= bindparam("now"),
        Job.audience == bindparam("of_audience"),
    )
    .order_by(col(Job.not_before), col(Job.job_id))
    .limit(bindparam("number"))
    .with_for_update(skip_locked=True)
    .cte("next_ones")
    .prefix_with("MATERIALIZED", dialect="postgresql")
)
_TAKE = (
    update(Job)
    .where(col(Job.tenant_id) == _NEXT.c.tenant_id, col(Job.job_id) == _NEXT.c.job_id)
    .values(
        state=step(JobState.READY, "lease"),
        lease_owner=bindparam("owner"),
        lease_until=bindparam("until"),
        attempts=col(Job.attempts) + 1,
    )
    .returning(
        col(Job.not_before), col(Job.job_id), col(Job.kind), col(Job.audience), col(Job.payload), col(Job.attempts)
    )
)


def _take(tx: WriteTx, lane: Lane, audience: str, owner: str, until: int, limit: int) -> list[Leased]:
    of = {"tenant": lane.tenant_id, "of_kind": lane.kind, "of_audience": audience, "now": tx.now, "number": limit}
    rows = tx.session.connection().execute(_TAKE, {**of, "owner": owner, "until": until})
    return [Leased(lane.tenant_id, *row[1:]) for row in sorted(rows, key=itemgetter(0, 1))]


_IN_HAND = and_(
    col(Job.tenant_id) == bindparam("tenant"),
    col(Job.job_id) == bindparam("job"),
    col(Job.kind) == bindparam("of_kind"),
    col(Job.audience) == bindparam("of_audience"),
    col(Job.state) == JobState.LEASED,
    col(Job.attempts) == bindparam("attempt"),
)
_HELD = select(Job).where(_IN_HAND).with_for_update()


def _named(leased: Leased) -> dict[str, Any]:
    named = {"tenant": leased.tenant_id, "job": leased.job_id, "attempt": leased.attempts}
    return {**named, "of_kind": leased.kind, "of_audience": leased.audience}


def end(tx: WriteTx, leased: Leased, **values: Any) -> bool:
    """Set columns of a job in hand; False, and nothing is set, when this lease of it had been lost."""
    new = {f"new_{name}": value for name, value in values.items()}
    return tx.session.connection().execute(_setting(tuple(values)), _named(leased) | new).rowcount == 1


@cache
def _setting(names: tuple[str, ...]) -> Update:
    return update(Job).where(_IN_HAND).values({name: bindparam(f"new_{name}") for name in names})


def held(tx: WriteTx, leased: Leased) -> Job | None:
    """The job's row if this lease of it is still the newest; None when another worker has it."""
    return tx.session.exec(_HELD, params=_named(leased)).one_or_none()
