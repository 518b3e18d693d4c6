"""What was said in a conversation with the bot, and what was put aside of it."""

from typing import ClassVar
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field, SQLModel

from core.store.columns import json, ts


class ThreadEvent(SQLModel, table=True):
    """Something said in a thread of one chat user: the words of one event, in the thread's order.

    `ref` is the event's own: the same words said twice are two rows. `event_id`: the inbound event that led to it.
    `calls`: the tool calls an assistant makes here; `answers`: the one that a tool answers. `source_ids`: what it
    quotes. `size`: bytes of its words, also when they are gone: revoked, or compacted under this key and spooled.
    """

    __tablename__: ClassVar[str] = "thread_event"
    __table_args__ = (
        Index("ix_thread_event_order", "tenant_id", "thread_id", "seq"),
        Index("ix_thread_event_person", "tenant_id", "person_id", "thread_id"),
        Index("ix_thread_event_event", "tenant_id", "event_id"),
        Index("ix_thread_event_age", "tenant_id", "created_at"),
    )
    tenant_id: str = Field(primary_key=True)
    ref: UUID = Field(primary_key=True)
    thread_id: UUID
    seq: int = ts()
    person_id: UUID
    event_id: str
    role: str
    kind: str
    retention: str
    content: bytes
    size: int
    source_ids: list[str] = json()
    calls: list[str] = json()
    answers: str = ""
    revoked: bool = False
    compacted: str | None = None
    created_at: int = ts()


class Spooled(SQLModel, table=True):
    """The whole words of an event that a plan left out or a compaction dropped; `ref` is the event's."""

    __table_args__ = (
        Index("ix_spooled_person", "tenant_id", "person_id"),
        Index("ix_spooled_age", "tenant_id", "created_at"),
    )
    tenant_id: str = Field(primary_key=True)
    ref: UUID = Field(primary_key=True)
    person_id: UUID
    content: bytes
    source_ids: list[str] = json()
    created_at: int = ts()


class TokenFactor(SQLModel, table=True):
    """What estimates of a model's tokens are to be multiplied by, as its own counts have taught."""

    __tablename__: ClassVar[str] = "token_factor"
    tenant_id: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    factor: float = 1.0
