"""What waits to be told to a person, all of it at a time."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, update
from sqlmodel import col, select

from core.model.watching import Cadence
from core.store.database import ReadTx, WriteTx
from core.store.tables import NotifyDelivery, WatchFire

UNREACHABLE = "unreachable"
"""Why a delivery was skipped whose person could not be written to."""


def put_off(tx: WriteTx, person_id: UUID, until: int) -> None:
    """Let what is due for a person at once, and in no card yet, wait until a Ts."""
    due = (
        col(NotifyDelivery.tenant_id) == tx.tenant_id,
        col(NotifyDelivery.person_id) == person_id,
        col(NotifyDelivery.state) == "pending",
        col(NotifyDelivery.message_id).is_(None),
        col(NotifyDelivery.cadence) == Cadence.IMMEDIATE,
        col(NotifyDelivery.not_before) <= tx.now,
    )
    tx.session.exec(update(NotifyDelivery).where(*due).values(not_before=until))


def of_briefs(tx: ReadTx, person_id: UUID) -> list[UUID]:
    """The fires that wait for one of a person's briefs."""
    rows = select(NotifyDelivery.fire_id).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.person_id == person_id,
        NotifyDelivery.state == "pending",
        NotifyDelivery.cadence != Cadence.IMMEDIATE,
        col(NotifyDelivery.message_id).is_(None),
    )
    return list(tx.session.exec(rows).all())


def missed(tx: ReadTx, person_id: UUID) -> set[UUID]:
    """The watches of which a person could not be told something."""
    rows = (
        select(WatchFire.watch_id)
        .join(
            NotifyDelivery,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .where(*_untold(tx, person_id))
    )
    return set(tx.session.exec(rows))


def in_vain(tx: ReadTx, watch_id: UUID, person_id: UUID, times: int) -> bool:
    """Whether the last so many things that a watch had to tell a person found no way to them."""
    rows = (
        select(NotifyDelivery.state, NotifyDelivery.reason)
        .join(
            WatchFire,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .where(
            NotifyDelivery.tenant_id == tx.tenant_id,
            NotifyDelivery.person_id == person_id,
            WatchFire.watch_id == watch_id,
        )
    )
    found = tx.session.exec(rows.order_by(col(NotifyDelivery.created_at).desc()).limit(times)).all()
    return len(found) == times and set(found) == {("skipped", UNREACHABLE)}


def come_back(tx: WriteTx, person_id: UUID) -> None:
    """Let a person's next card carry what they could not be told, since they can be written to again."""
    carried: dict[str, Any] = {"state": "carried", "message_id": None, "not_before": tx.now}
    tx.session.exec(update(NotifyDelivery).where(*_untold(tx, person_id)).values(**carried))


def _untold(tx: ReadTx, person_id: UUID) -> tuple[ColumnElement[bool], ...]:
    """Of deliveries: what a person was not told, since they could not be written to."""
    return (
        col(NotifyDelivery.tenant_id) == tx.tenant_id,
        col(NotifyDelivery.person_id) == person_id,
        col(NotifyDelivery.state) == "skipped",
        col(NotifyDelivery.reason) == UNREACHABLE,
    )
