"""Recall entries: what each passage is found by, under the tenant's model and, while it moves, under the next."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, tuple_, update
from sqlalchemy import select as select_columns
from sqlalchemy.orm import aliased
from sqlmodel import col, func, select

from core.store import bulk
from core.store.bulk import Rows
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import RecallEntry


def of_source(tx: ReadTx, source_id: UUID, model: str) -> tuple[set[UUID], dict[bytes, bytes]]:
    """Passages of a source that have an entry of a model, and its vectors by the keyed hash of their text."""
    rows = tx.session.exec(
        select(RecallEntry.node_id, RecallEntry.text_hash, RecallEntry.dense).where(
            RecallEntry.tenant_id == tx.tenant_id, RecallEntry.source_id == source_id, RecallEntry.model == model
        )
    ).all()
    return {node_id for node_id, _, _ in rows}, {text_hash: dense for _, text_hash, dense in rows if dense}


def since(tx: ReadTx, model: str, after_tx: int) -> Sequence[tuple[UUID, bytes, Mapping[str, int]]]:
    """(passage, vector, counts by term) of the entries of a model that were added after a tx."""
    rows = select(RecallEntry.node_id, RecallEntry.dense, RecallEntry.terms)
    return tx.session.exec(
        rows.where(RecallEntry.tenant_id == tx.tenant_id, RecallEntry.model == model, RecallEntry.added_tx > after_tx)
    ).all()


def ready(tx: ReadTx, entries: Sequence[Mapping[str, Any]]) -> Rows:
    """Entries as `insert` takes them."""
    return tx.rows(RecallEntry, bulk.by_name(entries))


def insert(tx: WriteTx, rows: Rows, **same: Any) -> None:
    """Add entries, but for those that stand already: another may have added the same meanwhile."""
    tx.insert_ready(rows, unless_there=True, **same)


# ── moving to another model ──


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry of the model that is left, without its vector."""

    node_id: UUID
    source_id: UUID
    text_hash: bytes
    terms: Mapping[str, int]
    added_tx: int


_STANDING: list[Any] = [getattr(RecallEntry, each.name) for each in fields(Standing)]


def sources_lacking(tx: ReadTx, model: str, to: str) -> dict[UUID, int]:
    """Sources with entries of `model` that have none of `to`, and how many."""
    rows = select(RecallEntry.source_id, func.count()).where(*_lacking(tx, model, to))
    return dict(tx.session.exec(rows.group_by(col(RecallEntry.source_id)).order_by(col(RecallEntry.source_id))).all())


def lacking(tx: ReadTx, source_id: UUID, model: str, to: str) -> list[Standing]:
    """A source's entries of `model` that have none of `to`."""
    rows = select_columns(*_STANDING).where(*_lacking(tx, model, to), col(RecallEntry.source_id) == source_id)
    return [Standing(*row) for row in tx.session.execute(rows.order_by(col(RecallEntry.node_id)))]


def _lacking(tx: ReadTx, model: str, to: str) -> tuple[ColumnElement[bool], ...]:
    other = aliased(RecallEntry)
    has_other = exists().where(
        col(other.tenant_id) == RecallEntry.tenant_id,
        col(other.node_id) == RecallEntry.node_id,
        col(other.model) == to,
    )
    return col(RecallEntry.tenant_id) == tx.tenant_id, col(RecallEntry.model) == model, ~has_other


def still_standing(tx: ReadTx, model: str, node_ids: Collection[UUID]) -> set[UUID]:
    """Which of these passages still have an entry of a model: an erasure may have come between."""
    rows = select(RecallEntry.node_id).where(RecallEntry.tenant_id == tx.tenant_id, RecallEntry.model == model)
    return {
        node_id
        for batch in batches(node_ids)
        for node_id in tx.session.exec(rows.where(col(RecallEntry.node_id).in_(batch)))
    }


def rename(tx: WriteTx, model: str, to: str) -> None:
    statement = update(RecallEntry).where(col(RecallEntry.tenant_id) == tx.tenant_id, col(RecallEntry.model) == model)
    tx.session.execute(statement.values(model=to))


def delete_others(tx: WriteTx, model: str, limit: int) -> int:
    """Delete up to `limit` entries of any model but this; how many there were."""
    others = select(RecallEntry.node_id, RecallEntry.model).where(
        RecallEntry.tenant_id == tx.tenant_id, RecallEntry.model != model
    )
    keys = [tuple(row) for row in tx.session.exec(others.limit(limit)).all()]
    chosen = tuple_(col(RecallEntry.node_id), col(RecallEntry.model)).in_(keys)
    if keys:
        tx.session.execute(delete(RecallEntry).where(col(RecallEntry.tenant_id) == tx.tenant_id, chosen))
    return len(keys)
