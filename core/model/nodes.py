"""Nodes and edges: labelled records, each version holding in an interval of valid time and one of tx time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from core.clock import FOREVER
from core.model.spans import SpanRef

DOCUMENT, SECTION, PASSAGE, SAVED_ANSWER = "DOCUMENT", "SECTION", "PASSAGE", "SAVED_ANSWER"
PART_OF, LINKS_TO, SUPERSEDES = "PART_OF", "LINKS_TO", "SUPERSEDES"
LABEL = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
"""Every label, as a whole: one that is written otherwise is none that a node can have."""

Coordinates = tuple[int, int, int] | tuple[str, int, int, int]
"""(source_version_tx, start, end) within a node's own source; of a record, with the source before them."""


@dataclass(frozen=True, slots=True)
class NodeWrite:
    """What a node is to be from now on. Equal `key` means nothing worth a new version changed."""

    node_id: UUID
    label: str
    key: str = ""
    props: Mapping[str, Any] = field(default_factory=dict)
    provenance: Sequence[Coordinates] = ()
    source_id: UUID | None = None
    readers: tuple[str, ...] | None = None
    confidence: float = 1.0
    observed_at: int | None = None
    tombstone: bool = False

    def over(self, valid: tuple[int, int], tx: int) -> "Node":
        """The version that lets this be so over `valid`, believed from `tx` on."""
        return Node(
            self.node_id,
            self.label,
            self.source_id,
            self.key,
            self.props,
            self.provenance,
            self.readers,
            self.confidence,
            self.observed_at,
            self.tombstone,
            *valid,
            tx,
            FOREVER,
        )


@dataclass(frozen=True, slots=True)
class Node:
    """One version of a node, as stored."""

    node_id: UUID
    label: str
    source_id: UUID | None
    key: str
    props: Mapping[str, Any]
    provenance: Sequence[Sequence[Any]]
    readers: Sequence[str] | None
    confidence: float
    observed_at: int | None
    tombstone: bool
    valid_start: int
    valid_end: int
    tx_start: int
    tx_end: int

    def spans(self) -> list[SpanRef]:
        """The evidence this version stands on."""
        if self.source_id is None:
            return [SpanRef(UUID(source), *place) for source, *place in self.provenance]
        return [SpanRef(self.source_id, tx, start, end) for tx, start, end in self.provenance]

    @property
    def sources(self) -> frozenset[UUID]:
        """The sources that this version is from; of a record that rests on no document, none."""
        own = frozenset() if self.source_id is None else frozenset({self.source_id})
        return own or frozenset(span.source_id for span in self.spans())


@dataclass(frozen=True, slots=True)
class EdgeWrite:
    edge_id: UUID
    label: str
    from_id: UUID
    to_id: UUID
    source_id: UUID | None = None
    tombstone: bool = False

    def over(self, valid: tuple[int, int], tx: int) -> "Edge":
        """The version that lets this be so over `valid`, believed from `tx` on."""
        return Edge(
            self.edge_id, self.label, self.from_id, self.to_id, self.source_id, self.tombstone, *valid, tx, FOREVER
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """One version of an edge, as stored."""

    edge_id: UUID
    label: str
    from_id: UUID
    to_id: UUID
    source_id: UUID | None
    tombstone: bool
    valid_start: int
    valid_end: int
    tx_start: int
    tx_end: int
