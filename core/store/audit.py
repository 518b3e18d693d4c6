"""Who did what, and what came of it: rows are added and read, and nothing changes or deletes one.

No module but this names the table. A row holds ids, names of roles and of things, and codes; no words of documents or
people, so that no erasure needs to reach in here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import String, cast, or_
from sqlmodel import col, select

from core.ids import random_id
from core.store.database import ReadTx, WriteTx
from core.store.tables import Audit


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`at`: Ts. `actor`: person:<id>, key:<id>, operator (the command line) or bot. `outcome`: done or refused."""

    at: int
    actor: str
    action: str
    target: str
    outcome: str
    detail: Mapping[str, Any]


def record(
    tx: WriteTx,
    actor: str,
    action: str,
    target: str,
    outcome: str = "done",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Add a row that commits with what it tells of."""
    row = Audit(
        tenant_id=tx.tenant_id,
        audit_id=random_id(),
        at=tx.now,
        actor=actor,
        action=action,
        target=target,
        outcome=outcome,
        detail=dict(detail or {}),
    )
    tx.session.add(row)


def rows(tx: ReadTx, limit: int) -> list[AuditEntry]:
    """The newest `limit` rows, newest first."""
    newest = select(Audit).where(Audit.tenant_id == tx.tenant_id)
    found = tx.session.exec(newest.order_by(col(Audit.at).desc(), col(Audit.audit_id)).limit(limit))
    return [_entry(row) for row in found]


def about(tx: ReadTx, person_id: UUID) -> list[AuditEntry]:
    """The rows that name a person, oldest first."""
    names = (cast(col(column), String).contains(str(person_id)) for column in (Audit.actor, Audit.target, Audit.detail))
    found = tx.session.exec(select(Audit).where(Audit.tenant_id == tx.tenant_id, or_(*names)).order_by(col(Audit.at)))
    return [_entry(row) for row in found]


def _entry(row: Audit) -> AuditEntry:
    return AuditEntry(row.at, row.actor, row.action, row.target, row.outcome, row.detail)
