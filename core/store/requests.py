"""Requests by the names that callers gave them."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from core.store.database import WriteTx
from core.store.jobs import insert_once
from core.store.tables import IdempotencyKey


def insert(tx: WriteTx, key_id: UUID, name: bytes, content: bytes) -> bool:
    """False where the name is taken."""
    row = {"key_id": key_id, "name": name, "content": content, "started_at": tx.now, "created_at": tx.now}
    return insert_once(tx, IdempotencyKey, {"tenant_id": tx.tenant_id, "said": None} | row)


def locked(tx: WriteTx, key_id: UUID, name: bytes) -> IdempotencyKey | None:
    """Until commit nobody else's to change; None where it was pruned just now."""
    return tx.session.get(IdempotencyKey, (tx.tenant_id, key_id, name), with_for_update=True)


def begin_again(tx: WriteTx, key_id: UUID, name: bytes, content: bytes) -> None:
    """Let the name stand for something new."""
    row = IdempotencyKey(
        tenant_id=tx.tenant_id, key_id=key_id, name=name, content=content, started_at=tx.now, created_at=tx.now
    )
    tx.session.merge(row)


def keep(tx: WriteTx, key_id: UUID, name: bytes, since: int) -> bool:
    """False where it was taken over since, or is done."""
    row = _ours(tx, key_id, name, since)
    if row is not None:
        row.started_at = tx.now
        tx.session.add(row)
    return row is not None


def settle(tx: WriteTx, key_id: UUID, name: bytes, since: int, said: Mapping[str, Any] | None) -> None:
    """Write down what was said, or forget the request; nothing where it was taken over since."""
    row = _ours(tx, key_id, name, since)
    if row is None:
        return
    if said is None:
        tx.session.delete(row)
        return
    row.said = dict(said)
    tx.session.add(row)


def _ours(tx: WriteTx, key_id: UUID, name: bytes, since: int) -> IdempotencyKey | None:
    row = locked(tx, key_id, name)
    return row if row is not None and row.started_at == since and row.said is None else None
