"""Which passage versions hold at a coordinate and may be read: the filter that runs before any scoring."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import numpy.typing as npt

from core.recall.growth import Growing

Places = npt.NDArray[np.int64]
"""Places of entries, in the order in which the index holds them."""

_Key = tuple[UUID, int, int]
"""Node id, valid_start, tx_start."""

_COLUMNS = ("entry", "source", "valid_start", "valid_end", "tx_start", "tx_end", "start")


@dataclass(frozen=True, slots=True)
class Row:
    """A version of a passage. `entry_tx`, with the node id, names the entry that holds its vector and terms.

    `start`: where the passage begins in its version's text.
    """

    node_id: UUID
    source_id: UUID
    entry_tx: int
    valid_start: int
    valid_end: int
    tx_start: int
    tx_end: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class Closure:
    """The version of a node that begins at (valid_start, tx_start) ends at `tx_end`."""

    node_id: UUID
    valid_start: int
    tx_start: int
    tx_end: int


@dataclass(frozen=True, slots=True)
class Held:
    """Rows, and beside them their entries; of all rows, the number of their source and their start."""

    entries: Places
    rows: Places
    source: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    source_ids: Sequence[UUID]

    def place(self, row: int) -> tuple[UUID, int]:
        return self.source_ids[self.source[row]], int(self.start[row])


class RowTable:
    def __init__(self) -> None:
        self._known: dict[_Key, int] = {}
        self._sources: dict[UUID, int] = {}
        self._source_ids: list[UUID] = []
        self._columns = {name: Growing(np.empty(0, dtype=np.int64)) for name in _COLUMNS}

    def add(self, rows: Sequence[tuple[Row, int]]) -> None:
        """Rows, each with its entry. One that is known only takes the new `tx_end`: the feed may repeat a load."""
        fresh: dict[_Key, tuple[Row, int]] = {}
        for row, entry in rows:
            key = (row.node_id, row.valid_start, row.tx_start)
            if key in self._known:
                self._end(key, row.tx_end)
            else:
                fresh[key] = (row, entry)
        self._append(fresh)

    def _append(self, fresh: Mapping[_Key, tuple[Row, int]]) -> None:
        self._known.update({key: place for place, key in enumerate(fresh, start=len(self._known))})
        values = np.array([self._values(*row) for row in fresh.values()], dtype=np.int64).reshape(-1, len(_COLUMNS))
        for name, column in zip(_COLUMNS, values.T, strict=True):
            self._columns[name].extend(column)

    def _values(self, row: Row, entry: int) -> tuple[int, ...]:
        source = self._sources.setdefault(row.source_id, len(self._sources))
        if source == len(self._source_ids):
            self._source_ids.append(row.source_id)
        return entry, source, row.valid_start, row.valid_end, row.tx_start, row.tx_end, row.start

    def close(self, closure: Closure) -> None:
        key = (closure.node_id, closure.valid_start, closure.tx_start)
        if key in self._known:
            self._end(key, closure.tx_end)

    def _end(self, key: _Key, tx_end: int) -> None:
        self._columns["tx_end"].view[self._known[key]] = tx_end

    def entries_of(self, source_id: UUID) -> Places:
        return np.unique(self._column("entry")[self._column("source") == self._sources.get(source_id, -1)])

    def keep(self, kept: npt.NDArray[np.bool_]) -> None:
        """Drop the rows whose entry is not `kept`, and count entries anew."""
        entries = self._column("entry")
        stay = kept[entries]
        renumbered = np.cumsum(kept) - 1
        self._columns["entry"] = Growing(renumbered[entries])
        for name in _COLUMNS:
            self._columns[name] = Growing(self._column(name)[stay])
        keys = [key for key, place in self._known.items() if stay[place]]
        self._known = {key: place for place, key in enumerate(keys)}

    def allowed(self, readable: Collection[UUID] | None, valid_t: int, tx_t: int) -> "Held":
        """The rows that hold at (valid_t, tx_t) and whose source is readable; None: every source."""
        holds = (self._column("valid_start") <= valid_t) & (valid_t < self._column("valid_end"))
        holds &= (self._column("tx_start") <= tx_t) & (tx_t < self._column("tx_end"))
        if readable is not None:
            holds &= self._readable(readable)[self._column("source")]
        rows = np.flatnonzero(holds)
        return Held(self._column("entry")[rows], rows, self._column("source"), self._column("start"), self._source_ids)

    def _readable(self, readable: Collection[UUID]) -> npt.NDArray[np.bool_]:
        known: Sequence[int] = [self._sources[source] for source in readable if source in self._sources]
        flags = np.zeros(len(self._sources), dtype=np.bool_)
        flags[known] = True
        return flags

    def _column(self, name: str) -> npt.NDArray[np.int64]:
        return self._columns[name].view
