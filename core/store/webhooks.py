"""Webhooks: where an operator lets fires be told by HTTP."""

from uuid import UUID

from sqlmodel import col, delete, select, update

from core.model.principals import Principal
from core.store.database import ReadTx, WriteTx
from core.store.tables import Watch, WatchPending, Webhook


def get(tx: ReadTx, webhook_id: UUID) -> Webhook | None:
    return tx.session.get(Webhook, (tx.tenant_id, webhook_id))


def locked(tx: WriteTx, webhook_id: UUID) -> Webhook | None:
    """A webhook, to be changed."""
    key = (tx.tenant_id, webhook_id)
    return tx.session.get(Webhook, key, with_for_update=True, populate_existing=True)


def named(tx: ReadTx, name: str) -> Webhook | None:
    return tx.session.exec(select(Webhook).where(Webhook.tenant_id == tx.tenant_id, Webhook.name == name)).one_or_none()


def of_tenant(tx: ReadTx) -> list[Webhook]:
    rows = select(Webhook).where(Webhook.tenant_id == tx.tenant_id)
    return list(tx.session.exec(rows.order_by(col(Webhook.name))).all())


def reader(row: Webhook) -> Principal:
    """Whom a webhook reads as: nobody but its roles."""
    return Principal(row.tenant_id, None, frozenset(row.roles))


def forget(tx: WriteTx, row: Webhook) -> None:
    """Delete a webhook; what it watched is watched no more."""
    theirs = col(Watch.tenant_id) == tx.tenant_id, col(Watch.owner_id) == row.webhook_id
    waiting = select(Watch.watch_id).where(*theirs)
    tx.session.exec(
        delete(WatchPending).where(col(WatchPending.tenant_id) == tx.tenant_id, col(WatchPending.watch_id).in_(waiting))
    )
    tx.session.exec(update(Watch).where(*theirs).values(enabled=False))
    tx.session.delete(row)
