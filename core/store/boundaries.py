"""Moments ahead at which something begins or ceases to hold."""

from collections.abc import Iterable
from uuid import UUID

from sqlmodel import col, delete, select

from core.clock import FOREVER
from core.store.database import ReadTx, WriteTx
from core.store.tables import Boundary


def note(tx: WriteTx, ref_type: str, refs: Iterable[tuple[UUID, str]], valid: tuple[int, int]) -> None:
    """Remember the ends of `valid` that lie ahead, once each, for every (id, label)."""
    ahead = [at for at in valid if tx.now < at < FOREVER]
    rows = [
        {"tenant_id": tx.tenant_id, "at": at, "ref_type": ref_type, "ref_id": ref_id, "label": label}
        for ref_id, label in refs
        for at in ahead
    ]
    tx.insert(Boundary, rows, unless_there=True)


def any_due(tx: ReadTx, now: int) -> bool:
    due = select(Boundary.at).where(Boundary.tenant_id == tx.tenant_id, Boundary.at <= now)
    return tx.session.exec(due.limit(1)).first() is not None


def pass_due(tx: WriteTx, now: int) -> int | None:
    """Turn every boundary up to `now` into a feed row; the tx they were written at, None without any."""
    due = tx.session.exec(
        select(Boundary).where(Boundary.tenant_id == tx.tenant_id, Boundary.at <= now).order_by(col(Boundary.at))
    ).all()
    for boundary in due:
        tx.feed(boundary.ref_type, boundary.ref_id, "boundary", label=boundary.label)
    if not due:
        return None
    tx.session.exec(delete(Boundary).where(col(Boundary.tenant_id) == tx.tenant_id, col(Boundary.at) <= now))
    tx.flush()
    return tx.tx
