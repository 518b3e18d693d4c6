"""Records that rest on documents, and clarifications where those disagree: `core.clarifications.conflicts` decides."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from core.clarifications.conflicts import (
    BOUND,
    PENDING,
    Statement,
    agreed,
    disputed,
    question,
    with_statement,
)
from core.clarifications.views import ClarificationView, Recorded
from core.errors import InvalidRequest
from core.ids import derived
from core.model.evidence import Standing
from core.model.nodes import Node
from core.model.ports import Graph, Library, RecordWrite
from core.model.spans import SpanRef
from core.store import clarifications
from core.store.database import ReadTx, WriteTx
from core.store.tables import Clarification
from core.store.view import View

STEWARDS = ("steward",)
"""Who is asked where nobody was named: the role whose matter it is to settle what documents say."""


class ClarificationsEngine:
    def __init__(self, graph: Graph, library: Library) -> None:
        self._graph = graph
        self._library = library

    def record(self, tx: WriteTx, record: RecordWrite) -> Recorded:
        """Let a record be so, unless other sources whose words stand say something else.

        Raises InvalidRequest for words that are not there, and where the id is a document's node.
        """
        tx.lock()
        self._require_words(tx, record.provenance)
        stood = self._graph.standing(tx, record.node_id, record.interval(tx.now))
        props = sorted({name for row in stood for name in self._disputed(tx, row, record)})
        if not props:
            self._graph.put(tx, record)
            self._settle(tx, record)
            return Recorded(written=True)
        return Recorded(written=False, in_question=tuple(self._ask(tx, record, stood, prop) for prop in props))

    def open_for(self, asked: View) -> list[ClarificationView]:
        """Clarifications that are pending, on nodes that the principal may read."""
        rows = [row for row in clarifications.standing(asked.tx) if row.state == PENDING]
        nodes = asked.nodes({row.node_id for row in rows})
        return [_view(row, asked.readable) for row in rows if row.node_id in nodes]

    def _require_words(self, tx: ReadTx, spans: Sequence[SpanRef]) -> None:
        found = self._library.slices(tx, spans)
        for span in spans:
            if not found.get(span):
                raise InvalidRequest(
                    f"provenance: there are no words at {span.source_id}, version {span.source_version_tx}, "
                    f"bytes {span.start} to {span.end}"
                )

    def _disputed(self, tx: WriteTx, row: Node, record: RecordWrite) -> list[str]:
        differing = disputed(row.props, row.sources, record.props, record.sources)
        return differing if differing and self._stands(tx, row.spans()) else []

    def _stands(self, tx: WriteTx, spans: Sequence[SpanRef]) -> bool:
        """Whether the words still say so, whoever may read them."""
        every = {span.source_id for span in spans}
        resolved = self._library.resolve(tx, spans, every, tx.now)
        return all(one.standing is Standing.CURRENT for one in resolved.values())

    def _ask(self, tx: WriteTx, record: RecordWrite, stood: Sequence[Node], prop: str) -> UUID:
        """Open a clarification about a property, or let the one that is open know this statement too."""
        clarification_id = derived("clarification", tx.tenant_id, record.node_id, prop)
        known = self._pending(tx, record.node_id).get(clarification_id)
        options = self._still_said(tx, known) or [
            Statement(row.props[prop], tuple(row.spans())) for row in stood if prop in row.props
        ]
        options = with_statement(options, Statement(record.props[prop], tuple(record.provenance)))
        if known is None or [option.to_json() for option in options] != known.options:
            self._write(tx, clarification_id, record, prop, options, "clarification_opened")
        return clarification_id

    def _settle(self, tx: WriteTx, record: RecordWrite) -> None:
        """Where a record that was written is one of those in question, see whether all agree by now."""
        for clarification_id, known in self._pending(tx, record.node_id).items():
            if known.prop is None or known.prop not in record.props or not record.provenance:
                continue
            said = Statement(record.props[known.prop], tuple(record.provenance))
            options = with_statement(self._still_said(tx, known), said)
            change = "clarification_bound" if agreed(options) else "clarification_opened"
            self._write(tx, clarification_id, record, known.prop, options, change)

    def _pending(self, tx: ReadTx, node_id: UUID) -> Mapping[UUID, Clarification]:
        rows = clarifications.standing(tx, [node_id])
        return {row.clarification_id: row for row in rows if row.state == PENDING}

    def _still_said(self, tx: WriteTx, known: Clarification | None) -> list[Statement]:
        stated = [option for option in known.options if not option.get("erased")] if known else []
        options = [Statement.from_json(option) for option in stated]
        return [option for option in options if self._stands(tx, option.spans)]

    def _write(
        self,
        tx: WriteTx,
        clarification_id: UUID,
        record: RecordWrite,
        prop: str,
        options: Sequence[Statement],
        change: str,
    ) -> None:
        bound = change == "clarification_bound"
        body: dict[str, Any] = {
            "prop": prop,
            "question": question(record.label, prop),
            "options": [option.to_json() for option in options],
            "audience": list(STEWARDS),
            "state": BOUND if bound else PENDING,
            "votes": {},
            "bound": 0 if bound else None,
        }
        clarifications.write(tx, clarification_id, record.node_id, body, change)


def _view(row: Clarification, readable: frozenset[UUID]) -> ClarificationView:
    said = [Statement.from_json(option) for option in row.options]
    options = tuple(one for one in said if one.sources <= readable)
    return ClarificationView(
        row.clarification_id, row.node_id, row.prop, row.question, row.state, options, tuple(row.audience)
    )
