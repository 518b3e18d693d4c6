"""The local inbox's own history: the local channel is a platform like any other, and this is what it keeps."""

from typing import Any
from uuid import UUID

from sqlmodel import col, select

from core.ids import derived
from core.model.work import LocalView
from core.store import messages
from core.store.database import Database, ReadTx, WriteTx
from core.store.jobs import insert_once
from core.store.tables import Inbox, LocalMessage


class LocalEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def post(self, tenant_id: str, person_id: UUID, delivery_key: str, author: str, body: dict[str, Any]) -> UUID:
        """Put a message into a person's inbox, once per delivery key; its id."""
        message_id = derived("local", tenant_id, person_id, delivery_key)
        with self._database.write(tenant_id) as tx:
            tx.compose()
            body = _unless_erased(tx, author, delivery_key, body)
            row = {
                "tenant_id": tenant_id,
                "message_id": message_id,
                "person_id": person_id,
                "delivery_key": delivery_key,
                "author": author,
                "body": body,
                "revision": 1,
                "sent_at": tx.now,
            }
            insert_once(tx, LocalMessage, row)
        return message_id

    def update(self, tenant_id: str, message_id: UUID, body: dict[str, Any]) -> bool:
        """Replace a message in place; False when there is none."""
        with self._database.write(tenant_id) as tx:
            tx.compose()
            row = tx.session.get(LocalMessage, (tenant_id, message_id), with_for_update=True)
            body = _unless_erased(tx, row.author, row.delivery_key, body) if row else body
            if row is not None and row.body != body:
                row.body, row.revision = body, row.revision + 1
                tx.session.add(row)
            return row is not None

    def find(self, tenant_id: str, person_id: UUID, delivery_key: str) -> UUID | None:
        message_id = derived("local", tenant_id, person_id, delivery_key)
        with self._database.read(tenant_id) as tx:
            return message_id if tx.session.get(LocalMessage, (tenant_id, message_id)) else None

    def history(self, tenant_id: str, person_id: UUID) -> tuple[list[LocalView], set[str]]:
        """A person's messages, oldest first, and the events of theirs that are not done yet."""
        with self._database.read(tenant_id) as tx:
            rows = tx.session.exec(
                select(LocalMessage)
                .where(LocalMessage.tenant_id == tenant_id, LocalMessage.person_id == person_id)
                .order_by(col(LocalMessage.sent_at), col(LocalMessage.message_id))
            ).all()
            waiting = _open_events(tx, person_id)
        views = [LocalView(r.message_id, r.delivery_key, r.author, r.body, r.revision, r.sent_at) for r in rows]
        return views, waiting


def _unless_erased(tx: WriteTx, author: str, delivery_key: str, body: dict[str, Any]) -> dict[str, Any]:
    """What may be kept of a message: nothing of a card that was erased on its way."""
    if author == "person":
        return body
    card = messages.get(tx, UUID(delivery_key))
    return body if card is None or card.card else {}


def _open_events(tx: ReadTx, person_id: UUID) -> set[str]:
    rows = select(Inbox.event_id).where(
        Inbox.tenant_id == tx.tenant_id, Inbox.person_id == person_id, col(Inbox.state).in_(("ready", "running"))
    )
    return {event_id.split(":", 3)[3] for event_id in tx.session.exec(rows).all()}
