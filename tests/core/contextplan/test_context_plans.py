"""What a plan keeps of a session, what it leaves out, and what it says of that."""

from itertools import dropwhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contextplan import (
    ByteEstimator,
    ContextPlanError,
    ContextPlanner,
    Elision,
    ElisionReason,
    Event,
    PayloadNotFound,
    PayloadStatus,
    PlanResult,
    Session,
    Window,
    stub_content,
)
from tests.fakes.estimators import Figured, largest, size
from tests.fakes.payloads import FakePayloads, FakeSpool, address
from tests.strategies.conversations import Said, additive_estimators, held, talks, windows


def plan(talk, window, estimator=None, spool=None) -> PlanResult:
    payloads, session = held(talk)
    return ContextPlanner(payloads, spool).plan(session, window, estimator or ByteEstimator())


def reason(result: PlanResult, said: Said) -> ElisionReason | None:
    return next((elision.reason for elision in result.elisions if elision.ref == address(said.content)), None)


# ── the window ──


@given(talks(), windows(), additive_estimators())
def test_the_window_is_never_exceeded(talk, window, estimator):
    result = plan(talk, window, estimator)
    assert result.estimated_tokens == estimator.estimate(result.messages)
    assert result.estimated_tokens <= max(window.budget, estimator.overhead)


@given(talks(), windows())
def test_the_window_is_never_exceeded_by_an_estimator_that_is_not_additive_either(talk, window):
    assert plan(talk, window, Figured(largest)).estimated_tokens <= window.budget


