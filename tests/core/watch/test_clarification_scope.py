"""A watch on a clarification hears what becomes of it, and nothing of votes that settle nothing."""

from uuid import UUID

import pytest

from core.errors import InvalidRequest
from core.ids import derived
from core.model.watching import EventKind, ScopeType, WatchRequest
from core.store.tables import Job, WatchFire
from tests.support.memories import rows, watch_request
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


def test_a_question_is_put_to_people_by_its_own_card_and_not_by_a_watch(memory, ada):
    asked = opened(memory)
    with pytest.raises(InvalidRequest, match="by the card that asks them"):
        memory.watch(watch_request(ada, ScopeType.CLARIFICATION, str(asked), events=EVENTS), ada)
