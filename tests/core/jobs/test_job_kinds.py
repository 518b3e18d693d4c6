import pytest

from core.jobs.kinds import FENCE, Audience, JobKind, may_lease

ALLOWED = {
    ("clarify", "notify:watch"),
    ("clarify", "notify:brief"),
    ("clarify", "notify:redact"),
    ("clarify", "notify:webhook"),
    ("clarify", "clarify:ask"),
    ("internal", "check:answer"),
    ("internal", "refresh:answer"),
}


@pytest.mark.parametrize("audience", Audience)
@pytest.mark.parametrize("kind", JobKind)
def test_the_fence_holds_in_both_directions(audience, kind):
    """Who may lease a kind can, and who may not cannot, for every pair."""
    assert may_lease(audience, kind) is ((audience, kind) in ALLOWED)


def test_no_kind_is_without_an_audience():
    assert set(FENCE) == set(JobKind)


@pytest.mark.parametrize("audience", [Audience.WORKER, Audience.CONNECTOR])
def test_reserved_audiences_lease_nothing(audience):
    assert not any(may_lease(audience, kind) for kind in JobKind)


def test_each_kind_has_exactly_one_audience():
    assert all(sum(may_lease(audience, kind) for audience in Audience) == 1 for kind in JobKind)
