"""A webhook over a document that changes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest

from core.clock import DAY, SECOND
from core.jobs.kinds import Audience, JobKind
from core.memory import Memory
from core.model.principals import ADMIN, Principal
from core.model.watching import EventKind, ScopeType, WatchRequest, WatchView
from core.model.work import Leased
from core.store.tables import Job, WatchFire
from core.webhooks.replies import Reply
from core.webhooks.views import NewSecret, Parcel, WebhookView
from tests.support.memories import page, put, rows, section, source_id

KEY = bytes(range(32))
URL = "https://example.com/hooks"
OPERATING = Principal("default", None, frozenset({ADMIN}))
EVENTS = (EventKind.FACT_CHANGED, EventKind.FACT_TOMBSTONED)
TAKEN, BROKEN, GONE, SILENT = Reply("http_204", 204), Reply("http_500", 500), Reply("http_410", 410), Reply("timed_out")


def telling(webhook_id: object, *refs: str, scope: ScopeType = ScopeType.ENTITY, **more: Any) -> WatchRequest:
    target = {"kind": "webhook", "webhook_id": str(webhook_id)}
    return WatchRequest("hook", scope, refs, more.pop("events", EVENTS), target, debounce_secs=0, **more)


@dataclass
class Hooked:
    """A memory whose Meals section a webhook is told of; `meals` is what it says."""

    memory: Memory
    made: NewSecret
    view: WatchView
    meals: int = 40
    sent: list[Parcel] = field(default_factory=list)

    @property
    def webhook(self) -> WebhookView:
        return self.memory.webhooks.named("default", "ledger")

    def change(self) -> None:
        """The document says another amount, and is swept."""
        self.pass_time(DAY)
        self.change_at_once()

    def change_at_once(self) -> None:
        """As `change`, with hardly any time going by."""
        self.meals += 1
        travel(self.memory, self.meals)
        self.memory.sweep()

    def pass_time(self, micros: int) -> None:
        self.memory.clock.advance(micros)  # type: ignore[attr-defined]  # a ManualClock

    def leased(self, owner: str = "one", limit: int = 10) -> list[Leased]:
        return self.memory.jobs.lease(Audience.CLARIFY, [JobKind.NOTIFY_WEBHOOK], owner, limit)

    def take(self, job: Leased) -> Parcel | None:
        return self.memory.webhooks.take(job, KEY)

    def work(self, reply: Reply = TAKEN) -> int:
        """Lease what is due, send it and record such a reply; how much was sent."""
        parcels = [(job, parcel) for job in self.leased() if (parcel := self.take(job))]
        for job, parcel in parcels:
            self.sent.append(parcel)
            self.memory.webhooks.record(job, reply)
        return len(parcels)

    def fires(self) -> list[tuple[str, str | None]]:
        found = sorted(rows(self.memory, WatchFire), key=lambda fire: fire.fire_tx)
        return [(fire.status, fire.reason) for fire in found]

    def jobs(self) -> list[Job]:
        return [job for job in rows(self.memory, Job) if job.kind == JobKind.NOTIFY_WEBHOOK]


def travel(memory: Memory, meals: int, readers: tuple[str, ...] = ("member",)) -> None:
    words = {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": "Hotels cost at most 150 EUR."}
    put(memory, "travel.md", page("Travel", words), readers=readers)


MEALS: str = section("travel.md", "Travel", "Meals")
SOURCE: UUID = source_id("travel.md")


@pytest.fixture
def memory(reopen: Callable[..., Memory]) -> Memory:
    """One in which the next change is told at once."""
    return reopen(watch={"debounce_floor_secs": 0})


@pytest.fixture
def hooked(memory: Memory) -> Hooked:
    travel(memory, 40)
    memory.sweep()
    made = memory.webhooks.add("default", "ledger", URL, ["member"], KEY)
    view = memory.watch(telling(made.webhook_id, MEALS), OPERATING)
    memory.clock.advance(SECOND)  # type: ignore[attr-defined]  # a ManualClock
    return Hooked(memory, made, view)
