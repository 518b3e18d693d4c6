"""Cards that are sent, deliveries that wait to share one, grants, and what each person was last shown."""

from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, or_
from sqlmodel import col, select

from core.model.card_states import CardState
from core.store.database import ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import CardGrant, CardMessage, LastShown, NotifyDelivery

_TO_SEND = (CardState.PENDING, CardState.FAILED)


def get(tx: ReadTx, message_id: UUID) -> CardMessage | None:
    return tx.session.get(CardMessage, (tx.tenant_id, message_id))


def locked(tx: WriteTx, message_id: UUID) -> CardMessage | None:
    return tx.session.get(CardMessage, (tx.tenant_id, message_id), with_for_update=True)


def by_subject(tx: ReadTx, person_id: UUID, subject: str) -> CardMessage | None:
    return tx.session.exec(
        select(CardMessage).where(
            CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id, CardMessage.subject == subject
        )
    ).one_or_none()


def by_nonce(tx: ReadTx, nonce: str) -> CardMessage | None:
    """Looks over all tenants: an event finds its tenant by it."""
    return tx.session.exec(select(CardMessage).where(CardMessage.nonce == nonce)).one_or_none()


def due(tx: ReadTx, now: int, limit: int) -> list[tuple[str, UUID]]:
    """(tenant, message) of cards of any tenant that may be sent now, oldest first."""
    rows = select(CardMessage.tenant_id, CardMessage.message_id).where(
        col(CardMessage.state).in_(_TO_SEND), CardMessage.not_before <= now
    )
    return [
        (tenant, message)
        for tenant, message in tx.session.exec(rows.order_by(col(CardMessage.created_at)).limit(limit))
    ]


def overdue(tx: ReadTx, now: int, limit: int) -> list[tuple[str, UUID]]:
    """(tenant, message) of cards in doubt: in flight past their lease, or known to be unknown and due for a look."""
    in_doubt = or_(
        and_(col(CardMessage.state) == CardState.SENDING, col(CardMessage.lease_until) <= now),
        and_(col(CardMessage.state) == CardState.UNKNOWN, col(CardMessage.not_before) <= now),
    )
    rows = select(CardMessage.tenant_id, CardMessage.message_id).where(in_doubt)
    return [
        (tenant, message)
        for tenant, message in tx.session.exec(rows.order_by(col(CardMessage.created_at)).limit(limit))
    ]


def in_flight(tx: ReadTx, person_id: UUID) -> bool:
    """Whether a card about changes is on its way to this person: the next waits for what it will have shown."""
    row = tx.session.exec(select(CardMessage.message_id).where(_on_its_way(tx.tenant_id, person_id)).limit(1)).first()
    return row is not None


def _on_its_way(tenant_id: Any, person_id: Any) -> ColumnElement[bool]:
    states = (CardState.PENDING, CardState.SENDING, CardState.FAILED, CardState.UNKNOWN)
    return and_(
        col(CardMessage.tenant_id) == tenant_id,
        col(CardMessage.person_id) == person_id,
        col(CardMessage.subject).startswith("fires:"),
        col(CardMessage.state).in_(states),
    )


def people_waiting(tx: ReadTx, now: int, limit: int) -> list[tuple[str, UUID]]:
    """(tenant, person) for whom deliveries are due and no card is on its way: who must wait keeps nobody out."""
    rows = select(NotifyDelivery.tenant_id, NotifyDelivery.person_id).where(
        NotifyDelivery.state == "pending",
        NotifyDelivery.not_before <= now,
        col(NotifyDelivery.message_id).is_(None),
        ~exists().where(_on_its_way(NotifyDelivery.tenant_id, NotifyDelivery.person_id)),
    )
    return [(tenant, person) for tenant, person in tx.session.exec(rows.distinct().limit(limit))]


def waiting_deliveries(tx: WriteTx, person_id: UUID) -> list[NotifyDelivery]:
    """What is due for a person, and what an earlier card could not carry."""
    rows = select(NotifyDelivery).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.person_id == person_id,
        col(NotifyDelivery.state).in_(("pending", "carried")),
        NotifyDelivery.not_before <= tx.now,
        col(NotifyDelivery.message_id).is_(None),
    )
    return list(tx.session.exec(rows.order_by(col(NotifyDelivery.fire_id)).with_for_update()).all())


def deliveries_of(tx: ReadTx, message_id: UUID) -> list[NotifyDelivery]:
    """What a card has yet to deliver."""
    rows = select(NotifyDelivery).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.message_id == message_id,
        NotifyDelivery.state == "pending",
    )
    return list(tx.session.exec(rows.order_by(col(NotifyDelivery.fire_id))).all())


def deliveries_for(tx: ReadTx, fire_id: UUID) -> list[NotifyDelivery]:
    rows = select(NotifyDelivery).where(NotifyDelivery.tenant_id == tx.tenant_id, NotifyDelivery.fire_id == fire_id)
    return list(tx.session.exec(rows.order_by(col(NotifyDelivery.person_id))).all())


def add_delivery(tx: WriteTx, fire_id: UUID, person_id: UUID, kind: str) -> None:
    row = {
        "tenant_id": tx.tenant_id,
        "fire_id": fire_id,
        "person_id": person_id,
        "kind": kind,
        "state": "pending",
        "not_before": tx.now,
        "created_at": tx.now,
    }
    insert_once(tx, NotifyDelivery, row)


def add_grant(tx: WriteTx, fingerprint: str, body: dict[str, Any]) -> None:
    row = {"tenant_id": tx.tenant_id, "fingerprint": fingerprint, "body": body, "created_at": tx.now}
    insert_once(tx, CardGrant, row)


def grant(tx: ReadTx, fingerprint: str) -> dict[str, Any] | None:
    row = tx.session.get(CardGrant, (tx.tenant_id, fingerprint))
    return row.body if row else None


def last_shown(tx: ReadTx, person_id: UUID, refs: Collection[UUID]) -> dict[UUID, int]:
    rows = select(LastShown.ref_id, LastShown.tx).where(
        LastShown.tenant_id == tx.tenant_id, LastShown.person_id == person_id, col(LastShown.ref_id).in_(refs)
    )
    return dict(tx.session.exec(rows).all())


def show(tx: WriteTx, person_id: UUID, refs: Iterable[UUID], upto: int) -> None:
    for ref_id in refs:
        tx.session.merge(LastShown(tenant_id=tx.tenant_id, person_id=person_id, ref_id=ref_id, tx=upto))
