"""Whole words that were put aside: copied from what stands in a thread at this moment, once per event."""

from collections.abc import Collection
from uuid import UUID

from sqlmodel import col, select

from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import Spooled, ThreadEvent


def get(tx: ReadTx, ref: UUID) -> Spooled | None:
    return tx.session.get(Spooled, (tx.tenant_id, ref))


def among(tx: ReadTx, refs: Collection[UUID]) -> set[UUID]:
    """Which of these are put aside already."""
    return set(
        tx.session.exec(select(Spooled.ref).where(Spooled.tenant_id == tx.tenant_id, tx.among(Spooled.ref, refs)))
    )


def keep(tx: WriteTx, refs: Collection[UUID]) -> list[ThreadEvent]:
    """Copy the words of these events; which of them still had any, since what was revoked meanwhile is copied nowhere.

    The events are locked.
    """
    kept: list[ThreadEvent] = []
    for batch in batches(sorted(refs)):
        rows = select(ThreadEvent).where(
            ThreadEvent.tenant_id == tx.tenant_id,
            col(ThreadEvent.ref).in_(batch),
            col(ThreadEvent.revoked).is_(False),
            col(ThreadEvent.compacted).is_(None),
        )
        kept += tx.session.exec(rows.order_by(col(ThreadEvent.ref)).with_for_update())
    tx.insert(Spooled, [_copy(tx, row) for row in kept], unless_there=True)
    return kept


def _copy(tx: WriteTx, row: ThreadEvent) -> dict[str, object]:
    return {
        "tenant_id": tx.tenant_id,
        "ref": row.ref,
        "person_id": row.person_id,
        "content": row.content,
        "source_ids": row.source_ids,
        "created_at": tx.now,
    }
