"""The life of a job, as one table."""

from enum import StrEnum

from core.errors import InvalidRequest


class JobState(StrEnum):
    READY = "ready"
    LEASED = "leased"
    DONE = "done"
    DEAD = "dead"


TRANSITIONS: dict[JobState, dict[str, JobState]] = {
    JobState.READY: {"lease": JobState.LEASED},
    JobState.LEASED: {
        "extend": JobState.LEASED,
        "complete": JobState.DONE,
        "fail": JobState.READY,
        "expire": JobState.READY,
        "release": JobState.READY,
        "give_up": JobState.DEAD,
    },
    JobState.DONE: {},
    JobState.DEAD: {"retry": JobState.READY},
}


def step(state: JobState, event: str) -> JobState:
    """The state after `event`. Raises InvalidRequest for a move the table does not hold."""
    allowed = TRANSITIONS[state]
    if event not in allowed:
        raise InvalidRequest(f"a job that is {state} cannot {event}; it can {', '.join(allowed) or 'do nothing more'}")
    return allowed[event]
