"""The life of a job, as one table."""

from enum import StrEnum


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
        "give_up": JobState.DEAD,
    },
    JobState.DONE: {},
    JobState.DEAD: {"retry": JobState.READY},
}
