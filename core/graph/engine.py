"""Writing nodes and edges over an interval of valid time, and asking for them.

The rules themselves are pure: `core.graph.bitemporal`, `core.graph.query`.
"""

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from typing import Any, TypeVar
from uuid import UUID

from core.clock import FOREVER
from core.errors import InvalidRequest, NotFound
from core.graph import bitemporal, query
from core.graph.records import Record
from core.model.nodes import PASSAGE, SAVED_ANSWER, Edge, EdgeWrite, Node, NodeWrite
from core.model.ports import Recall
from core.store import boundaries
from core.store.database import ReadTx, WriteTx, batches
from core.store.versions import EDGES, NODES, Bounds, Cut, Versions
from core.store.view import View

R = TypeVar("R", Node, Edge)


class GraphEngine:
    """The one way nodes and edges come into being."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall

    def find(
        self, view: View, label: str | None, where: Sequence[Mapping[str, Any]]
    ) -> list[tuple[Node, float | None]]:
        """Nodes of a label that meet every condition, each with its BM25: best first, else in the order of their ids.

        Without a label: the passages that `match` leads to. Raises InvalidQuery, naming the place.
        """
        asked = query.read(label, list(where))
        if asked.words is None:
            return [(node, None) for node in view.labelled(asked.label) if query.matches(asked.tree, node.props)]
        matched = self.matched(view, asked)
        nodes = [node for node in view.nodes(list(matched)).values() if node.label == asked.label]
        found: list[tuple[Node, float | None]] = [
            (node, matched[node.node_id]) for node in nodes if query.matches(asked.tree, node.props)
        ]
        return sorted(found, key=lambda one: (-matched[one[0].node_id], one[0].node_id))

    def matched(self, view: View, asked: query.Query) -> Mapping[UUID, float]:
        """How well the words match each passage, and for another label whatever it is part of, at its best."""
        best = dict(self._recall.match(view.tx, asked.words or "", view.readable, view.valid_t, view.tx_t))
        inner = best if asked.label != PASSAGE else {}
        while inner:
            outer: dict[UUID, float] = {}
            for node_id, whole in view.wholes(list(inner)):
                outer[whole] = max(inner[node_id], outer.get(whole, 0.0))
            best |= outer
            inner = outer
        return best

    def put(self, tx: WriteTx, record: Record) -> None:
        """Let a record be so over its interval, in place of what stood there; nothing where it is so already.

        Raises InvalidRequest where the id is a document's node or one of another label.
        """
        other = NODES.any_of(tx, record.node_id)
        if other is not None and (other.source_id is not None or other.label != record.label):
            raise InvalidRequest(f"node {record.node_id} is of another kind already; let a new id be chosen")
        valid = record.interval(tx.now)
        stood = NODES.open_rows(tx, [record.node_id], valid)
        if not any(
            record.stands_as(row) and row.valid_start <= valid[0] and valid[1] <= row.valid_end for row in stood
        ):
            self.write(tx, [record.to_write()], valid)

    def standing(self, tx: ReadTx, node_id: UUID, valid: tuple[int, int]) -> list[Node]:
        """The versions of a node that are believed now and stand somewhere within an interval."""
        return [row for row in NODES.open_rows(tx, [node_id], valid) if not row.tombstone]

    def end(self, tx: WriteTx, node_id: UUID, valid: tuple[int, int]) -> None:
        """Let a record stand no more over an interval. Raises NotFound for no record, or none that stands there."""
        stood = [row for row in NODES.open_rows(tx, [node_id], valid) if row.source_id is None and not row.tombstone]
        if not stood or stood[0].label == SAVED_ANSWER:
            raise NotFound(f"there is no record {node_id}")
        last = stood[-1]
        write = NodeWrite(node_id, last.label, readers=tuple(last.readers or ()), tombstone=True)
        self.write(tx, [write], valid)

    def current(self, tx: ReadTx, ids: Collection[UUID], now: int) -> dict[UUID, Node]:
        """What is believed today about `now`; a tombstoned node is absent."""
        rows = NODES.as_of(tx, ids, tx.present(now), tx.last_tx)
        return {node_id: node for node_id, node in rows.items() if not node.tombstone}

    def labelled(self, tx: ReadTx, label: str, now: int) -> list[Node]:
        """Every node of a label that stands today."""
        return [node for node in NODES.labelled(tx, label, tx.present(now), tx.last_tx) if not node.tombstone]

    def write(
        self, tx: WriteTx, writes: Sequence[NodeWrite], valid: tuple[int, int], *, known: Container[UUID] | None = None
    ) -> None:
        """Let each node be so over `valid`; one feed row a node, and a boundary where `valid` begins or ends ahead.

        `known`: which ids alone may stand somewhere in `valid` already; None: any.
        """
        for batch in batches(writes):
            stood = _put(tx, NODES, [write.over(valid, tx.tx) for write in batch], valid, known)
            for write in batch:
                _report(tx, write, stood.get(write.node_id, ()))
        boundaries.note(tx, "node", [(write.node_id, write.label) for write in writes], valid)

    def link(
        self, tx: WriteTx, writes: Sequence[EdgeWrite], valid: tuple[int, int], *, known: Container[UUID] | None = None
    ) -> None:
        for batch in batches(writes):
            _put(tx, EDGES, [write.over(valid, tx.tx) for write in batch], valid, known)


def _put(
    tx: WriteTx, versions: Versions[R], fresh: Sequence[R], valid: tuple[int, int], known: Container[UUID] | None
) -> dict[UUID, list[Bounds]]:
    """Write the fresh rows over `valid`; the bounds of the rows that stood there, by id."""
    bitemporal.write((), None, valid, tx.tx)  # refuses an interval that is empty
    ids = [getattr(row, versions.id_name) for row in fresh]
    ids = [row_id for row_id in ids if known is None or row_id in known]
    stood = _by_id(versions.bounds(tx, ids, valid)) if ids else {}
    for cut, cut_ids in _cuts(stood, valid, tx.tx).items():
        versions.keep(tx, cut_ids, cut)
    if stood:
        versions.close(tx, stood, valid)
    versions.insert(tx, fresh)
    return stood


def _cuts(stood: Mapping[UUID, Sequence[Bounds]], valid: tuple[int, int], tx: int) -> dict[Cut, list[UUID]]:
    """What goes on of the rows that stood, beside what is written over `valid`: alike for many of them."""
    cuts: dict[Cut, list[UUID]] = {}
    for row_id, rows in stood.items():
        for part in bitemporal.write([_version(row) for row in rows], None, valid, tx).insert[:-1]:
            before = part.valid_end == valid[0]
            cut = Cut("valid_end", part.valid_end) if before else Cut("valid_start", part.valid_start)
            cuts.setdefault(cut, []).append(row_id)
    return cuts


def _version(row: Bounds) -> bitemporal.Version:
    return bitemporal.Version(row.valid_start, row.valid_end, row.tx_start, FOREVER, row.tombstone, row)


def _by_id(rows: Iterable[Bounds]) -> dict[UUID, list[Bounds]]:
    found: dict[UUID, list[Bounds]] = {}
    for row in rows:
        found.setdefault(row.row_id, []).append(row)
    return found


def _report(tx: WriteTx, write: NodeWrite, rows: Sequence[Bounds]) -> None:
    change = "tombstoned" if write.tombstone else "changed" if rows else "created"
    old_tx = max((row.tx_start for row in rows), default=None)
    tx.feed("node", write.node_id, change, label=write.label, old_tx=old_tx, new_tx=tx.tx)
