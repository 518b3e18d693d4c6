"""Leasing, finishing and failing jobs. A lease is a deadline: whoever holds a job past it has lost it.

A worker that is still at a job extends its lease; one that has lost it, or has another audience, can record nothing.
"""

from collections.abc import Collection
from dataclasses import fields
from typing import Any
from uuid import UUID

from core.clock import SECOND
from core.errors import InvalidRequest
from core.ids import jitter
from core.jobs.backoff import wait
from core.jobs.kinds import Audience, JobKind, may_lease
from core.jobs.views import JobView, kinds_named, states_named
from core.model.bell import Bell
from core.model.job_states import JobState, step
from core.model.principals import OPERATOR
from core.model.work import Leased
from core.store import audit, jobs, jobs_by_hand, lanes
from core.store.database import ANY_TENANT, Database
from core.store.lanes import Lane


class JobsEngine:
    def __init__(self, database: Database, *, lease_secs: int, max_attempts: int) -> None:
        self._database = database
        self._lease = lease_secs * SECOND
        self._max_attempts = max_attempts

    def bell(self) -> Bell:
        """Rung when a job is due that was not: a wait that ends in well under a tick, or with the tick."""
        return self._database.bell()

    def lease(self, audience: Audience, kinds: Collection[JobKind], owner: str, limit: int = 1) -> list[Leased]:
        """Take due jobs, by turns over tenants. Raises InvalidRequest for a kind that is not this audience's."""
        for kind in kinds:
            _fence(audience, kind)
        turns = self._turns(sorted(kinds), limit)
        if not turns:
            return []
        with self._database.write(ANY_TENANT) as tx:
            return jobs.lease(tx, turns, audience, owner, tx.now + self._lease, limit)

    def _turns(self, kinds: Collection[JobKind], limit: int) -> list[Lane]:
        """Whose turn it is: a look that no writer waits for, but where leases have run out."""
        now = self._database.clock.now()
        with self._database.read(ANY_TENANT) as tx:
            turns, lost = lanes.next_due(tx.session.connection(), kinds, now, limit), jobs.any_lost(tx, now)
        if not lost:
            return turns
        with self._database.write(ANY_TENANT) as tx:
            jobs.expire(tx, self._max_attempts)
        with self._database.read(ANY_TENANT) as tx:
            return lanes.next_due(tx.session.connection(), kinds, now, limit)

    def extend(self, leased: Leased) -> bool:
        """Keep a job for as long again from now; False when this lease had been lost."""
        _fence(leased.audience, leased.kind)
        with self._database.write(leased.tenant_id) as tx:
            return jobs.end(tx, leased, state=step(JobState.LEASED, "extend"), lease_until=tx.now + self._lease)

    def complete(self, leased: Leased) -> bool:
        """True when done; False when this lease had been lost."""
        _fence(leased.audience, leased.kind)
        with self._database.write(leased.tenant_id) as tx:
            return jobs.end(tx, leased, state=step(JobState.LEASED, "complete"), error=None)

    def release(self, leased: Leased) -> bool:
        """Give a job back that was not ended; False when this lease had been lost."""
        _fence(leased.audience, leased.kind)
        with self._database.write(leased.tenant_id) as tx:
            ours = jobs.end(tx, leased, state=step(JobState.LEASED, "release"), not_before=tx.now)
            if ours:
                tx.job_due(leased.tenant_id, leased.kind, tx.now)
            return ours

    def fail(self, leased: Leased, error: str) -> bool:
        """Try again later, or give the job up for dead after the last attempt; False when this lease had been lost.

        `error`: its kind and where it came from, never its words: the row is shown, and no erasure finds them there.
        """
        _fence(leased.audience, leased.kind)
        event = "give_up" if leased.attempts >= self._max_attempts else "fail"
        with self._database.write(leased.tenant_id) as tx:
            again_at = tx.now + wait(leased.attempts, jitter())
            ours = jobs.end(tx, leased, state=step(JobState.LEASED, event), error=error, not_before=again_at)
            if ours and event == "fail":
                tx.job_due(leased.tenant_id, leased.kind, again_at)
            return ours

    # ── by hand ──

    def find(self, tenant_id: str, *, state: str = "", kind: str = "", limit: int = 50) -> list[JobView]:
        """A tenant's jobs, the longest due first; without a state, those that are not done. Raises InvalidRequest."""
        states, kinds = states_named(state), kinds_named(kind)
        with self._database.read(tenant_id) as tx:
            return [_view(job) for job in jobs_by_hand.find(tx, states, kinds, limit)]

    def get(self, tenant_id: str, job_id: UUID) -> JobView:
        """Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            return _view(jobs_by_hand.get(tx, job_id))

    def retry(self, tenant_id: str, job_id: UUID, actor: str = OPERATOR) -> None:
        """Let a dead job be tried once more, now. Raises NotFound, and InvalidRequest for one that is not dead."""
        with self._database.write(tenant_id) as tx:
            jobs_by_hand.retry(tx, job_id)
            audit.record(tx, actor, "job_retried", f"job:{job_id}")

    def retry_dead(self, tenant_id: str, actor: str = OPERATOR) -> int:
        """Let every dead job of a tenant be tried once more, now; how many."""
        with self._database.write(tenant_id) as tx:
            numbers = jobs_by_hand.retry_dead(tx, tuple(JobKind))
            if numbers:
                audit.record(tx, actor, "jobs_retried", "jobs:dead", detail=numbers)
        return sum(numbers.values())


def _view(job: Any) -> JobView:
    return JobView(**{field.name: getattr(job, field.name) for field in fields(JobView)})


def _fence(audience: str, kind: str) -> None:
    if not may_lease(audience, kind):
        raise InvalidRequest(f"the audience {audience} may not lease {kind}")
