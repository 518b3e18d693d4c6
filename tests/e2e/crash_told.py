"""What a platform was told, as it counts for people: each fire for each person, each other card, what stands there."""

from collections import Counter
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlmodel import select

from cards.codec import from_json
from cards.plain import to_plain
from core.clock import ManualClock
from core.model.watching import Event, ScopeType
from core.store import messages, watches
from core.store.database import Database, ReadTx
from core.store.tables import CardMessage, NotifyDelivery
from tests.e2e.crash_worlds import TENANT
from tests.fakes.platform_channel import Room
from tests.support.memories import NOW


@dataclass(frozen=True)
class News:
    """`fires`: how often each person was told of each. `cards`: how often each was sent each card without one."""

    fires: Counter[Any]
    cards: Counter[Any]


@dataclass(frozen=True)
class Told:
    """`texts`: what stands there now."""

    news: News
    texts: Counter[str]


def told(url: str, room: Room) -> Told:
    accepted = room.messages()
    database = Database(url, ManualClock(NOW))
    with database.read(TENANT) as tx:
        lines = [_lines(tx, message) for message in accepted]
    database.close()
    fires = Counter(line for fires, _ in lines for line in fires)
    cards = Counter(card for _, card in lines if card)
    return Told(News(fires, cards), Counter(to_plain(from_json(message["card"])) for message in accepted))


def _lines(tx: ReadTx, message: dict[str, Any]) -> tuple[list[Any], Any]:
    row = messages.get(tx, UUID(message["key"]))
    assert isinstance(row, CardMessage), f"the platform has {message['key']}, which no ledger knows"
    told = select(NotifyDelivery).where(NotifyDelivery.tenant_id == TENANT, NotifyDelivery.message_id == row.message_id)
    deliveries = tx.session.exec(told).all()
    if not deliveries:
        cause, _, by = row.subject.partition(":")  # the new answer's id is made anew in every run
        return [], (message["person"], cause if cause == "refreshed" else by)
    fires = watches.fires(tx, [delivery.fire_id for delivery in deliveries])
    return [(message["person"], _fire(*fires[delivery.fire_id])) for delivery in deliveries], None


def _fire(fire: Any, watch: Any) -> Any:
    """A fire's identity: its own id, but for what an answer's check causes, which happens when the check runs."""
    if watch.scope_type == ScopeType.ANSWER:
        events = [Event.from_json(event) for event in fire.events]
        return str(watch.watch_id), tuple((event.kind, str(event.ref_id)) for event in events)
    return str(fire.fire_id)
