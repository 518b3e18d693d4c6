"""What an operator sees of jobs, and trying again what was given up."""

from uuid import UUID

import pytest

from core.clock import HOUR, SECOND
from core.errors import InvalidRequest, NotFound
from core.jobs.kinds import FENCE, JobKind
from core.store import jobs
from tests.support.memories import audited

CHECK, REFRESH = JobKind.CHECK_ANSWER, JobKind.REFRESH_ANSWER


@pytest.fixture
def memory(reopen):
    return reopen(watch={"max_attempts": 2})


def enqueue(memory, cause="cause", kind=CHECK, tenant="default"):
    with memory._database.write(tenant) as tx:
        return jobs.enqueue(tx, kind, FENCE[kind], "subject", cause, {"n": 1}, tx.now)


def lease(memory, kind=CHECK, limit=10):
    return memory.jobs.lease(FENCE[kind], [kind], "worker", limit)


def dead(memory, cause="cause", kind=CHECK, tenant="default"):
    """A job that was given up."""
    job_id = enqueue(memory, cause, kind, tenant)
    for _ in range(2):
        [job] = lease(memory, kind)
        memory.jobs.fail(job, "ValueError at model.py:1")
        memory.clock.advance(HOUR)
    assert memory.jobs.get(tenant, job_id).state == "dead"
    return job_id


def found(memory, **how):
    return [job.job_id for job in memory.jobs.find("default", **how)]


def test_a_dead_job_is_seen_with_the_kind_and_place_of_its_error(memory):
    job_id = dead(memory)
    [job] = memory.jobs.find("default", state="dead")
    assert (job.job_id, job.kind, job.attempts, job.error) == (job_id, CHECK, 2, "ValueError at model.py:1")
    assert job == memory.jobs.get("default", job_id)


def test_jobs_are_found_by_state_and_kind_the_longest_due_first(memory, clock):
    given_up = dead(memory)
    first = enqueue(memory, "first", REFRESH)
    clock.advance(SECOND)
    second = enqueue(memory, "second", REFRESH)
    third = enqueue(memory, "third")
    [in_hand] = lease(memory)
    assert in_hand.job_id == third
    assert found(memory)[1:3] == [first, second]
    assert set(found(memory)) == {given_up, first, second, third}
    assert found(memory, kind=REFRESH) == [first, second]
    assert found(memory, kind=REFRESH, limit=1) == [first]
    assert found(memory, state="ready", kind=CHECK) == []
    assert found(memory, state="leased") == [third]
    memory.jobs.complete(in_hand)
    assert found(memory, state="done") == [third]
    assert third not in found(memory), "what is done nobody needs to look at"


@pytest.mark.parametrize(
    ("how", "named"), [({"state": "tired"}, "ready, leased, done, dead"), ({"kind": "tea"}, CHECK)]
)
def test_a_state_or_kind_that_is_none_is_told_with_those_that_are(memory, how, named):
    with pytest.raises(InvalidRequest, match=named):
        memory.jobs.find("default", **how)


def test_a_dead_job_is_tried_once_more_at_once_and_the_audit_says_so(memory):
    job_id = dead(memory)
    memory.jobs.retry("default", job_id, "person:1")
    [again] = lease(memory)
    assert (again.job_id, again.attempts) == (job_id, 3)
    memory.jobs.fail(again, "ValueError")
    assert memory.jobs.get("default", job_id).state == "dead"
    [row] = audited(memory)
    assert (row.actor, row.action, row.target) == ("person:1", "job_retried", f"job:{job_id}")


def test_a_lease_from_before_it_died_records_nothing_of_a_job_that_is_tried_again(memory, clock):
    job_id = enqueue(memory)
    [first] = lease(memory)
    for _ in range(2):
        clock.advance(HOUR)
        lease(memory)
    memory.jobs.retry("default", job_id)
    lease(memory)
    assert not memory.jobs.complete(first)
    assert memory.jobs.get("default", job_id).state == "leased"


@pytest.mark.parametrize("state", ["ready", "leased", "done"])
def test_only_a_dead_job_can_be_tried_again(memory, state):
    job_id = enqueue(memory)
    for job in [] if state == "ready" else lease(memory):
        if state == "done":
            memory.jobs.complete(job)
    before = memory.jobs.get("default", job_id)
    with pytest.raises(InvalidRequest, match=f"a job that is {state} cannot retry"):
        memory.jobs.retry("default", job_id)
    assert (memory.jobs.get("default", job_id), audited(memory)) == (before, [])


def test_all_that_are_dead_are_tried_again_and_nothing_else(memory):
    dead_ones = {dead(memory, "one"), dead(memory, "two"), dead(memory, "three", REFRESH)}
    done = enqueue(memory, "done")
    memory.jobs.complete(lease(memory)[0])
    assert memory.jobs.retry_dead("default") == 3
    assert {job.job_id for job in lease(memory) + lease(memory, REFRESH)} == dead_ones
    assert memory.jobs.get("default", done).state == "done"
    [row] = audited(memory)
    assert (row.action, row.detail) == ("jobs_retried", {CHECK: 2, REFRESH: 1})


def test_where_none_is_dead_nothing_is_tried_again_or_audited(memory):
    enqueue(memory)
    assert memory.jobs.retry_dead("default") == 0
    assert audited(memory) == []


def test_another_tenants_jobs_are_not_there(memory):
    memory.people.ensure_tenant("second", "Second")
    theirs = dead(memory, tenant="second")
    assert found(memory) == []
    for look in (memory.jobs.get, memory.jobs.retry):
        with pytest.raises(NotFound, match=str(theirs)):
            look("default", theirs)
    assert memory.jobs.retry_dead("default") == 0


def test_an_id_nobody_knows_is_named(memory):
    with pytest.raises(NotFound, match="there is no job 00000000-0000-0000-0000-000000000007"):
        memory.jobs.get("default", UUID(int=7))


def test_a_job_that_is_tried_again_rings_the_bell(memory):
    job_id, bell = dead(memory), memory.jobs.bell()
    bell.wait(0)
    memory.jobs.retry("default", job_id)
    assert bell.wait(30)
    bell.close()
