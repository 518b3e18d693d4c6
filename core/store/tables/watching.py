"""What is watched, what of it moved, and how far the sweep has read."""

from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from core.store.columns import json, ts

_UNTOLD = text("notice_at IS NOT NULL")


class Watch(SQLModel, table=True):
    """`notice_at`: when its owner is to be told that it rests, or did; None where they were told, or need not be."""

    __table_args__ = (
        UniqueConstraint("tenant_id", "dedup_key"),
        Index("ix_watch_notice", "notice_at", sqlite_where=_UNTOLD, postgresql_where=_UNTOLD),
    )
    tenant_id: str = Field(primary_key=True)
    watch_id: UUID = Field(primary_key=True)
    owner_id: UUID = Field(index=True)
    name: str
    scope_type: str
    scope_refs: list[str] = json()
    events: list[str] = json()
    target: dict[str, Any] = json()
    cadence: str = "immediate"
    debounce_secs: int
    dedup_key: str
    enabled: bool = True
    suspended: str | None = None
    muted_until: int = ts(default=0)
    created_tx: int = ts()
    created_at: int = ts()
    last_fired_at: int = ts(default=0)
    notice_at: int | None = ts(default=None)
    result_fingerprint: str | None = None


class WatchMute(SQLModel, table=True):
    """What somebody wants to hear no more of for a time, or ever, of a watch that is not theirs and tells them."""

    __tablename__: ClassVar[str] = "watch_mute"
    tenant_id: str = Field(primary_key=True)
    watch_id: UUID = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    muted_until: int = ts()


class WatchScope(SQLModel, table=True):
    __tablename__: ClassVar[str] = "watch_scope"
    tenant_id: str = Field(primary_key=True)
    scope_type: str = Field(primary_key=True)
    scope_ref: str = Field(primary_key=True)
    watch_id: UUID = Field(primary_key=True)


class WatchPending(SQLModel, table=True):
    __tablename__: ClassVar[str] = "watch_pending"
    __table_args__ = (Index("ix_watch_pending_due", "tenant_id", "due_at"),)
    tenant_id: str = Field(primary_key=True)
    watch_id: UUID = Field(primary_key=True)
    change_tx: int = ts(primary_key=True)
    ref_id: UUID = Field(primary_key=True)
    kind: str = Field(primary_key=True)
    ref_type: str
    due_at: int = ts()


class WatchFire(SQLModel, table=True):
    __tablename__: ClassVar[str] = "watch_fire"
    __table_args__ = (Index("ix_watch_fire_watch", "tenant_id", "watch_id", "fire_tx"),)
    tenant_id: str = Field(primary_key=True)
    fire_id: UUID = Field(primary_key=True)
    watch_id: UUID
    fire_tx: int = ts()
    window_start: int = ts()
    window_end: int = ts()
    events: list[dict[str, Any]] = json()
    truncated: int = 0
    target_kind: str
    job_id: UUID | None = None
    status: str = "fired"
    reason: str | None = None
    created_at: int = ts()


class SweepCheckpoint(SQLModel, table=True):
    __tablename__: ClassVar[str] = "sweep_checkpoint"
    tenant_id: str = Field(primary_key=True)
    tx: int = ts()
    swept_at: int = ts()


class Webhook(SQLModel, table=True):
    """Where an operator lets fires be told by HTTP. Its secret is derived from a key outside; `secret_hash` is of it.

    `turn`: how often the secret was made; the one before is good until `old_secret_until`. `failing_since`: nothing was
    taken since. `held_until`: nothing is sent until then. `reason`: of the last failure, or why it is off.
    """

    __table_args__ = (UniqueConstraint("tenant_id", "name"),)
    tenant_id: str = Field(primary_key=True)
    webhook_id: UUID = Field(primary_key=True)
    name: str
    url: str
    roles: list[str] = json()
    allow_plain: bool = False
    allow_private: bool = False
    enabled: bool = True
    reason: str | None = None
    turn: int = 1
    secret_hash: bytes
    old_secret_until: int = ts(default=0)
    failing_since: int = ts(default=0)
    held_until: int = ts(default=0)
    delivered_at: int = ts(default=0)
    created_at: int = ts()
