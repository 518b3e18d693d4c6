"""What an answer, a context or a verification was computed from."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from core.model.principals import Principal
from core.store.database import ReadTx, WriteTx
from core.store.tables import Trace


def get(tx: ReadTx, trace_id: UUID) -> Trace | None:
    return tx.session.get(Trace, (tx.tenant_id, trace_id))


def asker(principal: Principal) -> tuple[UUID | None, UUID | None]:
    """Who asks: a person, by whatever way, or a key that stands for none."""
    return principal.person, None if principal.person else principal.api_key


def add(tx: WriteTx, trace_id: UUID, kind: str, principal: Principal, body: Mapping[str, Any]) -> None:
    person_id, key_id = asker(principal)
    tx.session.add(
        Trace(
            tenant_id=tx.tenant_id,
            trace_id=trace_id,
            kind=kind,
            person_id=person_id,
            key_id=key_id,
            body=dict(body),
            created_at=tx.now,
        )
    )
