"""Leases through Memory: the fence in both directions, deadlines, lost leases, and the way to dead."""

import pytest

from core.clock import HOUR, SECOND
from core.errors import InvalidRequest
from core.jobs.kinds import FENCE, Audience, JobKind
from core.store import jobs
from core.store.tables import Job
from tests.support.memories import rows
from tests.support.threads import at_once

CHECK = JobKind.CHECK_ANSWER


def enqueue(memory, kind=CHECK, cause="cause", not_before=None):
    with memory._database.write("default") as tx:
        return jobs.enqueue(
            tx, kind, FENCE[kind], "subject", cause, {"n": 1}, tx.now if not_before is None else not_before
        )


def lease(memory, limit=1, kind=CHECK):
    return memory.jobs.lease(FENCE[kind], [kind], "worker", limit)


def state(memory):
    return [job.state for job in rows(memory, Job)]


@pytest.mark.parametrize("kind", JobKind)
@pytest.mark.parametrize("audience", Audience)
def test_only_a_kinds_own_audience_may_lease_it(memory, audience, kind):
    enqueue(memory, kind)
    if FENCE[kind] is audience:
        assert len(memory.jobs.lease(audience, [kind], "worker")) == 1
        return
    with pytest.raises(InvalidRequest, match=f"{audience} may not lease {kind}"):
        memory.jobs.lease(audience, [kind], "worker")
    assert state(memory) == ["ready"]


def test_one_foreign_kind_in_a_list_refuses_the_whole_lease(memory):
    enqueue(memory)
    with pytest.raises(InvalidRequest):
        memory.jobs.lease(Audience.INTERNAL, [CHECK, JobKind.NOTIFY_WATCH], "worker", 10)
    assert state(memory) == ["ready"]


def test_a_kind_is_leased_only_when_named(memory):
    enqueue(memory, JobKind.REFRESH_ANSWER)
    assert lease(memory) == []


def test_enqueueing_twice_for_one_cause_is_once_and_another_cause_is_another_job(memory):
    assert enqueue(memory) == enqueue(memory) != enqueue(memory, cause="later")
    assert len(rows(memory, Job)) == 2


def test_a_done_job_does_not_come_back_for_its_old_cause(memory):
    enqueue(memory)
    memory.jobs.complete(lease(memory)[0])
    enqueue(memory)
    assert state(memory) == ["done"]


def test_a_job_waits_for_its_time(memory, clock):
    enqueue(memory, not_before=clock.now() + HOUR)
    assert lease(memory) == []
    clock.advance(HOUR)
    assert len(lease(memory)) == 1


def test_jobs_are_leased_oldest_first_and_no_more_than_asked(memory, clock):
    for age in (1, 3, 2):
        enqueue(memory, cause=age, not_before=clock.now() - age)
    assert [job.job_id for job in lease(memory, 2)] == [
        job.job_id for job in sorted(rows(memory, Job), key=lambda job: job.not_before)[:2]
    ]


def test_a_leased_job_is_nobody_elses_until_its_lease_runs_out(memory, clock):
    enqueue(memory)
    (first,) = lease(memory)
    assert lease(memory) == []
    clock.advance(60 * SECOND)
    (second,) = lease(memory)
    assert (second.job_id, second.attempts) == (first.job_id, 2)


def test_a_lost_lease_can_neither_complete_nor_fail(memory, clock):
    enqueue(memory)
    (first,) = lease(memory)
    clock.advance(60 * SECOND)
    (second,) = lease(memory)
    memory.jobs.fail(first, "too late")
    assert not memory.jobs.complete(first)
    assert state(memory) == ["leased"]
    assert memory.jobs.complete(second)
    assert not memory.jobs.complete(second)


def test_an_extended_lease_runs_its_whole_time_from_then(memory, clock):
    enqueue(memory)
    (job,) = lease(memory)
    for _ in range(5):
        clock.advance(40 * SECOND)
        assert memory.jobs.extend(job)
        assert lease(memory) == []
    clock.advance(59 * SECOND)
    assert lease(memory) == []
    clock.advance(SECOND)
    assert [again.attempts for again in lease(memory)] == [2]


def test_a_lost_lease_cannot_be_extended(memory, clock):
    enqueue(memory)
    (first,) = lease(memory)
    clock.advance(60 * SECOND)
    (second,) = lease(memory)
    clock.advance(30 * SECOND)
    assert not memory.jobs.extend(first)
    clock.advance(30 * SECOND)
    (third,) = lease(memory)
    assert (third.job_id, third.attempts) == (second.job_id, 3), "the second lease was not made longer either"


@pytest.mark.parametrize("end", ["complete", "fail"])
def test_a_job_that_has_ended_cannot_be_extended_or_ended_again(memory, end):
    enqueue(memory)
    (job,) = lease(memory)
    ended = {"complete": lambda: memory.jobs.complete(job), "fail": lambda: memory.jobs.fail(job, "ValueError")}
    assert ended[end]()
    before = rows(memory, Job)
    assert not memory.jobs.extend(job)
    assert not any(again() for again in ended.values())
    assert rows(memory, Job) == before


def test_a_job_whose_lease_ran_out_keeps_its_place(memory, clock):
    """What has waited longest goes first, also when its worker died."""
    enqueue(memory, cause="old")
    (job,) = lease(memory)
    clock.advance(30 * SECOND)
    enqueue(memory, cause="new")
    clock.advance(30 * SECOND)
    assert lease(memory)[0].job_id == job.job_id


def test_two_workers_at_once_never_lease_one_job_twice(memory):
    for cause in range(6):
        enqueue(memory, cause=cause)
    leased = at_once(*[lambda: lease(memory, 3)] * 3)
    ids = [job.job_id for found in leased for job in found]
    assert len(ids) == len(set(ids))


def test_a_failing_job_waits_longer_each_time_and_ends_dead_with_its_error(reopen, clock):
    memory = reopen(watch={"max_attempts": 3})
    enqueue(memory)
    waits = []
    for _ in range(3):
        (job,) = lease(memory)
        memory.jobs.fail(job, "no luck")
        waits.append(rows(memory, Job)[0].not_before - clock.now())
        assert lease(memory) == []
        clock.advance(2 * HOUR)
    assert waits == sorted(waits)
    assert (state(memory), rows(memory, Job)[0].error, lease(memory)) == (["dead"], "no luck", [])


def test_a_job_whose_workers_keep_dying_is_dead_in_the_end(reopen, clock):
    """It may be what kills them: it must not be handed out for ever."""
    memory = reopen(watch={"max_attempts": 3})
    enqueue(memory)
    for _ in range(3):
        assert len(lease(memory)) == 1
        clock.advance(60 * SECOND)
    assert lease(memory) == []
    assert state(memory) == ["dead"]
    assert "lease" in rows(memory, Job)[0].error


def test_a_job_that_is_given_back_is_anybodys_at_once_and_no_longer_its_workers(memory):
    enqueue(memory)
    [mine] = lease(memory)
    assert lease(memory) == []
    assert memory.jobs.release(mine)
    [theirs] = lease(memory)
    assert (theirs.job_id, theirs.attempts) == (mine.job_id, mine.attempts + 1)
    assert not memory.jobs.release(mine), "it is another's by now"
    assert memory.jobs.complete(theirs)
