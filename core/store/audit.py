"""Who did what, and what came of it: rows are added and read, and nothing changes or deletes one.

No module but this names the table. A row holds ids, names of roles and of things, and codes; no words of documents or
people, so that no erasure needs to reach in here.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, cast, func, inspect, or_
from sqlalchemy.engine import Connection
from sqlmodel import Session, col, select

from core.errors import NotFound
from core.ids import random_id
from core.model.auditing import EVERYTHING, AuditFilter
from core.store.database import ReadTx, WriteTx
from core.store.tables import Audit

COUNT = str(select(func.count()).select_from(Audit))
"""How many entries all tenants have, for whoever has a connection alone."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """`at`: Ts. `actor`: person:<id>, key:<id>, operator (the command line) or bot. `outcome`: done or refused."""

    audit_id: UUID
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


def rows(tx: ReadTx, limit: int, wanted: AuditFilter = EVERYTHING) -> list[AuditEntry]:
    """The newest `limit` rows of those that are wanted, newest first. Raises NotFound for a `before` there is not."""
    newest = select(Audit).where(Audit.tenant_id == tx.tenant_id, *_conditions(tx, wanted))
    found = tx.session.exec(newest.order_by(col(Audit.at).desc(), col(Audit.audit_id)).limit(limit))
    return [_entry(row) for row in found]


def _conditions(tx: ReadTx, wanted: AuditFilter) -> Iterator[ColumnElement[bool]]:
    for column, value in ((Audit.actor, wanted.actor), (Audit.action, wanted.action), (Audit.outcome, wanted.outcome)):
        if value:
            yield col(column) == value
    if wanted.target:
        of_kind = wanted.target.endswith(":")
        target = col(Audit.target)
        yield target.startswith(wanted.target, autoescape=True) if of_kind else target == wanted.target
    if wanted.since is not None:
        yield col(Audit.at) >= wanted.since
    if wanted.until is not None:
        yield col(Audit.at) < wanted.until
    if wanted.before is not None:
        yield _earlier(tx, wanted.before)


def _earlier(tx: ReadTx, audit_id: UUID) -> ColumnElement[bool]:
    """Of an entry: in the order of `rows` it comes after this one, which is shown already."""
    at = tx.session.exec(
        select(Audit.at).where(Audit.tenant_id == tx.tenant_id, Audit.audit_id == audit_id)
    ).one_or_none()
    if at is None:
        raise NotFound(f"the audit has no entry {audit_id}")
    same_moment = and_(col(Audit.at) == at, col(Audit.audit_id) > audit_id)
    return or_(col(Audit.at) < at, same_moment)


def about(tx: ReadTx, person_id: UUID) -> list[AuditEntry]:
    """The rows that name a person, oldest first."""
    names = (cast(col(column), String).contains(str(person_id)) for column in (Audit.actor, Audit.target, Audit.detail))
    found = tx.session.exec(select(Audit).where(Audit.tenant_id == tx.tenant_id, or_(*names)).order_by(col(Audit.at)))
    return [_entry(row) for row in found]


def targets(connection: Connection, actions: Collection[str]) -> list[tuple[str, str, str]]:
    """(tenant, action, target) of each of these actions that any tenant's audit tells of; of no audit, nothing."""
    if not inspect(connection).has_table("audit"):
        return []
    told = select(Audit.tenant_id, Audit.action, Audit.target).where(col(Audit.action).in_(actions)).distinct()
    return [(tenant_id, action, target) for tenant_id, action, target in Session(connection).exec(told)]


def _entry(row: Audit) -> AuditEntry:
    return AuditEntry(row.audit_id, row.at, row.actor, row.action, row.target, row.outcome, row.detail)
