"""Versioned rows, of nodes and of edges, as of coordinates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar
from uuid import UUID

from sqlalchemy import ColumnElement, and_, insert, literal, literal_column, or_, update
from sqlmodel import col
from sqlmodel import select as select_columns

from core.clock import FOREVER
from core.model.nodes import PART_OF, Edge, Node
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import EdgeVersion, NodeVersion

R = TypeVar("R", Node, Edge)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Which row it is, and where it lies."""

    row_id: UUID
    valid_start: int
    valid_end: int
    tx_start: int
    tombstone: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """What is kept of a row lies before `at` (`bound`: valid_end) or from it on (valid_start)."""

    bound: str
    at: int


@dataclass(frozen=True)
class Versions(Generic[R]):
    """The rows of one versioned table, read and written as frozen `kind` values."""

    table: type[NodeVersion | EdgeVersion]
    kind: type[R]
    id_name: str

    def as_of(self, tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> dict[UUID, R]:
        """The row of each id at these coordinates, tombstones included.

        Open rows are looked for first: the index on them leads to the one that ends next after `valid_t`. Of closed
        rows the one closed next after `tx_t` is likeliest. So of one id a history is hardly read, however long it is.
        """
        found: dict[UUID, R] = {}
        closed = and_(col(self.table.tx_end) > tx_t, col(self.table.tx_end) < FOREVER)
        for end in (col(self.table.tx_end) == FOREVER, closed):
            missing = [row_id for row_id in ids if row_id not in found]
            rows = self._by_id(tx, missing, and_(end, self.holding(valid_t, tx_t)), first=len(missing) == 1)
            found |= {getattr(row, self.id_name): row for row in rows}
        return found

    def labelled(self, tx: ReadTx, label: str, valid_t: int, tx_t: int) -> list[R]:
        return self.select(tx, col(self.table.label) == label, self.holding(valid_t, tx_t))

    def labels(self, tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> dict[UUID, str]:
        """The label of each id at these coordinates: what `as_of` reads, without the rest of the row."""
        found: dict[UUID, str] = {}
        for batch in batches(ids):
            columns: list[Any] = [self._id, self.table.label]
            mine = select_columns(*columns).where(*self._of(tx, batch), self.holding(valid_t, tx_t))
            found |= {row_id: label for row_id, label in tx.session.execute(mine)}  # noqa: C416  rows are not pairs to mypy
        return found

    def any_of(self, tx: ReadTx, row_id: UUID) -> R | None:
        """Some version of an id: its label and its source are those of all; None where there was none ever."""
        return next(iter(self.select(tx, self._id == row_id, first=True)), None)

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

    def bounds(self, tx: ReadTx, ids: Collection[UUID], valid: tuple[int, int]) -> list[Bounds]:
        """Where the rows lie that `open_rows` reads."""
        table = self.table
        columns: list[Any] = [self._id, table.valid_start, table.valid_end, table.tx_start, table.tombstone]
        mine = select_columns(*columns).where(*self._of(tx, ids), self._open(valid))
        return [Bounds(*row) for row in tx.session.execute(mine)]

    def _of(self, tx: ReadTx, ids: Collection[UUID]) -> tuple[ColumnElement[bool], ...]:
        return col(self.table.tenant_id) == tx.tenant_id, tx.among(self._id, ids)

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
            col(table.tx_end) < literal_column(str(FOREVER)),  # in these very words: the index is of such rows alone
        )
        return opened, closed

    def close(self, tx: WriteTx, ids: Collection[UUID], valid: tuple[int, int]) -> None:
        """End at this transaction's tx the belief in the rows that `bounds` reads."""
        closed = update(self.table).where(*self._of(tx, ids), self._open(valid))
        tx.session.execute(closed.values(tx_end=tx.tx).execution_options(synchronize_session=False))

    def keep(self, tx: WriteTx, ids: Collection[UUID], cut: Cut) -> None:
        """Of each id's open row that stands on both sides of a moment, believe one side anew from this tx."""
        new = {cut.bound: literal(cut.at), "tx_start": literal(tx.tx)}
        names = ["tenant_id", *self._names]
        columns: list[Any] = [new.get(name, getattr(self.table, name)) for name in names]
        part: Any = select_columns(*columns).where(*self._of(tx, ids), self._open((cut.at, cut.at)))
        tx.session.execute(insert(self.table).from_select(names, part))

    def insert(self, tx: WriteTx, rows: Sequence[R]) -> None:
        tx.insert_ready(tx.rows(self.table, {name: list(map(attrgetter(name), rows)) for name in self._names}))

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

    @property
    def _id(self) -> Any:
        return col(getattr(self.table, self.id_name))

    def _by_id(
        self, tx: ReadTx, ids: Collection[UUID], condition: ColumnElement[bool], *, first: bool = False
    ) -> list[R]:
        among = (tx.among(self._id, batch) for batch in batches(ids))
        return [row for mine in among for row in self.select(tx, mine, condition, first=first)]

    def select(
        self,
        tx: ReadTx,
        *conditions: ColumnElement[bool],
        first: bool = False,
        order: Sequence[Any] = (),
        limit: int | None = None,
    ) -> list[R]:
        """Rows that meet all conditions; `first`: the one alone that ends first."""
        columns: list[Any] = [getattr(self.table, name) for name in self._names]
        chosen = select_columns(*columns).where(col(self.table.tenant_id) == tx.tenant_id, *conditions)
        chosen = chosen.order_by(*order).limit(limit)
        if first:
            chosen = chosen.order_by(col(self.table.tx_end), col(self.table.valid_end)).limit(1)
        return [self.kind(*row) for row in tx.session.execute(chosen)]


NODES = Versions(NodeVersion, Node, "node_id")
EDGES = Versions(EdgeVersion, Edge, "edge_id")


def wholes(tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> list[tuple[UUID, UUID]]:
    """(node, what it is part of) over edges that hold at these coordinates."""
    return _part_of(tx, col(EdgeVersion.from_id), ids, valid_t, tx_t)


def parts(tx: ReadTx, ids: Collection[UUID], valid_t: int, tx_t: int) -> list[tuple[UUID, UUID]]:
    """(node, what is part of it) over edges that hold at these coordinates."""
    return [(whole, part) for part, whole in _part_of(tx, col(EdgeVersion.to_id), ids, valid_t, tx_t)]


def _part_of(tx: ReadTx, end: Any, ids: Collection[UUID], valid_t: int, tx_t: int) -> list[tuple[UUID, UUID]]:
    """(part, whole) over edges that hold, of which one end is among these ids."""
    return [
        (edge.from_id, edge.to_id)
        for batch in batches(ids)
        for edge in EDGES.select(tx, col(EdgeVersion.label) == PART_OF, end.in_(batch), EDGES.holding(valid_t, tx_t))
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
