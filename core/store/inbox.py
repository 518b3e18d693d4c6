"""Questions and taps as they came in, kept until they are done."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlmodel import col, or_, select

from core.model.work import Inbound, Place
from core.store.database import WriteTx
from core.store.jobs import insert_once
from core.store.tables import Inbox


def receive(tx: WriteTx, event_id: str, person_id: UUID | None, place: Place, kind: str, body: dict[str, Any]) -> bool:
    """True for an event never seen before, or given up; any other repeat changes nothing."""
    row = {
        "tenant_id": tx.tenant_id,
        "event_id": event_id,
        "person_id": person_id,
        "place": asdict(place),
        "kind": kind,
        "body": body,
        "state": "ready",
        "lease_until": 0,
        "not_before": tx.now,
        "attempts": 0,
        "created_at": tx.now,
    }
    return insert_once(tx, Inbox, row) or _revived(tx, event_id)


def _revived(tx: WriteTx, event_id: str) -> bool:
    """Whether an event that was given up is driven anew, since it came again."""
    row = tx.session.get(Inbox, (tx.tenant_id, event_id), with_for_update=True)
    if row is None or row.state != "failed":
        return False
    row.state, row.attempts, row.lease_until, row.not_before = "ready", 0, 0, tx.now
    tx.session.add(row)
    return True


def lease(tx: WriteTx, until: int, limit: int) -> list[Inbound]:
    """Take events of any tenant that are ready, or whose lease has run out, oldest first."""
    free = or_(Inbox.state == "ready", col(Inbox.state) == "running")
    rows = tx.session.exec(
        select(Inbox)
        .where(free, Inbox.lease_until <= tx.now, Inbox.not_before <= tx.now)
        .order_by(col(Inbox.created_at), col(Inbox.event_id))
        .limit(limit)
        .with_for_update(skip_locked=True)
    ).all()
    for row in rows:
        row.state, row.lease_until = "running", until
        row.attempts += 1
        tx.session.add(row)
    return [Inbound(r.tenant_id, r.event_id, r.person_id, Place(**r.place), r.kind, r.body, r.attempts) for r in rows]


def held(tx: WriteTx, event: Inbound) -> Inbox | None:
    """The event's row if this lease of it is still the newest."""
    row = tx.session.get(Inbox, (event.tenant_id, event.event_id), with_for_update=True)
    return row if row is not None and row.state == "running" and row.attempts == event.attempts else None
