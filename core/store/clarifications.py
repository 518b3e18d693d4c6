"""Clarifications in their versions: what is asked of people about a node, and what has come of it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from core.clock import FOREVER
from core.model.clarifying import OPEN
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import Clarification


def standing(tx: ReadTx, node_ids: Sequence[UUID] | None = None) -> list[Clarification]:
    """The newest version of each, of these nodes or of all, in the order of their ids."""
    rows = select(Clarification).where(Clarification.tenant_id == tx.tenant_id, Clarification.tx_end == FOREVER)
    if node_ids is not None:
        rows = rows.where(col(Clarification.node_id).in_(node_ids))
    return list(tx.session.exec(rows.order_by(col(Clarification.clarification_id))))


def unsettled(tx: ReadTx) -> list[Clarification]:
    """Those that are pending or conflicted, in the order of their ids."""
    rows = select(Clarification).where(
        Clarification.tenant_id == tx.tenant_id,
        Clarification.tx_end == FOREVER,
        col(Clarification.state).in_(OPEN),
    )
    return list(tx.session.exec(rows.order_by(col(Clarification.clarification_id))))


def newest(tx: ReadTx, clarification_ids: Collection[UUID]) -> dict[UUID, Clarification]:
    """The newest version of each of these that there is."""
    found: dict[UUID, Clarification] = {}
    for batch in batches(clarification_ids):
        rows = select(Clarification).where(
            Clarification.tenant_id == tx.tenant_id,
            Clarification.tx_end == FOREVER,
            col(Clarification.clarification_id).in_(batch),
        )
        found |= {row.clarification_id: row for row in tx.session.exec(rows)}
    return found


def write(tx: WriteTx, clarification_id: UUID, node_id: UUID, body: Mapping[str, Any], change: str) -> None:
    """Add a version in the place of the one that stands, with its feed row."""
    closed = update(Clarification).where(
        col(Clarification.tenant_id) == tx.tenant_id,
        col(Clarification.clarification_id) == clarification_id,
        col(Clarification.tx_end) == FOREVER,
    )
    tx.session.connection().execute(closed.values(tx_end=tx.tx))
    row = Clarification(
        tenant_id=tx.tenant_id,
        clarification_id=clarification_id,
        tx_start=tx.tx,
        tx_end=FOREVER,
        node_id=node_id,
        **body,
    )
    tx.session.add(row)
    tx.feed("clarification", clarification_id, change, new_tx=tx.tx)
