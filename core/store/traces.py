"""What an answer, a context or a verification was computed from."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from core.store.database import ReadTx, WriteTx
from core.store.tables import Trace


def get(tx: ReadTx, trace_id: UUID) -> Trace | None:
    return tx.session.get(Trace, (tx.tenant_id, trace_id))


def add(tx: WriteTx, trace_id: UUID, kind: str, person_id: UUID | None, body: Mapping[str, Any]) -> None:
    """`person_id`: who asked; None for an API key."""
    tx.session.add(
        Trace(
            tenant_id=tx.tenant_id,
            trace_id=trace_id,
            kind=kind,
            person_id=person_id,
            body=dict(body),
            created_at=tx.now,
        )
    )
