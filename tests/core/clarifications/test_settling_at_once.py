"""Several settle one thing at once: one of them does, the others are told, and nothing is written twice."""

from core.model.clarifying import ClarificationState
from core.store.tables import Clarification, Feed, Job
from tests.support.memories import page, put, rows
from tests.support.questions import dispute, newest, opened, price, says, state, stewards
from tests.support.threads import at_once


def bound(memory):
    return [row for row in rows(memory, Feed) if row.change == "clarification_bound"]


def test_two_votes_at_once_that_bind_bind_once(memory, ada, bob):
    asked = opened(memory)
    votes = at_once(
        lambda: memory.clarify.vote(asked, 0, ada),
        lambda: memory.clarify.vote(asked, 1, bob),
    )
    assert sorted(vote.counted for vote in votes) == [False, True]
    assert {vote.state for vote in votes} == {ClarificationState.BOUND}
    assert len(bound(memory)) == 1
    assert len(newest(memory, asked).votes) == 1


def test_a_vote_while_a_steward_overrides_never_undoes_the_steward(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    vote, overridden = at_once(
        lambda: memory.clarify.vote(asked, 0, steward),
        lambda: memory.clarify.override("default", asked, 1, steward),
    )
    assert overridden is None
    assert vote.state is ClarificationState.BOUND
    assert (newest(memory, asked).bound, price(memory, ada)) == (1, 55)


def test_documents_that_settle_it_while_people_vote_leave_one_outcome(memory, ada):
    [steward] = stewards(memory, "Stew")
    asked = dispute(memory)
    agreeing = says(memory, "a.md", 55)
    vote, told = at_once(
        lambda: memory.clarify.vote(asked, 1, steward),
        lambda: memory.put_node(agreeing),
    )
    assert told.written
    assert vote.state is ClarificationState.BOUND
    assert (state(memory, asked), price(memory, ada), len(bound(memory))) == ("bound", 55, 1)


def test_two_who_recount_move_it_once(memory, ada):
    dispute(memory)
    put(memory, "a.md", page("a.md", {"Meals": "Meals are free now."}))
    at_once(*[lambda: memory.clarify.recount("default")] * 2)
    assert len(bound(memory)) == 1
    assert price(memory, ada) == 55


def test_the_same_question_opened_by_two_at_once_is_one(memory, ada):
    first, second = at_once(lambda: opened(memory), lambda: opened(memory))
    assert first == second
    assert len(rows(memory, Clarification)) == 1
    assert len([job for job in rows(memory, Job) if job.kind == "clarify:ask"]) == 1
