"""Whose turn it is: a row for each tenant and kind of job, its lane, with the time at which it has its next turn.

Jobs are leased by turns over the lanes that are due, and within a lane the oldest first. A lane is due when its first
ready job is; after its turn it is due now if it has more, and so stands behind every lane that was due already, however
many jobs each has. One index gives the next lanes, another the next jobs of a lane: what a lease costs depends on
neither the number of tenants nor that of jobs.

A lane may say too early a time, which costs a look that mends it, and never too late a one. Whoever makes a job ready
lowers its lane's time in the same transaction; whoever gives a lane its next time first locks it and only then looks
at its jobs, in a statement of its own. Lanes are locked last and in order, so that nobody waits in a circle.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from sqlalchemy import Executable, bindparam, case, func, tuple_, union_all, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlmodel import col, select

from core.model.job_states import JobState
from core.store.tables import Job, JobLane

NEVER = 2**62
"""No job of this lane waits for its time."""


@dataclass(frozen=True, slots=True)
class Lane:
    tenant_id: str
    kind: str
    due_at: int
    taken: int


def lower(connection: Connection, due: Mapping[tuple[str, str], int]) -> None:
    """Let the lanes of these (tenant, kind) be due no later than this."""
    lanes = [
        {"tenant_id": tenant_id, "kind": kind, "due_at": at, "taken": 0}
        for (tenant_id, kind), at in sorted(due.items())
    ]
    connection.execute(_lowering(connection.dialect.name), lanes)


@cache
def _lowering(dialect: str) -> Executable:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    rows = insert(JobLane)
    return rows.on_conflict_do_update(
        index_elements=["tenant_id", "kind"],
        set_={"due_at": rows.excluded.due_at},
        where=col(JobLane.due_at) > rows.excluded.due_at,
    )


def next_due(connection: Connection, kinds: Collection[str], now: int, limit: int) -> list[Lane]:
    """The first lanes that are due, in the order of their turns."""
    if not kinds:
        return []
    asked = {f"kind{number}": kind for number, kind in enumerate(kinds)}
    found = connection.execute(_first_of(len(kinds)), {**asked, "now": now, "number": limit})
    return sorted((Lane(*row) for row in found), key=attrgetter("due_at", "taken", "tenant_id"))[:limit]


@cache
def _first_of(kinds: int) -> Executable:
    """Of each of so many kinds the first lanes that are due: one index has each in order, and none has all."""
    lanes = select(col(JobLane.tenant_id), col(JobLane.kind), col(JobLane.due_at), col(JobLane.taken))
    due = lanes.where(col(JobLane.due_at) <= bindparam("now")).order_by(col(JobLane.due_at), col(JobLane.taken))
    first = due.limit(bindparam("number"))
    of_each = (first.where(JobLane.kind == bindparam(f"kind{number}")) for number in range(kinds))
    return union_all(*(select(one.subquery()) for one in of_each))


_FIRST_JOB = (
    select(case((col(Job.not_before) < bindparam("now"), bindparam("now")), else_=col(Job.not_before)))
    .where(Job.tenant_id == JobLane.tenant_id, Job.kind == JobLane.kind, col(Job.state) == JobState.READY)
    .order_by(col(Job.not_before))
    .limit(1)
    .scalar_subquery()
)
_PASSED_ON = (
    update(JobLane)
    .where(col(JobLane.tenant_id) == bindparam("tenant"), col(JobLane.kind) == bindparam("of_kind"))
    .values(due_at=func.coalesce(_FIRST_JOB, NEVER), taken=JobLane.taken + bindparam("more"))
)


def pass_on(connection: Connection, taken: Mapping[Lane, int], now: int) -> None:
    """These lanes have had a turn of so many jobs: behind the others where more is due, else with their next job."""
    if connection.dialect.name == "postgresql":
        _lock(connection, taken)
    each = [
        {"tenant": lane.tenant_id, "of_kind": lane.kind, "more": number, "now": now} for lane, number in taken.items()
    ]
    connection.execute(_PASSED_ON, each)


def _lock(connection: Connection, lanes: Iterable[Lane]) -> None:
    keys = [(lane.tenant_id, lane.kind) for lane in lanes]
    rows = select(JobLane.taken).where(tuple_(col(JobLane.tenant_id), col(JobLane.kind)).in_(keys))
    in_order = rows.order_by(col(JobLane.tenant_id), col(JobLane.kind))
    connection.execute(in_order.with_for_update()).all()
