"""Questions and taps as they came in, kept until they are done, and handed out in their user's order."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, or_
from sqlmodel import col, select

from core.model.work import Inbound, Place
from core.store.database import ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import Inbox

User = tuple[tuple[str, str], ...]
"""Whose place it is, whatever the thread: names and values."""


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


def any_due(tx: ReadTx, now: int) -> bool:
    """Whether anything waits: a look that no writer waits for."""
    return tx.session.exec(select(Inbox.event_id).where(_due(now)).limit(1)).first() is not None


def _due(now: int) -> ColumnElement[bool]:
    open_ = col(Inbox.state).in_(("ready", "running"))
    return and_(open_, col(Inbox.lease_until) <= now, col(Inbox.not_before) <= now)


def lease(tx: WriteTx, until: int, limit: int) -> list[Inbound]:
    """Take events of any tenant that are ready, or whose lease has run out, oldest first, and of each user only one.

    So nobody who says much fills all hands, and what they said first is worked on first.
    """
    due = select(Inbox).where(_due(tx.now))
    for user in _at_work(tx):
        due = due.where(or_(*(col(Inbox.place)[name].as_string() != value for name, value in user)))
    oldest = due.order_by(col(Inbox.created_at), col(Inbox.event_id)).limit(limit)
    first: dict[User, Inbox] = {}
    for row in tx.session.exec(oldest.with_for_update(skip_locked=True)):
        first.setdefault(_user(row.place), row)
    rows = first.values()
    for row in rows:
        row.state, row.lease_until = "running", until
        row.attempts += 1
        tx.session.add(row)
    return [Inbound(r.tenant_id, r.event_id, r.person_id, Place(**r.place), r.kind, r.body, r.attempts) for r in rows]


def _at_work(tx: WriteTx) -> set[User]:
    """The users of whom an event is in hand now."""
    rows = select(Inbox.place).where(Inbox.state == "running", Inbox.lease_until > tx.now)
    return set(map(_user, tx.session.exec(rows)))


def _user(place: Mapping[str, Any]) -> User:
    return tuple((name, place[name]) for name in ("platform", "workspace", "user_id"))


def held(tx: WriteTx, event: Inbound) -> Inbox | None:
    """The event's row if this lease of it is still the newest."""
    row = tx.session.get(Inbox, (event.tenant_id, event.event_id), with_for_update=True)
    return row if row is not None and row.state == "running" and row.attempts == event.attempts else None
