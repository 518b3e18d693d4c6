"""Every table. Each primary key leads with `tenant_id`, so that any of them can be partitioned by tenant.

Columns named *_at, *_until, *_start, *_end, tx and at are Ts. Ids are UUIDs. What each row means: page `data model`.
"""

from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from core.store.columns import json, ts


class Tenant(SQLModel, table=True):
    """`last_tx` is the tenant's tx clock; its row is the lock under which a tx is taken."""

    tenant_id: str = Field(primary_key=True)
    name: str
    last_tx: int = ts(default=0)
    embed_model: str | None = None
    embed_dim: int | None = None


class Person(SQLModel, table=True):
    tenant_id: str = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    display_name: str
    email: str | None = None
    zone: str = "UTC"
    locale: str = "en"
    roles: list[str] = json()
    active: bool = True
    muted_until: int = ts(default=0)
    created_at: int = ts()


class Preference(SQLModel, table=True):
    """What a person has chosen; what they have not is as the settings say."""

    tenant_id: str = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    name: str = Field(primary_key=True)
    value: str


class Brief(SQLModel, table=True):
    """How far a person's briefs have told, the ISO week of the last, and when to look again."""

    __table_args__ = (Index("ix_brief_due", "tenant_id", "next_due_at"),)
    tenant_id: str = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    cursor_tx: int = ts()
    week: str = ""
    sent_at: int = ts(default=0)
    next_due_at: int = ts(default=0)


class Workspace(SQLModel, table=True):
    """A workspace of a chat platform: how an inbound event finds its tenant.

    `held_until`: the platform has asked to be sent nothing until then. `detail`: what it says of the bot there.
    """

    __table_args__ = (UniqueConstraint("platform", "workspace"),)
    tenant_id: str = Field(primary_key=True)
    platform: str = Field(primary_key=True)
    workspace: str = Field(primary_key=True)
    name: str
    trusted: bool = False
    state: str = "active"
    reason: str | None = None
    held_until: int = ts(default=0)
    detail: dict[str, Any] = json()
    connected_at: int = ts()


class ChatIdentity(SQLModel, table=True):
    """`seen_at`: when they last wrote or tapped there; cards go where a person was seen last."""

    __tablename__: ClassVar[str] = "chat_identity"
    tenant_id: str = Field(primary_key=True)
    platform: str = Field(primary_key=True)
    workspace: str = Field(primary_key=True)
    user_id: str = Field(primary_key=True)
    person_id: UUID = Field(index=True)
    conversation: dict[str, Any] = json()
    state: str = "bound"
    reason: str | None = None
    seen_at: int = ts(default=0)


class Source(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("tenant_id", "uri"),)
    tenant_id: str = Field(primary_key=True)
    source_id: UUID = Field(primary_key=True)
    uri: str
    name: str
    readers: list[str] = json()
    hash_key: bytes
    source_set: str | None = Field(default=None, index=True)
    checked_at: int = ts()


class SourceVersion(SQLModel, table=True):
    __tablename__: ClassVar[str] = "source_version"
    tenant_id: str = Field(primary_key=True)
    source_id: UUID = Field(primary_key=True)
    version_tx: int = ts(primary_key=True)
    valid_start: int = ts()
    text: str
    text_hash: bytes
    media_type: str


class SourceSighting(SQLModel, table=True):
    """At `at` the source was seen to hold version `version_tx`; 0 where it was seen to be gone.

    What bounds a late or replayed older version: it holds only up to the next sighting.
    """

    __tablename__: ClassVar[str] = "source_sighting"
    tenant_id: str = Field(primary_key=True)
    source_id: UUID = Field(primary_key=True)
    at: int = ts(primary_key=True)
    version_tx: int = ts()


class Span(SQLModel, table=True):
    tenant_id: str = Field(primary_key=True)
    source_id: UUID = Field(primary_key=True)
    version_tx: int = ts(primary_key=True)
    start: int = ts(primary_key=True)
    end: int = ts(primary_key=True)
    kind: str
    path: list[str] = json()
    text_hash: bytes


