"""Who uses a tenant's memory, and where they are found."""

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
    """How far a person's briefs of a period have told, the slot of the last, and when to look again."""

    __table_args__ = (Index("ix_brief_due", "tenant_id", "next_due_at"),)
    tenant_id: str = Field(primary_key=True)
    person_id: UUID = Field(primary_key=True)
    period: str = Field(primary_key=True)
    cursor_tx: int = ts()
    slot: str = ""
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
    """`seen_at`: when they last wrote or tapped there; cards go where a person was seen last.

    `state`: bound; unreachable; or unbound, where an admin has said so: then `person_id` is the stranger's.
    """

    __tablename__: ClassVar[str] = "chat_identity"
    tenant_id: str = Field(primary_key=True)
    platform: str = Field(primary_key=True)
    workspace: str = Field(primary_key=True)
    user_id: str = Field(primary_key=True)
    person_id: UUID = Field(index=True)
    state: str = "bound"
    reason: str | None = None
    seen_at: int = ts(default=0)


class ChatAddress(SQLModel, table=True):
    """How a chat user is written to, where a platform wants more than their id: also of users whom nobody knows.

    `seen_at`: when the platform last said so.
    """

    __tablename__: ClassVar[str] = "chat_address"
    tenant_id: str = Field(primary_key=True)
    platform: str = Field(primary_key=True)
    workspace: str = Field(primary_key=True)
    user_id: str = Field(primary_key=True)
    detail: dict[str, Any] = json()
    seen_at: int = ts()


class ApiKey(SQLModel, table=True):
    """A key is shown once, when it is made; `key_hash` is all that is kept. By it a request finds its tenant.

    `person_id`: whom it stands for; None: nobody, and it reads by `roles`. `expires_at`: 0 for never.
    """

    __tablename__: ClassVar[str] = "api_key"
    __table_args__ = (UniqueConstraint("key_hash"),)
    tenant_id: str = Field(primary_key=True)
    key_id: UUID = Field(primary_key=True)
    name: str
    key_hash: bytes
    roles: list[str] = json()
    person_id: UUID | None = None
    created_at: int = ts()
    expires_at: int = ts(default=0)
    revoked_at: int = ts(default=0)
