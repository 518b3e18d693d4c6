"""Versioned rows, of nodes and of edges, as of coordinates."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, and_, bindparam, or_, update
from sqlmodel import col
from sqlmodel import select as select_columns

from core.clock import FOREVER
from core.model.nodes import PART_OF, Edge, Node
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import EdgeVersion, NodeVersion

R = TypeVar("R", Node, Edge)


@dataclass(frozen=True)
class Versions(Generic[R]):
    """The rows of one versioned table, read and written as frozen `kind` values."""

    table: type[NodeVersion | EdgeVersion]
    kind: type[R]
    id_name: str

    def as_of(self, tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> dict[UUID, R]:
        """The row of each id at these coordinates, tombstones included."""
        rows = self._by_id(tx, ids, self.holding(valid_t, tx_t))
        return {getattr(row, self.id_name): row for row in rows}

    def labelled(self, tx: ReadTx, label: str, valid_t: int, tx_t: int) -> list[R]:
        return self.select(tx, col(self.table.label) == label, self.holding(valid_t, tx_t))

    def ever(self, tx: ReadTx, row_id: UUID) -> list[R]:
        """Every version of one id that was ever believed."""
        return self.select(tx, col(getattr(self.table, self.id_name)) == row_id)

    def of_source(self, tx: ReadTx, source_id: UUID, valid_t: int, tx_t: int) -> dict[UUID, R]:
        """Every row a source's ingestion wrote that holds at these coordinates, tombstones included."""
        rows = self.select(tx, col(self.table.source_id) == source_id, self.holding(valid_t, tx_t))
        return {getattr(row, self.id_name): row for row in rows}

    def open_of_source(self, tx: ReadTx, source_id: UUID, valid: tuple[int, int]) -> list[R]:
        """Rows a source's ingestion wrote, believed now, whose valid interval meets `valid`."""
        return self.select(tx, col(self.table.source_id) == source_id, self._open(valid))

    def open_rows(self, tx: ReadTx, ids: Collection[UUID], valid: tuple[int, int]) -> list[R]:
        """Rows of these ids believed now whose valid interval meets `valid`: what a write there must close."""
        return self._by_id(tx, ids, self._open(valid))

    def _open(self, valid: tuple[int, int]) -> ColumnElement[bool]:
        table = self.table
        return and_(col(table.tx_end) == FOREVER, col(table.valid_start) < valid[1], col(table.valid_end) > valid[0])

    def since(self, tx: ReadTx, label: str, after_tx: int) -> tuple[list[R], list[R]]:
        """Rows of a label opened after a tx, and older ones closed after it: what an index must take in."""
        table = self.table
        opened = self.select(tx, col(table.label) == label, col(table.tx_start) > after_tx)
        closed = self.select(
            tx,
            col(table.label) == label,
            col(table.tx_start) <= after_tx,
            col(table.tx_end) > after_tx,
            col(table.tx_end) < FOREVER,
        )
        return opened, closed

    def close(self, tx: WriteTx, rows: Sequence[R]) -> None:
        """End the belief in these rows at this transaction's tx."""
        if not rows:
            return
        table = self.table
        statement = (
            update(table)
            .where(
                col(table.tenant_id) == bindparam("b_tenant"),
                col(getattr(table, self.id_name)) == bindparam("b_id"),
                col(table.tx_start) == bindparam("b_tx"),
                col(table.valid_start) == bindparam("b_valid"),
            )
            .values(tx_end=tx.tx)
        )
        values: list[dict[str, Any]] = [
            {
                "b_tenant": tx.tenant_id,
                "b_id": getattr(row, self.id_name),
                "b_tx": row.tx_start,
                "b_valid": row.valid_start,
            }
            for row in rows
        ]
        tx.session.connection().execute(statement, values)

    def insert(self, tx: WriteTx, rows: Iterable[R]) -> None:
        names = self._names
        values = attrgetter(*names)
        tx.insert(
            self.table,
            ({"tenant_id": tx.tenant_id, **dict(zip(names, values(row), strict=True))} for row in rows),
        )

    @property
    def _names(self) -> list[str]:
        return list(self.kind.__dataclass_fields__)

    def holding(self, valid_t: int, tx_t: int) -> ColumnElement[bool]:
        table = self.table
        return and_(
            col(table.valid_start) <= valid_t,
            col(table.valid_end) > valid_t,
            col(table.tx_start) <= tx_t,
            col(table.tx_end) > tx_t,
        )

    def _by_id(self, tx: ReadTx, ids: Collection[UUID], condition: ColumnElement[bool]) -> list[R]:
        id_column = col(getattr(self.table, self.id_name))
        return [row for batch in batches(ids) for row in self.select(tx, id_column.in_(batch), condition)]

    def select(self, tx: ReadTx, *conditions: ColumnElement[bool]) -> list[R]:
        columns: list[Any] = [getattr(self.table, name) for name in self._names]
        rows = tx.session.execute(
            select_columns(*columns).where(col(self.table.tenant_id) == tx.tenant_id, *conditions)
        )
        return [self.kind(*row) for row in rows]


NODES = Versions(NodeVersion, Node, "node_id")
EDGES = Versions(EdgeVersion, Edge, "edge_id")


def wholes(tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> list[tuple[UUID, UUID]]:
    """(node, what it is part of) over edges that hold at these coordinates."""
    return [
        (edge.from_id, edge.to_id)
        for batch in batches(ids)
        for edge in EDGES.select(
            tx,
            col(EdgeVersion.label) == PART_OF,
            col(EdgeVersion.from_id).in_(batch),
            EDGES.holding(valid_t, tx_t),
        )
        if not edge.tombstone
    ]


def neighbours(tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> list[tuple[UUID, UUID]]:
    """(node, neighbour) over edges that hold at these coordinates, in both directions."""
    found: list[tuple[UUID, UUID]] = []
    for batch in batches(ids):
        touching = or_(col(EdgeVersion.from_id).in_(batch), col(EdgeVersion.to_id).in_(batch))
        edges = EDGES.select(tx, touching, EDGES.holding(valid_t, tx_t))
        wanted = set(batch)
        ends = [(edge.from_id, edge.to_id) for edge in edges if not edge.tombstone]
        found += [pair for a, b in ends for pair in ((a, b), (b, a)) if pair[0] in wanted]
    return found
