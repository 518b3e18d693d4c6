"""What is remembered: documents, nodes, edges, and the feed of what changed."""

from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from core.clock import FOREVER
from core.store.columns import json, ts

_CLOSED = text(f"tx_end < {FOREVER}")
"""Who looks for open rows of a node must not find all that are open: without statistics both databases would."""


class Source(SQLModel, table=True):
    """`erased_tx`: when it was erased; 0 for one that was not. Its uri stays, so that it is not taken in again."""

    __table_args__ = (UniqueConstraint("tenant_id", "uri"), Index("ix_source_erased", "tenant_id", "erased_tx"))
    tenant_id: str = Field(primary_key=True)
    source_id: UUID = Field(primary_key=True)
    uri: str
    name: str
    readers: list[str] = json()
    hash_key: bytes
    source_set: str | None = Field(default=None, index=True)
    checked_at: int = ts()
    erased_tx: int = ts(default=0)


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
        Index("ix_node_version_open", "tenant_id", "node_id", "tx_end", "valid_end"),
        Index("ix_node_version_closed", "tenant_id", "tx_end", sqlite_where=_CLOSED, postgresql_where=_CLOSED),
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
    """A passage's id pins its words, so one entry serves every version of it.

    `model`: the embedder's, "" without one. Only those of the tenant's model are read; see core.store.models.
    """

    __tablename__: ClassVar[str] = "recall_entry"
    __table_args__ = (
        Index("ix_recall_entry_source", "tenant_id", "source_id", "model"),
        Index("ix_recall_entry_added", "tenant_id", "model", "added_tx"),
    )
    tenant_id: str = Field(primary_key=True)
    node_id: UUID = Field(primary_key=True)
    model: str = Field(primary_key=True)
    source_id: UUID
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


class Clarification(SQLModel, table=True):
    """A question that only people can settle, about a node. Each transition, and each vote, is a version.

    `prop` and `options`: the property on which sources differ and what each says, where that is what it is about.
    `audience`: who is asked, `quorum`: how many must agree, `votes`: person id → number of an option; None is for none.
    `asked`: the ids of those who were. `bound`: the option that was chosen, and `settled_by`: by what or whom.
    """

    __table_args__ = (
        Index("ix_clarification_node", "tenant_id", "node_id", "tx_end"),
        Index("ix_clarification_open", "tenant_id", "tx_end", "state"),
    )
    tenant_id: str = Field(primary_key=True)
    clarification_id: UUID = Field(primary_key=True)
    tx_start: int = ts(primary_key=True)
    tx_end: int = ts()
    node_id: UUID
    prop: str | None = None
    question: str
    options: list[dict[str, Any]] = json()
    audience: list[str] = json()
    quorum: int = 1
    state: str = "pending"
    votes: dict[str, int | None] = json()
    asked: list[str] = json()
    bound: int | None = None
    settled_by: str | None = None


class Erasure(SQLModel, table=True):
    """What was erased, why, and what was done on each surface; nothing of what it said. `report`: see core.erasure."""

    tenant_id: str = Field(primary_key=True)
    erasure_id: UUID = Field(primary_key=True)
    at: int = ts()
    tx: int = ts()
    actor: str
    subject_type: str
    subject_id: UUID
    reason: str
    report: dict[str, Any] = json()
