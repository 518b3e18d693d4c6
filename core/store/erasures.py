"""What was erased, and what was done: rows that hold ids and counts, and the reason that somebody gave."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import CardMessage, Erasure


def add(
    tx: WriteTx, erasure_id: UUID, actor: str, subject: tuple[str, UUID], reason: str, report: Mapping[str, Any]
) -> None:
    row = Erasure(
        tenant_id=tx.tenant_id,
        erasure_id=erasure_id,
        at=tx.now,
        tx=tx.tx,
        actor=actor,
        subject_type=subject[0],
        subject_id=subject[1],
        reason=reason.strip(),
        report=dict(report),
    )
    tx.session.add(row)


def of(tx: ReadTx, subject_id: UUID) -> UUID | None:
    """The newest erasure of a source or a person."""
    rows = select(Erasure.erasure_id).where(Erasure.tenant_id == tx.tenant_id, Erasure.subject_id == subject_id)
    return tx.session.exec(rows.order_by(col(Erasure.tx).desc()).limit(1)).first()


def all_of(tx: ReadTx) -> list[Erasure]:
    """Newest first."""
    rows = select(Erasure).where(Erasure.tenant_id == tx.tenant_id).order_by(col(Erasure.tx).desc())
    return list(tx.session.exec(rows))


def waiting(tx: ReadTx) -> list[UUID]:
    """Erasures after which the store has not been written anew."""
    return [row.erasure_id for row in all_of(tx) if not row.report["rewritten"]]


def rewritten(tx: WriteTx, erasure_ids: Collection[UUID]) -> None:
    for erasure_id in erasure_ids:
        row = tx.session.get_one(Erasure, (tx.tenant_id, erasure_id))
        row.report = {**row.report, "rewritten": True}
        tx.session.add(row)


def cards(tx: ReadTx, message_ids: Sequence[str]) -> dict[UUID, CardMessage]:
    found: dict[UUID, CardMessage] = {}
    for batch in batches(map(UUID, message_ids)):
        rows = select(CardMessage).where(CardMessage.tenant_id == tx.tenant_id, col(CardMessage.message_id).in_(batch))
        found |= {row.message_id: row for row in tx.session.exec(rows)}
    return found
