"""Writing nodes and edges over an interval of valid time. The rule itself is pure: `core.graph.bitemporal`."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar, cast
from uuid import UUID

from core.clock import FOREVER
from core.graph import bitemporal
from core.model.nodes import Edge, EdgeWrite, Node, NodeWrite
from core.store import boundaries
from core.store.database import ReadTx, WriteTx, batches
from core.store.versions import EDGES, NODES, Versions

R = TypeVar("R", Node, Edge)


class GraphEngine:
    """The one way nodes and edges come into being."""

    def current(self, tx: ReadTx, ids: Collection[UUID], now: int) -> dict[UUID, Node]:
        """What is believed today about `now`; a tombstoned node is absent."""
        rows = NODES.as_of(tx, ids, tx.present(now), tx.last_tx)
        return {node_id: node for node_id, node in rows.items() if not node.tombstone}

    def labelled(self, tx: ReadTx, label: str, now: int) -> list[Node]:
        """Every node of a label that stands today."""
        return [node for node in NODES.labelled(tx, label, tx.present(now), tx.last_tx) if not node.tombstone]

    def write(self, tx: WriteTx, writes: Sequence[NodeWrite], valid: tuple[int, int]) -> None:
        """Let each node be so over `valid`; one feed row a node, and a boundary where `valid` begins or ends ahead."""
        for batch in batches(writes):
            stood = _put(tx, NODES, [write.over(valid, tx.tx) for write in batch], valid)
            for write in batch:
                _report(tx, write, stood.get(write.node_id, ()))
        boundaries.note(tx, "node", [(write.node_id, write.label) for write in writes], valid)

    def link(self, tx: WriteTx, writes: Sequence[EdgeWrite], valid: tuple[int, int]) -> None:
        for batch in batches(writes):
            _put(tx, EDGES, [write.over(valid, tx.tx) for write in batch], valid)


def _put(tx: WriteTx, versions: Versions[R], fresh: Sequence[R], valid: tuple[int, int]) -> dict[UUID, list[R]]:
    """Write the fresh rows over `valid`; the rows of each id that stood there."""
    ids = [getattr(row, versions.id_name) for row in fresh]
    stood = _grouped(versions.open_rows(tx, ids, valid), versions.id_name)
    changes = [_change(stood.get(row_id, []), row) for row_id, row in zip(ids, fresh, strict=True)]
    versions.close(tx, [row for closed, _ in changes for row in closed])
    versions.insert(tx, [row for _, opened in changes for row in opened])
    return stood


def _report(tx: WriteTx, write: NodeWrite, rows: Sequence[Node]) -> None:
    change = "tombstoned" if write.tombstone else "changed" if rows else "created"
    old_tx = max((row.tx_start for row in rows), default=None)
    tx.feed("node", write.node_id, change, label=write.label, old_tx=old_tx, new_tx=tx.tx)


def _change(rows: Sequence[R], fresh: R) -> tuple[list[R], list[R]]:
    """The rows to close and the rows to open, by the bitemporal rule."""
    valid = (fresh.valid_start, fresh.valid_end)
    if not rows and valid[0] < valid[1]:
        return [], [fresh]  # what is new, as most is
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
        if part.body is not fresh
    ]
    opened.append(fresh)
    return [cast("R", part.body) for part in change.close], opened


def _version(row: Node | Edge) -> bitemporal.Version:
    return bitemporal.Version(row.valid_start, row.valid_end, row.tx_start, row.tx_end, row.tombstone, row)


def _grouped(rows: Sequence[R], id_name: str) -> dict[UUID, list[R]]:
    groups: dict[UUID, list[R]] = {}
    for row in rows:
        groups.setdefault(getattr(row, id_name), []).append(row)
    return groups
