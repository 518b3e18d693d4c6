"""The words of watching: what a watch is on, what it hears, whom it tells."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from core.model.principals import Principal


class ScopeType(StrEnum):
    ENTITY = "entity"
    LABEL = "label"
    SOURCE = "source"
    QUERY = "query"
    CLARIFICATION = "clarification"
    ANSWER = "answer"


class EventKind(StrEnum):
    FACT_CHANGED = "fact_changed"
    FACT_TOMBSTONED = "fact_tombstoned"
    NEW_SOURCE_VERSION = "new_source_version"
    QUERY_RESULTS_CHANGED = "query_results_changed"
    CLARIFICATION_OPENED = "clarification_opened"
    CLARIFICATION_BOUND = "clarification_bound"
    CLARIFICATION_CONFLICTED = "clarification_conflicted"
    ANSWER_STALE = "answer_stale"


_FACT = (EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED)
HEARD: Mapping[ScopeType, tuple[EventKind, ...]] = {
    ScopeType.ENTITY: _FACT,
    ScopeType.LABEL: _FACT,
    ScopeType.SOURCE: (EventKind.NEW_SOURCE_VERSION, EventKind.FACT_TOMBSTONED),
    ScopeType.QUERY: (EventKind.QUERY_RESULTS_CHANGED,),
    ScopeType.CLARIFICATION: (
        EventKind.CLARIFICATION_OPENED,
        EventKind.CLARIFICATION_BOUND,
        EventKind.CLARIFICATION_CONFLICTED,
    ),
    ScopeType.ANSWER: (EventKind.ANSWER_STALE,),
}
"""What can be heard in each scope."""


class Suspension(StrEnum):
    """Why a watch rests though nobody stopped it; its owner is told once."""

    NOT_READABLE = "not_readable"
    """Its owner may no longer read what it is on. It goes on with the first change after they may again."""
    UNREACHABLE = "unreachable"
    """No card finds a way to whom it tells, or to its owner. It goes on when they can be written to again."""
    BROKEN = "broken"
    """Its query does not work any more. It goes on when it is made anew."""


class Cadence(StrEnum):
    """How soon a person is told: by a card of its own, or by the brief of an hour, a day or a week."""

    IMMEDIATE = "immediate"
    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"


class TargetKind(StrEnum):
    """Whom a fire is for. There is no channel: channel membership is no access boundary."""

    PERSON = "chat_person"
    SHARED = "chat_shared"
    WEBHOOK = "webhook"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Event:
    """One change as a watch hears it: ids and kinds only."""

    kind: EventKind
    ref_type: str
    ref_id: UUID
    change_tx: int

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "changed_ref_type": self.ref_type,
            "changed_ref_id": str(self.ref_id),
            "change_tx": self.change_tx,
        }

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> "Event":
        return cls(EventKind(body["kind"]), body["changed_ref_type"], UUID(body["changed_ref_id"]), body["change_tx"])


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a fire for one recipient: pending, sent, carried (the next card tells it), or skipped with why."""

    person_id: UUID
    state: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class FireView:
    """Why somebody was notified: the watch, what it heard, between which tx. `status` of one that is told nobody.

    `own`: it is the asker's own watch. Else `events` and `recipients` are what they may know of, and there is no
    `scope_refs`: a query is its owner's words.
    """

    fire_id: UUID
    watch_id: UUID
    watch_name: str
    scope_type: ScopeType
    scope_refs: tuple[str, ...]
    events: tuple[Event, ...]
    truncated: int
    window: tuple[int, int]
    status: str
    reason: str | None
    recipients: tuple[Outcome, ...]
    fire_tx: int
    created_at: int
    target_kind: TargetKind
    job_id: UUID | None
    own: bool = True


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """A watch to be. `refs` are UUIDs in text, a label, or a query; `target` as page `watch and jobs` has it.

    `cadence`: None leaves a standing watch at its own; a new one tells at once.
    """

    name: str
    scope_type: ScopeType
    refs: tuple[str, ...]
    events: tuple[EventKind, ...]
    target: Mapping[str, Any]
    cadence: Cadence | None = None
    debounce_secs: int | None = None


@dataclass(frozen=True, slots=True)
class WatchView:
    """A standing watch as its owner sees it. `owner_id`: of a person, or of the webhook that it tells."""

    watch_id: UUID
    name: str
    scope_type: ScopeType
    refs: tuple[str, ...]
    cadence: Cadence
    muted_until: int
    suspended: str | None
    created_at: int
    events: tuple[EventKind, ...]
    target: Mapping[str, Any]
    debounce_secs: int
    owner_id: UUID
    enabled: bool
    created_tx: int
    last_fired_tx: int | None = None
    """Where it is read, not where it is made."""
    fresh: bool = False
    """True only in the answer to the request that made it."""
    result_fingerprint: str | None = None
    """Of a query: 16 hexadecimal digits that change when what it finds for its owner does, as last looked at."""
    gone: bool = False
    """In a list: nothing stands by now of what it is on. It tells again should that come back."""


def watch_on_question(clarification_id: UUID, words: str, principal: Principal) -> WatchRequest:
    """A person's watch on what comes of one question, told in their own DM."""
    target = {"kind": TargetKind.PERSON, "person_id": str(principal.person_id)}
    events = (EventKind.CLARIFICATION_OPENED, EventKind.CLARIFICATION_BOUND, EventKind.CLARIFICATION_CONFLICTED)
    return WatchRequest(words, ScopeType.CLARIFICATION, (str(clarification_id),), events, target)


def watch_on_section(node_id: str, title: str, principal: Principal) -> WatchRequest:
    """A person's watch on one section or document, told in their own DM."""
    target = {"kind": TargetKind.PERSON, "person_id": str(principal.person_id)}
    events = (EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED)
    return WatchRequest(title, ScopeType.ENTITY, (node_id,), events, target)
