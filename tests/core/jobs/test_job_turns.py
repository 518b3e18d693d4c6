"""Jobs are leased by turns over tenants: how many one has holds up none of another's."""

from collections import Counter
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from core.clock import HOUR, SECOND
from core.jobs.kinds import FENCE, JobKind
from core.store import jobs
from core.store.tables import Job, JobLane
from tests.support.memories import change_row, open_memory, rows
from tests.support.steps import steps

CHECK, REFRESH = JobKind.CHECK_ANSWER, JobKind.REFRESH_ANSWER
MANY = 30_000
TENANTS = ("a", "b", "c")


def enqueue(memory, tenant, number=1, *, kind=CHECK, cause="cause", in_=0):
    memory.people.ensure_tenant(tenant, tenant)
    with memory._database.write(tenant) as tx:
        subjects = {UUID(int=n): {} for n in range(number)}
        jobs.enqueue_each(tx, kind, FENCE[kind], cause, subjects, tx.now + in_)


def lease(memory, limit=1, kinds=(CHECK,)):
    return memory.jobs.lease(FENCE[kinds[0]], kinds, "worker", limit)


def tenants_of(leased):
    return [job.tenant_id for job in leased]


def lanes(memory):
    return {(lane.tenant_id, lane.kind): lane.due_at for lane in rows(memory, JobLane, None)}


def test_a_tenant_with_very_many_due_jobs_holds_up_no_others_first(memory):
    enqueue(memory, "a", MANY)
    memory.clock.advance(1)
    enqueue(memory, "b")
    assert tenants_of(lease(memory)) == ["a"], "which waited longer"
    assert tenants_of(lease(memory)) == ["b"]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 8])
def test_of_each_tenant_with_enough_about_as_many_are_taken(memory, limit):
    for tenant in TENANTS:
        enqueue(memory, tenant, 50)
    taken = Counter()
    for _ in range(12):
        leased = lease(memory, limit)
        assert len(leased) == limit
        taken.update(tenants_of(leased))
    assert max(taken.values()) - min(taken.values()) <= limit
    assert set(taken) == set(TENANTS)


def test_what_a_tenant_leaves_of_its_share_is_another_s(memory):
    enqueue(memory, "a")
    enqueue(memory, "b", 50)
    assert Counter(tenants_of(lease(memory, 8))) == {"a": 1, "b": 7}


def test_within_a_tenant_the_oldest_goes_first_whatever_was_made_first(memory, clock):
    for number, age in enumerate((1, 3, 2)):
        enqueue(memory, "a", cause=number, in_=-age)
    taken = [lease(memory)[0].job_id for _ in range(3)]
    assert taken == [job.job_id for job in sorted(rows(memory, Job, "a"), key=lambda job: job.not_before)]


def test_whoever_makes_jobs_without_end_does_not_come_before_who_waits(memory, clock):
    enqueue(memory, "b", 3)
    taken = []
    for number in range(4):
        clock.advance(1)
        enqueue(memory, "a", cause=number, in_=-HOUR)
        taken += tenants_of(lease(memory))
    assert taken.count("b") == 2


def test_kinds_take_turns_too(memory):
    enqueue(memory, "a", 50, kind=CHECK)
    enqueue(memory, "a", 1, kind=REFRESH)
    assert Counter(job.kind for job in lease(memory, 4, (CHECK, REFRESH))) == {CHECK: 3, REFRESH: 1}


def test_a_tenant_whose_next_job_is_for_later_waits_for_it(memory, clock):
    enqueue(memory, "a", in_=HOUR)
    enqueue(memory, "a", cause="now")
    [first] = lease(memory, 8)
    assert memory.jobs.complete(first)
    assert lease(memory, 8) == []
    clock.advance(HOUR)
    assert len(lease(memory, 8)) == 1


def test_a_job_made_earlier_than_those_that_wait_brings_the_turn_forward(memory, clock):
    enqueue(memory, "a", in_=HOUR)
    enqueue(memory, "a", cause="sooner", in_=SECOND)
    clock.advance(SECOND)
    assert len(lease(memory, 8)) == 1


def test_a_turn_that_was_said_too_early_costs_one_look(memory):
    enqueue(memory, "a", in_=HOUR)
    change_row(memory, JobLane, ("a", CHECK), due_at=0)
    assert lease(memory) == []
    assert lanes(memory)["a", CHECK] == memory.clock.now() + HOUR


