"""Leasing, finishing and failing jobs. A lease is a deadline: whoever holds a job past it has lost it."""

from collections.abc import Collection

from core.clock import SECOND
from core.errors import InvalidRequest
from core.ids import jitter
from core.jobs.backoff import wait
from core.jobs.kinds import Audience, JobKind, may_lease
from core.model.job_states import JobState, step
from core.model.work import Leased
from core.store import jobs
from core.store.database import ANY_TENANT, Database


class JobsEngine:
    def __init__(self, database: Database, *, lease_secs: int, max_attempts: int) -> None:
        self._database = database
        self._lease = lease_secs * SECOND
        self._max_attempts = max_attempts

    def lease(self, audience: Audience, kinds: Collection[JobKind], owner: str, limit: int = 1) -> list[Leased]:
        """Take due jobs. Raises InvalidRequest for a kind that is not this audience's: the fence."""
        for kind in kinds:
            if not may_lease(audience, kind):
                raise InvalidRequest(f"the audience {audience} may not lease {kind}")
        with self._database.read(ANY_TENANT) as tx:
            if not jobs.any_due(tx, audience, list(kinds), self._database.clock.now()):
                return []
        with self._database.write(ANY_TENANT) as tx:
            jobs.bury(tx, audience, self._max_attempts)
            return jobs.lease(tx, audience, list(kinds), owner, tx.now + self._lease, limit)

    def complete(self, leased: Leased) -> bool:
        """True when done; False when this lease had been lost."""
        with self._database.write(leased.tenant_id) as tx:
            job = jobs.held(tx, leased)
            if job is not None:
                job.state, job.error = step(JobState(job.state), "complete"), None
                tx.session.add(job)
            return job is not None

    def fail(self, leased: Leased, error: str) -> None:
        """Try again later, or give the job up for dead after the last attempt; it stays visible either way."""
        with self._database.write(leased.tenant_id) as tx:
            job = jobs.held(tx, leased)
            if job is None:
                return
            event = "give_up" if job.attempts >= self._max_attempts else "fail"
            job.state, job.error = step(JobState(job.state), event), error
            job.not_before = tx.now + wait(job.attempts, jitter())
            tx.session.add(job)