class NodeVersion(SQLModel, table=True):
    """`key` says what the version stands for: equal keys, no new version. `observed_at` only without a source."""

    __tablename__: ClassVar[str] = "node_version"
    __table_args__ = (
        Index("ix_node_version_label", "tenant_id", "label", "tx_end"),
        Index("ix_node_version_source", "tenant_id", "source_id", "tx_end", "valid_end"),
        Index("ix_node_version_opened", "tenant_id", "tx_start"),
        Index("ix_node_version_closed", "tenant_id", "tx_end"),
    )
    tenant_id: str = Field(primary_key=True)
    node_id: UUID = Field(primary_key=True)
    tx_start: int = ts(primary_key=True)
    valid_start: int = ts(primary_key=True)
    valid_end: int = ts()
    tx_end: int = ts()
    label: str
    source_id: UUID | None = None
    key: str = ""
    props: dict[str, Any] = json()
    provenance: list[list[int]] = json()
    readers: list[str] | None = json(nullable=True)
    confidence: float = 1.0
    observed_at: int | None = ts(default=None)
    tombstone: bool = False


class EdgeVersion(SQLModel, table=True):
    __tablename__: ClassVar[str] = "edge_version"
    __table_args__ = (
        Index("ix_edge_version_from", "tenant_id", "from_id", "tx_end"),
        Index("ix_edge_version_to", "tenant_id", "to_id", "tx_end"),
        Index("ix_edge_version_source", "tenant_id", "source_id", "tx_end", "valid_end"),
    )
    tenant_id: str = Field(primary_key=True)
    edge_id: UUID = Field(primary_key=True)
    tx_start: int = ts(primary_key=True)
    valid_start: int = ts(primary_key=True)
    valid_end: int = ts()
    tx_end: int = ts()
    label: str
    from_id: UUID
    to_id: UUID
    source_id: UUID | None = None
    tombstone: bool = False


class Feed(SQLModel, table=True):
    """What changed, in tx order, written with the change itself. `label` is the node's, before or after."""

    tenant_id: str = Field(primary_key=True)
    tx: int = ts(primary_key=True)
    seq: int = Field(primary_key=True)
    ref_type: str
    ref_id: UUID
    label: str
    change: str
    old_tx: int | None = ts(default=None)
    new_tx: int | None = ts(default=None)


class RecallEntry(SQLModel, table=True):
    """A passage's id pins its words, so one entry serves every version of it."""

    __tablename__: ClassVar[str] = "recall_entry"
    __table_args__ = (Index("ix_recall_entry_added", "tenant_id", "added_tx"),)
    tenant_id: str = Field(primary_key=True)
    node_id: UUID = Field(primary_key=True)
    source_id: UUID = Field(index=True)
    text_hash: bytes
    dense: bytes
    terms: dict[str, int] = json()
    added_tx: int = ts()


class Boundary(SQLModel, table=True):
    """A valid_start or valid_end in the future: the sweep makes a feed row of it when its time comes."""

    tenant_id: str = Field(primary_key=True)
    at: int = ts(primary_key=True)
    ref_type: str = Field(primary_key=True)
    ref_id: UUID = Field(primary_key=True)
    label: str


class Watch(SQLModel, table=True):
    __table_args__ = (UniqueConstraint("tenant_id", "dedup_key"),)
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


class Job(SQLModel, table=True):
    __table_args__ = (Index("ix_job_due", "state", "audience", "not_before"),)
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
    """`created_at` is the tx that wrote it."""

    __tablename__: ClassVar[str] = "notify_delivery"
    __table_args__ = (
        Index("ix_notify_delivery_due", "state", "not_before"),
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


class Trace(SQLModel, table=True):
    tenant_id: str = Field(primary_key=True)
    trace_id: UUID = Field(primary_key=True)
    kind: str
    person_id: UUID | None = None
    body: dict[str, Any] = json()
    created_at: int = ts()


class Audit(SQLModel, table=True):
    tenant_id: str = Field(primary_key=True)
    audit_id: UUID = Field(primary_key=True)
    at: int = ts()
    actor: str
    action: str
    target: str
    outcome: str
    detail: dict[str, Any] = json()