@given(talks(), windows())
def test_the_first_message_that_was_left_out_would_not_have_fitted(talk, window):
    result = plan(talk, window)
    over = [said for said in reversed(talk) if reason(result, said) in {"window_overflow", "retention_expired"}]
    if over:
        newer = talk[talk.index(over[0]) + 1 :]
        whole = [said.content for said in newer if reason(result, said) is None]
        assert sum(4 + -(-len(content) // 4) for content in [*whole, over[0].content]) > window.budget


# ── order ──


@given(talks(), windows())
def test_every_event_is_kept_whole_or_has_its_line(talk, window):
    result = plan(talk, window)
    whole = [said for said in talk if reason(result, said) is None]
    stubs = [said for said in talk if reason(result, said) == "retention_expired"]
    assert len(whole) + len(result.elisions) == len(talk)
    assert len(whole) + len(stubs) == len(result.messages)


@given(talks(), windows())
def test_messages_are_in_the_order_of_the_session_and_elisions_in_the_opposite(talk, window):
    result = plan(talk, window)
    shown = {said.content: said.content for said in talk} | {stub_content(said.content): said.content for said in talk}
    places = {said.content: place for place, said in enumerate(talk)}
    order = [places[shown[message.content]] for message in result.messages]
    assert order == sorted(order)
    assert [message.role for message in result.messages] == [talk[place].role for place in order]
    refs = [address(said.content) for said in reversed(talk)]
    assert [elision.ref for elision in result.elisions] == [ref for ref in refs if ref in lines(result)]


def lines(result: PlanResult) -> dict[str, Elision]:
    return {elision.ref: elision for elision in result.elisions}


@given(talks(), windows())
def test_what_is_kept_whole_is_the_newest_without_a_hole(talk, window):
    result = plan(talk, window)
    fitting = [reason(result, said) for said in talk if reason(result, said) not in {"revoked", "reasoning_redacted"}]
    assert not any(dropwhile(lambda each: each is not None, fitting))


# ── what must not come in ──


@given(talks(), windows())
def test_reasoning_never_comes_in_again(talk, window):
    result = plan(talk, window)
    for said in talk:
        if said.kind == "reasoning":
            assert reason(result, said) == ("revoked" if said.revoked else "reasoning_redacted")
            assert said.content not in {message.content for message in result.messages}


@given(talks(), windows(), st.sets(st.integers(0, 11)))
def test_what_is_revoked_between_two_plans_is_in_the_first_alone(talk, window, places):
    payloads, session = held(talk)
    planner = ContextPlanner(payloads, FakeSpool())
    planner.plan(session, window, ByteEstimator())
    gone = [said for place, said in enumerate(talk) if place in places]
    for said in gone:
        payloads.revoke(address(said.content))
    result = planner.plan(session, window, ByteEstimator())
    assert {reason(result, said) for said in gone} <= {"revoked"}
    assert not {said.content for said in gone} & {message.content for message in result.messages}
    assert all(
        elision.kept == 0 and not elision.spool_ref for elision in result.elisions if elision.reason == "revoked"
    )


def test_what_is_denied_and_gone_a_moment_later_is_left_out_as_revoked():
    class Going(FakePayloads):
        def status(self, ref: str) -> PayloadStatus:
            raise PayloadNotFound(ref)

    payloads = Going()
    gone, stays = (Event(payloads.put(words), "user", "message") for words in (b"gone", b"stays"))
    payloads.revoke(gone.payload_ref)
    result = ContextPlanner(payloads).plan(Session([gone, stays]), Window(99, 0), ByteEstimator())
    assert [message.content for message in result.messages] == [b"stays"]
    assert result.elisions == [Elision(gone.payload_ref, ElisionReason.REVOKED)]


@given(talks(), windows())
def test_every_payload_is_read_once_and_from_the_newest_however_little_fits(talk, window):
    payloads, session = held(talk)
    ContextPlanner(payloads).plan(session, window, ByteEstimator())
    assert payloads.read == [event.payload_ref for event in reversed(session.events)]


@given(talks(), windows(), st.integers(0, 12), st.sampled_from(["message", "reasoning"]))
def test_a_payload_that_is_missing_fails_the_plan_wherever_it_is(talk, window, place, kind):
    payloads, session = held(talk)
    events = [*session.events[:place], Event("sha256:0", "user", kind), *session.events[place:]]
    with pytest.raises(PayloadNotFound) as caught:
        ContextPlanner(payloads).plan(Session(events), window, ByteEstimator())
    assert caught.value.kind == "payload_not_found"
    assert "sha256:0" in str(caught.value)


# ── stubs and the spool ──


@given(talks(), windows())
def test_only_what_is_kept_for_compliance_leaves_a_stub(talk, window):
    result = plan(talk, window)
    for said in talk:
        if reason(result, said) == "retention_expired":
            assert said.retention == "compliance"
            assert lines(result)[address(said.content)].kept == len(stub_content(said.content))
        elif reason(result, said):
            assert lines(result)[address(said.content)].kept == 0


def test_a_small_message_older_than_one_that_did_not_fit_stays_out_but_a_stub_comes_in():
    kinds = {"role": "user", "kind": "message", "subject_id": "one", "revoked": False}
    talk = [Said(text, retention=kept, **kinds) for text, kept in ((b"s", "compliance"), (b"m", "session"))]
    talk += [Said(b"w" * 90, retention="session", **kinds), Said(b"new", retention="session", **kinds)]
    result = plan(talk, Window(20, 0))
    assert [message.content for message in result.messages] == [b"s", b"new"]
    reasons = ["window_overflow", "window_overflow", "retention_expired"]
    assert [elision.reason for elision in result.elisions] == reasons


@given(talks(), windows())
def test_what_had_no_room_is_spooled_whole_for_its_subject_and_nothing_else_is(talk, window):
    spool = FakeSpool()
    result = plan(talk, window, spool=spool)
    for said in talk:
        ref = address(said.content)
        if reason(result, said) in {"window_overflow", "retention_expired"}:
            assert spool.load(said.subject_id, lines(result)[ref].spool_ref) == said.content
        else:
            assert ref not in spool.contents


@given(talks(), windows())
def test_a_spool_that_fails_changes_nothing(talk, window):
    assert plan(talk, window, spool=FakeSpool(fail_put=True)) == plan(talk, window)


# ── one plan and another ──


@given(st.lists(talks(max_size=6), min_size=2, max_size=4), windows(), st.randoms(use_true_random=False))
def test_plans_say_the_same_in_whatever_order_they_are_made(several, window, dice):
    payloads = FakePayloads()
    sessions = []
    for talk in several:
        some, session = held(talk)
        payloads.held |= some.held
        payloads.revoked |= some.revoked
        sessions.append(session)
    planner = ContextPlanner(payloads)
    alone = [planner.plan(session, window, ByteEstimator()) for session in sessions]
    order = dice.sample(range(len(sessions)), len(sessions))
    again = {place: planner.plan(sessions[place], window, ByteEstimator()) for place in order}
    assert [again[place] for place in range(len(sessions))] == alone


def test_no_session_is_an_error_and_an_empty_one_is_an_empty_plan():
    planner = ContextPlanner(FakePayloads())
    with pytest.raises(ContextPlanError, match="no session") as caught:
        planner.plan(None, Window(0, 0), ByteEstimator())
    assert caught.value.kind == "nil_session"
    assert planner.plan(Session([]), Window(9, 0), Figured(size, fail_at_counts=[0])) == PlanResult((), (), 0)


def test_what_else_a_store_fails_with_comes_through():
    class Unreachable(FakePayloads):
        def get(self, ref):
            raise OSError(ref)

    with pytest.raises(OSError, match="r-1"):
        ContextPlanner(Unreachable()).plan(Session([Event("r-1", "user", "message")]), Window(9, 0), ByteEstimator())
