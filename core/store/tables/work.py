"""What is to be done, what was said to whom, and what was done."""

from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from core.store.columns import json, ts

_LEASED = text("state = 'leased'")
_OPEN = text("state <> 'done'")


class Job(SQLModel, table=True):
    __table_args__ = (
        Index("ix_job_next", "tenant_id", "kind", "state", "not_before", "job_id"),
        Index("ix_job_leased", "lease_until", sqlite_where=_LEASED, postgresql_where=_LEASED),
        Index("ix_job_open", "kind", "state", sqlite_where=_OPEN, postgresql_where=_OPEN),
    )
    tenant_id: str = Field(primary_key=True)
    job_id: UUID = Field(primary_key=True)
    kind: str
    audience: str
    payload: dict[str, Any] = json()
    state: str = "ready"
    not_before: int = ts()
    lease_owner: str | None = None
    lease_until: int = ts(default=0)
    attempts: int = 0
    error: str | None = None
    created_at: int = ts()


class JobLane(SQLModel, table=True):
    """`due_at`: when its next turn is. `taken`: how many jobs were; of lanes due at once, the one of fewer is first."""

    __tablename__: ClassVar[str] = "job_lane"
    __table_args__ = (Index("ix_job_lane_due", "kind", "due_at", "taken"),)
    tenant_id: str = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    due_at: int = ts()
    taken: int = 0


class CardMessage(SQLModel, table=True):
    """Every card that is sent. `subject` names what it is about, once per recipient: the ledger of what was said.

    `shown`: [ref_id, tx] of the things it speaks of, remembered as shown once it is sent. `update_at`: when to show the
    platform what the card says now; None where its copy says it already. `revision` counts what it was made to say.
    """

    __tablename__: ClassVar[str] = "card_message"
    __table_args__ = (
        UniqueConstraint("tenant_id", "person_id", "subject"),
        Index("ix_card_message_nonce", "nonce"),
        Index("ix_card_message_due", "state", "not_before"),
        Index("ix_card_message_update", "state", "update_at"),
        Index("ix_card_message_person", "tenant_id", "person_id", "state", "message_id"),
    )
    tenant_id: str = Field(primary_key=True)
    message_id: UUID = Field(primary_key=True)
    person_id: UUID
    subject: str
    kind: str
    platform: str
    workspace: str
    place: dict[str, Any] = json()
    nonce: str
    fingerprint: str
    card: dict[str, Any] = json()
    source_ids: list[str] = json()
    shown: list[list[Any]] = json()
    state: str
    fence: int = 0
    lease_until: int = ts(default=0)
    attempts: int = 0
    not_before: int = ts(default=0)
    message_ref: str | None = None
    reason: str | None = None
    revision: int = 1
    update_at: int | None = ts(default=None)
    created_at: int = ts()
    sent_at: int = ts(default=0)


class NotifyDelivery(SQLModel, table=True):
    """`created_at` is the tx that wrote it. `cadence`: which brief it waits for, if it is not told at once."""

    __tablename__: ClassVar[str] = "notify_delivery"
    __table_args__ = (
        Index("ix_notify_delivery_due", "state", "cadence", "not_before"),
        Index("ix_notify_delivery_person", "tenant_id", "person_id", "created_at"),
        Index("ix_notify_delivery_waiting", "tenant_id", "person_id", "state", "not_before"),
        Index("ix_notify_delivery_message", "tenant_id", "message_id", "fire_id"),
    )
    tenant_id: str = Field(primary_key=True)
    fire_id: UUID = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    state: str = "pending"
    reason: str | None = None
    message_id: UUID | None = None
    not_before: int = ts()
    created_at: int = ts()
    cadence: str = "immediate"


class LastShown(SQLModel, table=True):
    """The tx up to which a person was shown a thing; the next card speaks of what is different since."""

    __tablename__: ClassVar[str] = "last_shown"
    tenant_id: str = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    ref_id: UUID = Field(primary_key=True)
    tx: int = ts()


class CardGrant(SQLModel, table=True):
    __tablename__: ClassVar[str] = "card_grant"
    tenant_id: str = Field(primary_key=True)
    fingerprint: str = Field(primary_key=True)
    body: dict[str, Any] = json()
    created_at: int = ts()


class UsedJti(SQLModel, table=True):
    __tablename__: ClassVar[str] = "used_jti"
    tenant_id: str = Field(primary_key=True)
    jti: str = Field(primary_key=True)
    exp_at: int = ts()


class Inbox(SQLModel, table=True):
    """What people said and tapped, kept before it is acknowledged and driven until it is done.

    `place`: where it came from. `speaker`: whose place that is, whatever the thread; of each one event is in hand at a
    time. `person_id` is None for somebody not known yet.
    """

    __table_args__ = (Index("ix_inbox_open", "state", "not_before"), Index("ix_inbox_speaker", "speaker", "state"))
    tenant_id: str = Field(primary_key=True)
    event_id: str = Field(primary_key=True)
    person_id: UUID | None = None
    speaker: str
    place: dict[str, Any] = json()
    kind: str
    body: dict[str, Any] = json()
    state: str = "ready"
    lease_until: int = ts(default=0)
    not_before: int = ts(default=0)
    attempts: int = 0
    result: str | None = None
    created_at: int = ts()


class LocalMessage(SQLModel, table=True):
    """What stands in a person's local inbox: the local channel's own history."""

    __tablename__: ClassVar[str] = "local_message"
    __table_args__ = (UniqueConstraint("tenant_id", "person_id", "delivery_key"),)
    tenant_id: str = Field(primary_key=True)
    message_id: UUID = Field(primary_key=True)
    person_id: UUID
    delivery_key: str
    author: str
    body: dict[str, Any] = json()
    revision: int = 1
    sent_at: int = ts()


class IdempotencyKey(SQLModel, table=True):
    """A request that a caller gave a name. `name`, `content`: hashes under the caller's secret. `said`: ids alone."""

    __tablename__: ClassVar[str] = "idempotency_key"
    tenant_id: str = Field(primary_key=True)
    key_id: UUID = Field(primary_key=True)
    name: bytes = Field(primary_key=True)
    content: bytes
    said: dict[str, Any] | None = json(nullable=True)
    started_at: int = ts()
    created_at: int = ts()


class Trace(SQLModel, table=True):
    """Who asked: a person, or an API key that stands for none; neither: the operator."""

    tenant_id: str = Field(primary_key=True)
    trace_id: UUID = Field(primary_key=True)
    kind: str
    person_id: UUID | None = None
    key_id: UUID | None = None
    body: dict[str, Any] = json()
    created_at: int = ts()


class Audit(SQLModel, table=True):
    __table_args__ = (Index("ix_audit_newest", "tenant_id", "at"),)
    tenant_id: str = Field(primary_key=True)
    audit_id: UUID = Field(primary_key=True)
    at: int = ts()
    actor: str
    action: str
    target: str
    outcome: str
    detail: dict[str, Any] = json()
