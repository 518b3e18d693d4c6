from core.model.job_states import TRANSITIONS, JobState


def reachable(start):
    seen, todo = set(), [start]
    while todo:
        state = todo.pop()
        seen.add(state)
        todo.extend(set(TRANSITIONS[state].values()) - seen)
    return seen


def test_every_state_has_its_row_and_is_reached_from_ready():
    assert set(TRANSITIONS) == reachable(JobState.READY) == set(JobState)


def test_done_is_the_end():
    assert TRANSITIONS[JobState.DONE] == {}


def test_only_a_lease_leads_to_work_and_only_leased_work_ends():
    assert {state for state in JobState if JobState.LEASED in TRANSITIONS[state].values()} == {
        JobState.READY,
        JobState.LEASED,
    }
    assert {state for state in JobState if JobState.DONE in TRANSITIONS[state].values()} == {JobState.LEASED}
    assert {state for state in JobState if JobState.DEAD in TRANSITIONS[state].values()} == {JobState.LEASED}


def test_an_expired_lease_frees_the_job_and_a_dead_job_can_be_retried_by_hand():
    assert TRANSITIONS[JobState.LEASED]["expire"] is JobState.READY
    assert TRANSITIONS[JobState.DEAD] == {"retry": JobState.READY}
