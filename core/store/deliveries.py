"""What waits to be told to a person, all of it at a time."""

from uuid import UUID

from sqlalchemy import update
from sqlmodel import col

from core.store.database import WriteTx
from core.store.tables import NotifyDelivery

UNREACHABLE = "unreachable"
"""Why a delivery was skipped whose person could not be written to."""


def put_off(tx: WriteTx, person_id: UUID, until: int) -> None:
    """Let what is due for a person, and in no card yet, wait until a Ts."""
    due = (
        col(NotifyDelivery.tenant_id) == tx.tenant_id,
        col(NotifyDelivery.person_id) == person_id,
        col(NotifyDelivery.state) == "pending",
        col(NotifyDelivery.message_id).is_(None),
        col(NotifyDelivery.not_before) <= tx.now,
    )
    tx.session.exec(update(NotifyDelivery).where(*due).values(not_before=until))


def come_back(tx: WriteTx, person_id: UUID) -> None:
    """Let a person's next card carry what they could not be told, since they can be written to again."""
    untold = (
        col(NotifyDelivery.tenant_id) == tx.tenant_id,
        col(NotifyDelivery.person_id) == person_id,
        col(NotifyDelivery.state) == "skipped",
        col(NotifyDelivery.reason) == UNREACHABLE,
    )
    tx.session.exec(update(NotifyDelivery).where(*untold).values(state="carried", message_id=None, not_before=tx.now))
