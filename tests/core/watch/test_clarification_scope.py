"""A watch on a clarification hears what becomes of it, and nothing of votes that settle nothing."""

from uuid import UUID

import pytest

from core.errors import NotFound
from core.ids import derived
from core.model.watching import EventKind, ScopeType, WatchRequest
from core.store.tables import Job, WatchFire
from tests.support.memories import made_steward, rows, watch_request
from tests.support.questions import dispute, opened, says

EVENTS = (
    EventKind.CLARIFICATION_OPENED,
    EventKind.CLARIFICATION_BOUND,
    EventKind.CLARIFICATION_CONFLICTED,
)


def checking(answer_id, asked, events=EVENTS):
    """A watch that has an answer checked when a question moves."""
    target = {"kind": "internal", "job_kind": "check:answer", "answer_id": str(answer_id)}
    return WatchRequest("check", ScopeType.CLARIFICATION, (str(asked),), events, target)


def secret(memory):
    """A question about a record of what only the board may read."""
    memory.put_node(says(memory, "hr.md", 40, ("board",)))
    [asked] = memory.put_node(says(memory, "b.md", 55)).in_question
    return asked


def watching(who, *asked):
    return watch_request(who, ScopeType.CLARIFICATION, *map(str, asked), events=EVENTS)


def heard(memory):
    fires = sorted(rows(memory, WatchFire), key=lambda fire: fire.fire_tx)
    return [(event["kind"], UUID(event["changed_ref_id"])) for fire in fires for event in fire.events]


def test_each_transition_fires_the_job_that_its_target_names(memory, ada, bob):
    asked, answer = opened(memory, quorum=2), derived("answer")
    memory.sweep()
    memory.watch(checking(answer, asked), ada)
    memory.clarify.vote(asked, 0, ada)
    memory.sweep()
    assert heard(memory) == []
    memory.clarify.vote(asked, 1, bob)
    memory.sweep()
    memory.clarify.override("default", asked, 1)
    memory.sweep()
    assert heard(memory) == [("clarification_conflicted", asked), ("clarification_bound", asked)]
    jobs = [job.payload for job in rows(memory, Job) if job.kind == "check:answer"]
    assert jobs == [{"answer_id": str(answer)}] * 2


def test_of_what_happened_between_two_sweeps_the_last_counts(memory, ada, bob):
    asked = dispute(memory)
    memory.sweep()
    memory.watch(checking(derived("answer"), asked), ada)
    memory.put_node(says(memory, "c.md", 60))
    memory.clarify.mark_conflicted("default", asked)
    memory.clarify.override("default", asked, 2)
    memory.sweep()
    assert heard(memory) == [("clarification_bound", asked)]


def test_a_watch_hears_only_the_events_it_asked_for_and_only_of_its_own_question(memory, ada):
    asked = dispute(memory)
    memory.sweep()
    memory.watch(checking(derived("answer"), asked, EVENTS[1:2]), ada)
    memory.watch(checking(derived("answer", 2), derived("another")), ada)
    memory.put_node(says(memory, "c.md", 60))
    memory.sweep()
    assert heard(memory) == []
    memory.clarify.override("default", asked, 0)
    memory.sweep()
    assert heard(memory) == [("clarification_bound", asked)]


def test_whoever_may_read_what_a_question_is_about_may_watch_it(memory, ada):
    on_section, on_record = opened(memory), dispute(memory)
    for asked in (on_section, on_record):
        assert memory.watch(watching(ada, asked), ada).fresh
        assert not memory.watch(watching(ada, asked), ada).fresh
    assert [view.scope_type for view in memory.watches(ada)] == [ScopeType.CLARIFICATION] * 2


def test_of_another_question_and_of_none_a_watch_is_told_alike_that_there_is_nothing(memory, ada):
    hidden = secret(memory)
    for asked in (hidden, derived("none")):
        with pytest.raises(NotFound):
            memory.watch(watching(ada, asked), ada)
    with pytest.raises(NotFound):
        memory.watch(watching(ada, opened(memory), hidden), ada)
    assert memory.watches(ada) == []


def test_a_shared_watch_needs_the_same_right_of_its_owner(memory, ada):
    hidden = secret(memory)
    target = {"kind": "chat_shared", "audience": {"roles": ["board"]}}
    shared = WatchRequest("team", ScopeType.CLARIFICATION, (str(hidden),), EVENTS, target)
    with pytest.raises(NotFound):
        memory.watch(shared, made_steward(memory, ada))
