"""The fence for every kind and every audience, in both directions, whatever is done with a job."""

from dataclasses import replace
from itertools import product

import pytest

from core.errors import InvalidRequest
from core.jobs.kinds import FENCE, Audience, JobKind
from core.store import jobs
from core.store.tables import Job
from tests.support.memories import rows

DO = {
    "complete": lambda memory, leased: memory.jobs.complete(leased),
    "fail": lambda memory, leased: memory.jobs.fail(leased, "ValueError"),
    "extend": lambda memory, leased: memory.jobs.extend(leased),
}


def enqueue(memory, kind, audience=None):
    with memory._database.write("default") as tx:
        jobs.enqueue(tx, kind, audience or FENCE[kind], "subject", "cause", {}, tx.now)


def in_hand(memory, kind):
    enqueue(memory, kind)
    [leased] = memory.jobs.lease(FENCE[kind], [kind], "worker")
    return leased


@pytest.mark.parametrize("do", DO)
@pytest.mark.parametrize("kind", JobKind)
def test_only_its_own_audience_does_anything_with_a_job_in_hand(memory, kind, do):
    leased = in_hand(memory, kind)
    before = rows(memory, Job)
    for audience in set(Audience) - {FENCE[kind]}:
        with pytest.raises(InvalidRequest, match=f"{audience} may not lease {kind}"):
            DO[do](memory, replace(leased, audience=audience))
    assert rows(memory, Job) == before
    assert DO[do](memory, leased)


@pytest.mark.parametrize("kind", JobKind)
def test_a_job_in_hand_passes_for_no_other_kind(memory, kind):
    """Not even for one of its own audience's."""
    leased = in_hand(memory, kind)
    before = rows(memory, Job)
    for other, do in product(set(JobKind) - {kind}, DO):
        assert not DO[do](memory, replace(leased, kind=other, audience=FENCE[other]))
    assert rows(memory, Job) == before


@pytest.mark.parametrize("audience", Audience)
def test_a_row_that_names_another_audience_than_its_kinds_is_nobodys(memory, audience):
    kinds = [kind for kind in JobKind if FENCE[kind] is not audience]
    for kind in kinds:
        enqueue(memory, kind, audience)
        assert memory.jobs.lease(FENCE[kind], [kind], "worker") == []
    assert {job.state for job in rows(memory, Job)} == {"ready"}


@pytest.mark.parametrize("audience", Audience)
def test_a_kind_nobody_knows_is_nobodys(memory, audience):
    with pytest.raises(InvalidRequest, match=f"{audience} may not lease make:coffee"):
        memory.jobs.lease(audience, ["make:coffee"], "worker")


@pytest.mark.parametrize("do", DO)
def test_a_job_of_another_tenant_is_out_of_reach(memory, do):
    memory.people.ensure_tenant("second", "Second")
    leased = in_hand(memory, JobKind.CHECK_ANSWER)
    before = rows(memory, Job)
    assert not DO[do](memory, replace(leased, tenant_id="second"))
    assert rows(memory, Job) == before
