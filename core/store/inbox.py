"""Questions and taps as they came in, kept until they are done, and handed out in their user's order."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, or_, tuple_, update
from sqlalchemy.orm import aliased
from sqlmodel import col, select

from core.model.work import Inbound, Place
from core.store.database import ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import Inbox

_OPEN = ("ready", "running")


def speaker(place: Place) -> str:
    return f"{place.platform}:{place.workspace}:{place.user_id}"


def key(place: Place, event_id: str) -> str:
    """An event's own id: the same event id of another user is another event."""
    return f"{speaker(place)}:{event_id}"


def open_event(tx: ReadTx, event_id: str) -> Inbox | None:
    """An event that is not done, nor given up, by its own id."""
    row = tx.session.get(Inbox, (tx.tenant_id, event_id))
    return row if row is not None and row.state in _OPEN else None


def question(tx: ReadTx, event_id: str) -> Inbox | None:
    """Something that was said, done with or not, by its own id."""
    row = tx.session.get(Inbox, (tx.tenant_id, event_id))
    return row if row is not None and row.kind == "question" else None


def reword(tx: WriteTx, row: Inbox, text: str | None) -> None:
    """Let an event hold no words but what it says by now, and these only while they are to be answered."""
    row.body = {"text": text} if text is not None and row.state in _OPEN else {}
    tx.session.add(row)


def keep(
    tx: WriteTx,
    place: Place,
    event_id: str,
    person_id: UUID | None,
    kind: str,
    body: dict[str, Any],
    state: str = "ready",
    result: str | None = None,
) -> bool:
    """True for an event never seen before of this user; a repeat changes nothing."""
    row = {
        "tenant_id": tx.tenant_id,
        "event_id": key(place, event_id),
        "person_id": person_id,
        "speaker": speaker(place),
        "place": asdict(place),
        "kind": kind,
        "body": body,
        "state": state,
        "result": result,
        "lease_until": 0,
        "not_before": tx.now,
        "attempts": 0,
        "created_at": tx.now,
    }
    return insert_once(tx, Inbox, row)


def revive(tx: WriteTx, place: Place, event_id: str) -> bool:
    """Whether an event that was given up is driven anew, since it came again."""
    row = tx.session.get(Inbox, (tx.tenant_id, key(place, event_id)), with_for_update=True)
    if row is None or row.state != "failed":
        return False
    row.state, row.attempts, row.lease_until, row.not_before = "ready", 0, 0, tx.now
    tx.session.add(row)
    return True


def any_due(tx: ReadTx, now: int) -> bool:
    """Whether a lease would find anything: a look that no writer waits for."""
    return tx.session.exec(select(Inbox.event_id).where(_next(now)).limit(1)).first() is not None


def bury(tx: WriteTx, max_attempts: int) -> None:
    """Give up events whose last allowed lease has run out too: what kills its workers is not handed out for ever."""
    lost = (col(Inbox.state) == "running", col(Inbox.lease_until) <= tx.now, col(Inbox.attempts) >= max_attempts)
    gone = {"state": "failed", "result": "no worker came back within its lease"}
    tx.session.exec(update(Inbox).where(*lost).values(**gone))


def lease(tx: WriteTx, until: int, limit: int) -> list[Inbound]:
    """Take events of any tenant that are ready, or whose lease has run out, oldest first, and of each user only one.

    So nobody who says much fills all hands, and what they said first is worked on first.
    """
    oldest = select(Inbox).where(_next(tx.now)).order_by(col(Inbox.created_at), col(Inbox.event_id)).limit(limit)
    rows = tx.session.exec(oldest.with_for_update(skip_locked=True)).all()
    for row in rows:
        row.state, row.lease_until = "running", until
        row.attempts += 1
        tx.session.add(row)
    return [Inbound(r.tenant_id, r.event_id, r.person_id, Place(**r.place), r.kind, r.body, r.attempts) for r in rows]


def _next(now: int) -> ColumnElement[bool]:
    """Of an event: its time has come, and none of the same user is in hand, or was there before it.

    Each row is asked, since what another process takes at this moment is seen as waiting still, and skipped as locked:
    the user's second event would come out first.
    """
    other = aliased(Inbox)
    earlier = tuple_(other.created_at, other.event_id) < tuple_(col(Inbox.created_at), col(Inbox.event_id))
    goes_first = or_(col(other.lease_until) > now, and_(col(other.not_before) <= now, earlier))
    in_the_way = exists().where(col(other.speaker) == Inbox.speaker, col(other.state).in_(_OPEN), goes_first)
    due = (col(Inbox.state).in_(_OPEN), col(Inbox.lease_until) <= now, col(Inbox.not_before) <= now)
    return and_(*due, ~in_the_way)


def held(tx: WriteTx, event: Inbound) -> Inbox | None:
    """The event's row if this lease of it is still the newest."""
    row = tx.session.get(Inbox, (event.tenant_id, event.event_id), with_for_update=True)
    return row if row is not None and row.state == "running" and row.attempts == event.attempts else None
