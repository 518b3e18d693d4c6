"""How far each person's briefs have told, and what there is to tell since."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, update
from sqlmodel import col, select

from core.clock import FOREVER
from core.store import messages
from core.store.database import ReadTx, WriteTx
from core.store.tables import Brief, CardMessage, NotifyDelivery, Watch, WatchFire

OFF = FOREVER
"""The next look of a brief that its person has switched off."""
UNDONE = "no_net_change"


def enrol(tx: WriteTx, person_ids: Collection[UUID], since: int) -> None:
    """Let people who have something to hear have a brief; their first begins at a tx."""
    row = {"tenant_id": tx.tenant_id, "cursor_tx": since, "week": "", "sent_at": 0, "next_due_at": 0}
    tx.insert(Brief, ({"person_id": person_id} | row for person_id in person_ids), unless_there=True)


def get(tx: ReadTx, person_id: UUID) -> Brief | None:
    return tx.session.get(Brief, (tx.tenant_id, person_id))


def locked(tx: WriteTx, person_id: UUID) -> Brief | None:
    return tx.session.get(Brief, (tx.tenant_id, person_id), with_for_update=True)


def due(tx: ReadTx, now: int, limit: int) -> list[UUID]:
    """Whose brief is to be looked at."""
    rows = select(Brief.person_id).where(Brief.tenant_id == tx.tenant_id, Brief.next_due_at <= now)
    return list(tx.session.exec(rows.order_by(col(Brief.next_due_at)).limit(limit)).all())


def look_again(tx: WriteTx, person_id: UUID) -> None:
    """Look at a person's brief soon: their day, hour or zone is another. One that was off begins anew."""
    row = locked(tx, person_id)
    if row is None:
        return
    if row.next_due_at == OFF:
        row.cursor_tx, row.week = tx.tx, ""
    row.next_due_at = 0
    tx.session.add(row)


def put_off(tx: WriteTx, person_id: UUID, until: int) -> None:
    """Let a brief that is to be looked at wait until a Ts."""
    theirs = (col(Brief.tenant_id) == tx.tenant_id, col(Brief.person_id) == person_id)
    tx.session.exec(update(Brief).where(*theirs, col(Brief.next_due_at) <= tx.now).values(next_due_at=until))


def subject(week: str, before: int) -> str:
    """What a card of a week's brief is about, where so many of it could not arrive before."""
    return f"{messages.BRIEF}{week}:{before + 1}" if before else f"{messages.BRIEF}{week}"


def cards(tx: ReadTx, person_id: UUID, week: str) -> list[CardMessage]:
    """The cards of a week's brief, oldest first: a second one only where the first was refused.

    Not locked, since whoever takes a card locks it before the row of its brief.
    """
    first = subject(week, 0)
    about = or_(col(CardMessage.subject) == first, col(CardMessage.subject).startswith(f"{first}:"))
    rows = select(CardMessage).where(CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id, about)
    return list(tx.session.exec(rows.order_by(col(CardMessage.created_at))).all())


def on_its_way(tx: ReadTx, person_id: UUID) -> bool:
    """Whether a week's brief is yet to arrive: the next would say the same, for it is composed when it is sent."""
    return messages.in_flight(tx, person_id, messages.BRIEF)


@dataclass(frozen=True, slots=True)
class Heard:
    """A fire that was spread to a person. `undone`: by the time to tell it, nothing was different."""

    fire: WatchFire
    watch: Watch
    undone: bool


def heard(tx: ReadTx, person_id: UUID, after: int, upto: int, now: int) -> dict[UUID, Heard]:
    """Fires that were spread to a person between two tx, but for those of watches that are stopped or muted.

    A delivery is written under the tenant's tx clock, so that none up to `upto` can come later.
    """
    rows = (
        select(WatchFire, Watch, NotifyDelivery.reason)
        .join(
            NotifyDelivery,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .join(Watch, (col(Watch.tenant_id) == WatchFire.tenant_id) & (col(Watch.watch_id) == WatchFire.watch_id))
        .where(
            NotifyDelivery.tenant_id == tx.tenant_id,
            NotifyDelivery.person_id == person_id,
            NotifyDelivery.created_at > after,
            NotifyDelivery.created_at <= upto,
            col(Watch.enabled),
            Watch.muted_until <= now,
        )
    )
    return {fire.fire_id: Heard(fire, watch, reason == UNDONE) for fire, watch, reason in tx.session.exec(rows)}


def is_to_tell() -> ColumnElement[bool]:
    """Of a delivery: its person has a brief that has not told of it yet."""
    return exists().where(
        col(Brief.tenant_id) == NotifyDelivery.tenant_id,
        col(Brief.person_id) == NotifyDelivery.person_id,
        col(Brief.cursor_tx) < NotifyDelivery.created_at,
        col(Brief.next_due_at) != OFF,
    )


def told(tx: WriteTx, person_id: UUID, upto: int) -> None:
    """A brief that told up to a tx has arrived."""
    row = locked(tx, person_id)
    if row is not None:
        row.cursor_tx, row.sent_at = max(row.cursor_tx, upto), tx.now
        tx.session.add(row)
