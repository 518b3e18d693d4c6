"""Moments ahead at which something begins or ceases to hold."""

from collections.abc import Iterable
from uuid import UUID

from sqlmodel import col, delete, select

from core.clock import FOREVER
from core.store.database import WriteTx
from core.store.tables import Boundary


def note(tx: WriteTx, nodes: Iterable[tuple[UUID, str]], valid: tuple[int, int]) -> None:
    """Remember the ends of `valid` that lie ahead, once each."""
    ahead = [at for at in valid if tx.now < at < FOREVER]
    for at in ahead:
        for node_id, label in nodes:
            tx.session.merge(Boundary(tenant_id=tx.tenant_id, at=at, ref_type="node", ref_id=node_id, label=label))


def pass_due(tx: WriteTx, now: int) -> None:
    """Turn every boundary up to `now` into a feed row."""
    due = tx.session.exec(
        select(Boundary).where(Boundary.tenant_id == tx.tenant_id, Boundary.at <= now).order_by(col(Boundary.at))
    ).all()
    for boundary in due:
        tx.feed(boundary.ref_type, boundary.ref_id, "boundary", label=boundary.label)
    if due:
        tx.session.exec(delete(Boundary).where(col(Boundary.tenant_id) == tx.tenant_id, col(Boundary.at) <= now))