def test_a_tenant_whose_turn_it_is_is_not_hidden_by_another_worker_in_the_middle_of_it(postgres_url, clock):
    """Of the one tenant that there is, two processes take different jobs at the same time."""
    memory = open_memory(postgres_url, clock)
    enqueue(memory, "a", 4)
    with memory._database.write("") as tx:
        held = jobs.lease(tx, [first_lane(memory)], FENCE[CHECK], "one", tx.now + HOUR, 2)
        with memory._database.write("") as other:
            took = jobs._take(other, first_lane(memory), FENCE[CHECK], "two", other.now + HOUR, 2)
    assert len({job.job_id for job in held + took}) == 4
    memory.close()


def first_lane(memory):
    [lane] = memory.jobs._turns([CHECK], 1)
    return lane


# ── what it costs ──


@pytest.mark.parametrize("limit", [1, 8])
def test_a_lease_costs_the_same_among_many_jobs_and_tenants_as_among_few(sqlite_url, clock, limit):
    memory = open_memory(sqlite_url, clock)
    for tenant in range(10):
        enqueue(memory, f"few{tenant}", 10)
    lease(memory, limit)
    with steps(memory) as few:
        lease(memory, limit)
    for tenant in range(200):
        enqueue(memory, f"later{tenant}", 5, in_=HOUR)
        enqueue(memory, f"due{tenant}", 5)
    enqueue(memory, "flood", 20_000)
    with steps(memory) as many:
        lease(memory, limit)
    assert many[0] <= few[0] * 1.5 + 20
    memory.close()


@pytest.mark.parametrize("in_", [HOUR, 0])
def test_a_poll_that_finds_nothing_costs_nothing(sqlite_url, clock, in_):
    """Of jobs for later, and of jobs in somebody's hands."""
    memory = open_memory(sqlite_url, clock)

    def wait(name, tenants, number):
        for tenant in range(tenants):
            enqueue(memory, f"{name}{tenant}", number, in_=in_)
        while in_ == 0 and lease(memory, 1000):
            pass

    wait("few", 2, 10)
    with steps(memory) as few:
        assert lease(memory) == []
    wait("many", 100, 100)
    with steps(memory) as many:
        assert lease(memory) == []
    assert many[0] <= few[0] * 1.5 + 20
    memory.close()


# ── a lane never says too late a time ──


ACTS = st.one_of(
    st.tuples(st.just("enqueue"), st.sampled_from(TENANTS), st.integers(-5, 100)),
    st.tuples(st.just("lease"), st.integers(1, 5)),
    st.tuples(st.just("complete"), st.integers(0, 9)),
    st.tuples(st.just("fail"), st.integers(0, 9)),
    st.tuples(st.just("advance"), st.integers(1, 90)),
)


def act(memory, hands, number, name, *how):
    if name == "enqueue":
        tenant, secs = how
        enqueue(memory, tenant, cause=number, in_=secs * SECOND)
    elif name == "lease":
        hands += lease(memory, *how)
    elif name == "advance":
        memory.clock.advance(how[0] * SECOND)
    elif hands:
        job = hands.pop(how[0] % len(hands))
        memory.jobs.complete(job) if name == "complete" else memory.jobs.fail(job, "ValueError")


def says_too_late(memory):
    said, now = lanes(memory), memory.clock.now()
    ready = [job for job in rows(memory, Job, None) if job.state == "ready"]
    return [job for job in ready if said[job.tenant_id, job.kind] > max(job.not_before, now)]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, max_size=40))
def test_whatever_is_done_no_lane_says_too_late_a_time_and_every_job_comes_to_an_end(memory, acts):
    hands = []
    with memory._database.write("") as tx:
        for table in (Job, JobLane):
            tx.session.exec(delete(table))
    for number, (name, *how) in enumerate(acts):
        act(memory, hands, number, name, *how)
        assert says_too_late(memory) == []
    for _ in range(20):
        while leased := lease(memory, 8):
            for job in leased:
                memory.jobs.complete(job)
        memory.clock.advance(HOUR)
    assert {job.state for job in rows(memory, Job, None)} <= {"done", "dead"}
