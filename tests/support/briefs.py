"""A handbook that changes, and the briefs that come of it."""

from datetime import UTC, datetime
from typing import Any

from core.clock import DAY, HOUR, MINUTE, from_datetime
from core.memory import Memory
from core.model.notices import BriefNotice
from core.store.tables import CardMessage, NotifyDelivery
from tests.support.deliveries import Worker
from tests.support.memories import page, put, rows

FRIDAY = from_datetime(datetime(2026, 12, 4, 12, tzinfo=UTC))
MONDAY = from_datetime(datetime(2026, 12, 7, 9, tzinfo=UTC))
WEEK = 7 * DAY


def travel(meals: int = 40, hotels: int = 150) -> bytes:
    words = {"Meals": f"Meals cost at most {meals} EUR.", "Hotels": f"Hotels cost at most {hotels} EUR."}
    return page("Travel", words)


def change(memory: Memory, worker: Worker, data: bytes | None = None, uri: str = "travel.md", **amounts: int) -> None:
    """A change whose fires have been spread."""
    memory.clock.advance(HOUR)  # type: ignore[attr-defined]  # a ManualClock
    put(memory, uri, data or travel(**amounts), ["member"])
    memory.sweep()
    memory.clock.advance(MINUTE)  # type: ignore[attr-defined]
    worker.spread()


def revise(memory: Memory, worker: Worker, data: bytes | None = None, uri: str = "travel.md", **amounts: int) -> None:
    """A change that its watchers have been told of at once."""
    change(memory, worker, data, uri, **amounts)
    worker.send()


def arrive(memory: Memory, worker: Worker, ts: int) -> list[BriefNotice]:
    """Look, as a worker does, until a time has come; the briefs that were sent then."""
    worker.brief()
    memory.clock.ts = ts  # type: ignore[attr-defined]  # a ManualClock
    return week(worker)


def week(worker: Worker) -> list[BriefNotice]:
    worker.brief()
    before = len(worker.notices)
    worker.send()
    return [notice for notice in worker.notices[before:] if isinstance(notice, BriefNotice)]


def in_hand(memory: Memory, worker: Worker, ts: int = MONDAY) -> Any:
    """The one card that is taken at a time, and not yet sent."""
    worker.brief()
    memory.clock.ts = ts  # type: ignore[attr-defined]  # a ManualClock
    worker.brief()
    [card] = worker.take()
    return card


def said(brief: BriefNotice) -> list[list[tuple[str, str]]]:
    return [[(c.before, c.after) for c in line.change.changes] for line in brief.lines]


def meals_line(before: int, after: int) -> list[tuple[str, str]]:
    return [(f"Meals cost at most {before} EUR.", f"Meals cost at most {after} EUR.")]


def brief_cards(memory: Memory) -> list[CardMessage]:
    return [card for card in rows(memory, CardMessage) if card.kind == "brief"]


def waits_for(memory: Memory) -> list[tuple[str, str]]:
    """The state of every delivery, and which brief it waits for."""
    return sorted((row.state, row.cadence) for row in rows(memory, NotifyDelivery))
