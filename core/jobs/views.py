"""A job as an operator sees it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from core.errors import InvalidRequest
from core.jobs.kinds import JobKind
from core.model.job_states import JobState


@dataclass(frozen=True, slots=True)
class JobView:
    """`payload`: ids and codes. `error`: the last one's kind and place. Times are Ts; `lease_until` 0: never leased."""

    job_id: UUID
    kind: str
    audience: str
    state: str
    attempts: int
    not_before: int
    lease_owner: str | None
    lease_until: int
    error: str | None
    created_at: int
    payload: Mapping[str, Any]


OPEN = (JobState.READY, JobState.LEASED, JobState.DEAD)
"""What somebody may have to look at."""


def states_named(name: str) -> tuple[JobState, ...]:
    """The state of this name; without one, all but done."""
    return (_named(JobState, "state", name),) if name else OPEN


def kinds_named(name: str) -> tuple[JobKind, ...]:
    """The kind of this name; without one, all."""
    return (_named(JobKind, "kind", name),) if name else tuple(JobKind)


def _named(of: Any, what: str, name: str) -> Any:
    if name not in set(of):
        raise InvalidRequest(f"no {what} of jobs is named {name!r}; there are {', '.join(of)}")
    return of(name)
