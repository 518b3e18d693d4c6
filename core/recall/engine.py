"""The recall index of each tenant, kept in step with the store.

An index takes in what its snapshot shows and it has not: entries and rows opened since it last looked, and rows closed
since. Intervals are filtered at each search, so an index that is ahead of a snapshot still answers it exactly.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from threading import Lock
from uuid import UUID

import numpy as np
import numpy.typing as npt

from core.embed.protocol import Embedder, embed_question
from core.errors import SemanticUnavailable
from core.model.nodes import PASSAGE, Node
from core.recall.index import Entry, Hit, HybridConfig, RecallIndex
from core.recall.rows import Closure, Row
from core.store import entries, models, sources
from core.store.database import ReadTx
from core.store.versions import NODES
from core.text.terms import terms

_ENTRY_TX = 0
"""A passage's id pins its words, so each has one entry for all its versions."""


@dataclass
class _Kept:
    """`filled`: what the index holds is of this model; None for a tenant without documents."""

    index: RecallIndex = field(default_factory=lambda: RecallIndex(0))
    filled: models.Filled | None = None
    last_tx: int = 0
    lock: Lock = field(default_factory=Lock)


class RecallEngine:
    def __init__(self, embedder: Embedder | None, config: HybridConfig) -> None:
        self._embedder = embedder
        self._config = config
        self._tenants: dict[str, _Kept] = {}
        self._lock = Lock()

    def embed(self, question: str) -> npt.NDArray[np.float32]:
        """The question's vector. Raises SemanticUnavailable without a model."""
        if self._embedder is None:
            raise SemanticUnavailable
        return embed_question(self._embedder, question)

    def search(
        self, tx: ReadTx, question: str, vector: npt.NDArray[np.float32], readable: Collection[UUID],
        valid_t: int, tx_t: int, k: int,
    ) -> list[Hit]:  # fmt: skip
        kept = self._comparable(tx, vector)
        if kept is None:
            return []
        return kept.index.search(
            vector, terms(question), readable=readable, valid_t=valid_t, tx_t=tx_t, k=k, config=self._config
        )

    def nearest(
        self, tx: ReadTx, vector: npt.NDArray[np.float32], readable: Collection[UUID], valid_t: int, tx_t: int, k: int,
        among: Collection[UUID] | None = None,
    ) -> list[Hit]:  # fmt: skip
        """The k nearest by meaning alone; with `among`, of these nodes only."""
        kept = self._comparable(tx, vector)
        if kept is None:
            return []
        entries_of = None if among is None else {(node_id, _ENTRY_TX) for node_id in among}
        return kept.index.nearest(vector, readable=readable, valid_t=valid_t, tx_t=tx_t, k=k, among=entries_of)

    def rarity(
        self, tx: ReadTx, terms: Collection[str], readable: Collection[UUID], valid_t: int, tx_t: int
    ) -> dict[str, float]:
        """Each term's inverse document frequency over the passages that may be read."""
        return self._in_step(tx).index.rarity(terms, readable=readable, valid_t=valid_t, tx_t=tx_t)

    def match(self, tx: ReadTx, text: str, readable: Collection[UUID], valid_t: int, tx_t: int) -> dict[UUID, float]:
        return self._in_step(tx).index.match(terms(text), readable=readable, valid_t=valid_t, tx_t=tx_t)

    def _comparable(self, tx: ReadTx, vector: npt.NDArray[np.float32]) -> _Kept | None:
        """What a vector may be compared with; None for a tenant without documents. Raises ModelMismatch."""
        kept = self._in_step(tx)
        if kept.filled is None:
            return None
        models.refuse_other(kept.filled, models.Filled(models.of(self._embedder).model, len(vector)))
        return kept

    def _in_step(self, tx: ReadTx) -> _Kept:
        with self._lock:
            kept = self._tenants.setdefault(tx.tenant_id, _Kept())
        with kept.lock:
            if kept.last_tx < tx.last_tx:
                filled = models.require(tx, self._embedder) if self._embedder else models.filled(tx)
                if filled != kept.filled:
                    kept.index, kept.filled, kept.last_tx = RecallIndex((filled and filled.dim) or 0), filled, 0
                _take_in(kept, tx)
        return kept


def _take_in(kept: _Kept, tx: ReadTx) -> None:
    filled = kept.filled or models.NOT_EMBEDDED
    added = entries.since(tx, filled.model, kept.last_tx)
    kept.index.add_entries(
        Entry(node_id, _ENTRY_TX, _vector(dense, filled.dim or 0), terms_of) for node_id, dense, terms_of in added
    )
    erased = sources.erased_since(tx, kept.last_tx)  # of what is new, too: it was erased after it was opened
    for source_id in erased:
        kept.index.drop_source(source_id)
    opened, closed = NODES.since(tx, PASSAGE, kept.last_tx)
    kept.index.close_rows(Closure(row.node_id, row.valid_start, row.tx_start, row.tx_end) for row in closed)
    kept.index.add_rows(_row(node) for node in opened if not node.tombstone and node.source_id not in erased)
    kept.last_tx = tx.last_tx


def _vector(dense: bytes, dim: int) -> npt.NDArray[np.float32]:
    return np.frombuffer(dense, dtype=np.float32) if dense else np.zeros(dim, dtype=np.float32)


def _row(node: Node) -> Row:
    assert node.source_id is not None
    interval = (node.valid_start, node.valid_end, node.tx_start, node.tx_end)
    return Row(node.node_id, node.source_id, _ENTRY_TX, *interval, start=node.spans()[0].start)
