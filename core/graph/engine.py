"""Writing nodes and edges over an interval of valid time. The rule itself is pure: `core.graph.bitemporal`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar, cast
from uuid import UUID

from core.clock import FOREVER
from core.graph import bitemporal
from core.model.nodes import Edge, EdgeWrite, Node, NodeWrite
from core.store import boundaries
from core.store.database import ReadTx, WriteTx
from core.store.versions import EDGES, NODES

R = TypeVar("R", Node, Edge)


class GraphEngine:
    """The one way nodes and edges come into being."""

    def current(self, tx: ReadTx, ids: Collection[UUID], now: int) -> dict[UUID, Node]:
        """What is believed today about `now`; a tombstoned node is absent."""
        rows = NODES.as_of(tx, ids, now, tx.last_tx)
        return {node_id: node for node_id, node in rows.items() if not node.tombstone}

    def labelled(self, tx: ReadTx, label: str, now: int) -> list[Node]:
        """Every node of a label that stands today."""
        return [node for node in NODES.labelled(tx, label, now, tx.last_tx) if not node.tombstone]

    def write(self, tx: WriteTx, writes: Sequence[NodeWrite], valid: tuple[int, int]) -> None:
        """Let each node be so over `valid`; one feed row a node, and a boundary where `valid` begins or ends ahead."""
        existing = _grouped(NODES.open_rows(tx, [write.node_id for write in writes], valid), "node_id")
        opened: list[Node] = []
        closed: list[Node] = []
        for write in writes:
            rows = existing.get(write.node_id, [])
            ends, begins = _change(rows, write.over(valid, tx.tx))
            closed += ends
            opened += begins
            _report(tx, write, rows)
        NODES.close(tx, closed)
        NODES.insert(tx, opened)
        boundaries.note(tx, "node", [(write.node_id, write.label) for write in writes], valid)

    def link(self, tx: WriteTx, writes: Sequence[EdgeWrite], valid: tuple[int, int]) -> None:
        existing = _grouped(EDGES.open_rows(tx, [write.edge_id for write in writes], valid), "edge_id")
        opened: list[Edge] = []
        closed: list[Edge] = []
        for write in writes:
            ends, begins = _change(existing.get(write.edge_id, []), write.over(valid, tx.tx))
            closed += ends
            opened += begins
        EDGES.close(tx, closed)
        EDGES.insert(tx, opened)


def _report(tx: WriteTx, write: NodeWrite, rows: Sequence[Node]) -> None:
    change = "tombstoned" if write.tombstone else "changed" if rows else "created"
    old_tx = max((row.tx_start for row in rows), default=None)
    tx.feed("node", write.node_id, change, label=write.label, old_tx=old_tx, new_tx=tx.tx)


def _change(rows: Sequence[R], fresh: R) -> tuple[list[R], list[R]]:
    """The rows to close and the rows to open, by the bitemporal rule."""
    valid = (fresh.valid_start, fresh.valid_end)
    change = bitemporal.write([_version(row) for row in rows], fresh, valid, fresh.tx_start, fresh.tombstone)
    opened = [
        replace(
            cast("R", part.body),
            valid_start=part.valid_start,
            valid_end=part.valid_end,
            tx_start=part.tx_start,
            tx_end=FOREVER,
        )
        for part in change.insert
    ]
    return [cast("R", part.body) for part in change.close], opened


def _version(row: Node | Edge) -> bitemporal.Version:
    return bitemporal.Version(row.valid_start, row.valid_end, row.tx_start, row.tx_end, row.tombstone, row)


def _grouped(rows: Sequence[R], id_name: str) -> dict[UUID, list[R]]:
    groups: dict[UUID, list[R]] = {}
    for row in rows:
        groups.setdefault(getattr(row, id_name), []).append(row)
    return groups
