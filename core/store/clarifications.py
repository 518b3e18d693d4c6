"""Clarifications in their versions: what is asked of people about a node, and what has come of it."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from sqlalchemy import update
from sqlmodel import col, select

from core.clock import FOREVER
from core.model.clarifying import OPEN
from core.model.paging import Part
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import Clarification

_NEWEST = col(Clarification.tx_end) == FOREVER
_BY_ID = (col(Clarification.tx_start), col(Clarification.clarification_id))


def every(tx: ReadTx) -> list[Clarification]:
    """The newest version of each, the one that moved last first."""
    rows = select(Clarification).where(Clarification.tenant_id == tx.tenant_id, _NEWEST)
    return list(tx.session.exec(rows.order_by(*(one.desc() for one in _BY_ID))))


def unsettled(tx: ReadTx) -> list[Clarification]:
    """Those that are pending or conflicted, in the order in which they came to be as they are."""
    rows = select(Clarification).where(Clarification.tenant_id == tx.tenant_id, _NEWEST)
    return list(tx.session.exec(rows.where(col(Clarification.state).in_(OPEN)).order_by(*_BY_ID)))


def unsettled_part(tx: ReadTx, part: Part) -> list[Clarification]:
    """Of the same, by id, a part after (clarification_id,)."""
    rows = select(Clarification).where(Clarification.tenant_id == tx.tenant_id, _NEWEST)
    if part.after is not None:
        rows = rows.where(col(Clarification.clarification_id) > part.after[0])
    by_id = rows.where(col(Clarification.state).in_(OPEN)).order_by(col(Clarification.clarification_id))
    return list(tx.session.exec(by_id.limit(part.limit)))


def of_node(tx: ReadTx, node_id: UUID) -> list[Clarification]:
    """Those of a node, in the order in which they came to be as they are."""
    rows = select(Clarification).where(
        Clarification.tenant_id == tx.tenant_id, Clarification.node_id == node_id, _NEWEST
    )
    return list(tx.session.exec(rows.order_by(*_BY_ID)))


def newest(tx: ReadTx, clarification_ids: Collection[UUID]) -> dict[UUID, Clarification]:
    """The newest version of each of these that there is."""
    found: dict[UUID, Clarification] = {}
    for batch in batches(clarification_ids):
        rows = select(Clarification).where(
            Clarification.tenant_id == tx.tenant_id, col(Clarification.clarification_id).in_(batch), _NEWEST
        )
        found |= {row.clarification_id: row for row in tx.session.exec(rows)}
    return found


def as_of(tx: ReadTx, clarification_ids: Collection[UUID], at: int) -> dict[UUID, Clarification]:
    """The version of each of these that held at a tx."""
    found: dict[UUID, Clarification] = {}
    for batch in batches(clarification_ids):
        rows = select(Clarification).where(
            Clarification.tenant_id == tx.tenant_id,
            col(Clarification.clarification_id).in_(batch),
            Clarification.tx_start <= at,
            Clarification.tx_end > at,
        )
        found |= {row.clarification_id: row for row in tx.session.exec(rows)}
    return found


def write(
    tx: WriteTx, clarification_id: UUID, node_id: UUID, body: Mapping[str, Any], change: str | None
) -> Clarification:
    """Add a version in the place of the one that stands; with a feed row where it is a `change` of state."""
    closed = update(Clarification).where(
        col(Clarification.tenant_id) == tx.tenant_id,
        col(Clarification.clarification_id) == clarification_id,
        _NEWEST,
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
    if change is not None:
        tx.feed("clarification", clarification_id, change, new_tx=tx.tx)
    return row
