"""What an ingest must write: the difference between the nodes that hold and the nodes a document wants. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from core.ids import derived
from core.ingest.layout import Layout
from core.model.documents import Document
from core.model.nodes import DOCUMENT, LINKS_TO, PART_OF, Edge, EdgeWrite, Node, NodeWrite


def node_writes(
    wanted: Layout, existing: Mapping[UUID, Node], document: Document, source_id: UUID, reign: Mapping[str, Any]
) -> list[NodeWrite]:
    """New versions for what is new or says something else, tombstones for what is gone; nothing for what still stands.

    The document's own node says which version holds (`reign`: version_tx and text_hash), so every version renews it.
    """
    writes = [
        NodeWrite(
            node.node_id,
            node.label,
            node.key,
            {**node.props, **reign} if node.label == DOCUMENT else node.props,
            [(reign["version_tx"], document.blocks[i].start, document.blocks[i].end) for i in node.blocks],
            source_id,
        )
        for node in wanted.nodes
        if node.label == DOCUMENT or not _stands(existing.get(node.node_id), node.key)
    ]
    kept = {node.node_id for node in wanted.nodes}
    return writes + tombstones(node for node_id, node in existing.items() if node_id not in kept)


def tombstones(nodes: Iterable[Node]) -> list[NodeWrite]:
    return [
        NodeWrite(node.node_id, node.label, source_id=node.source_id, tombstone=True)
        for node in nodes
        if not node.tombstone
    ]


def edge_writes(wanted: Iterable[EdgeWrite], existing: Mapping[UUID, Edge]) -> list[EdgeWrite]:
    by_id = {edge.edge_id: edge for edge in wanted}
    fresh = [edge for edge_id, edge in by_id.items() if edge_id not in existing or existing[edge_id].tombstone]
    return fresh + cut_edges(edge for edge_id, edge in existing.items() if edge_id not in by_id)


def cut_edges(edges: Iterable[Edge]) -> list[EdgeWrite]:
    return [
        EdgeWrite(edge.edge_id, edge.label, edge.from_id, edge.to_id, edge.source_id, tombstone=True)
        for edge in edges
        if not edge.tombstone
    ]


def part_edges(wanted: Layout, source_id: UUID) -> list[EdgeWrite]:
    """PART_OF from each node to its parent."""
    return [
        _edge(PART_OF, node.node_id, node.parent_id, source_id) for node in wanted.nodes if node.parent_id is not None
    ]


def link_edges(wanted: Layout, document: Document, source_id: UUID, targets: Mapping[str, UUID]) -> list[EdgeWrite]:
    """LINKS_TO from a block's passage to the document its link names."""
    if not targets:
        return []
    passage_of = {node.blocks[0]: node.node_id for node in wanted.nodes if node.recall_text is not None}
    return [
        _edge(LINKS_TO, passage_of[link.block], targets[link.target], source_id)
        for link in document.links
        if link.target in targets and link.block in passage_of
    ]


def _edge(label: str, from_id: UUID, to_id: UUID, source_id: UUID) -> EdgeWrite:
    return EdgeWrite(derived("edge", label, from_id, to_id), label, from_id, to_id, source_id)


def _stands(node: Node | None, key: str) -> bool:
    return node is not None and not node.tombstone and node.key == key
