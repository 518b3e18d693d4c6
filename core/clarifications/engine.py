"""Records that rest on documents, and clarifications where those disagree: `core.clarifications.conflicts` decides."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar
from uuid import UUID

from core.clarifications.bearing import overlaps
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
from core.model.clarifying import ClarificationState, OpenQuestion
from core.model.evidence import Standing
from core.model.node_ids import document_id
from core.model.nodes import Node
from core.model.ports import Graph, Library, RecordWrite
from core.model.spans import SpanRef
from core.store import clarifications
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Clarification
from core.store.view import View

K = TypeVar("K", UUID, SpanRef)

STEWARDS = ("steward",)
"""Who is asked where nobody was named: the role whose matter it is to settle what documents say."""


class ClarificationsEngine:
    def __init__(self, database: Database, graph: Graph, library: Library) -> None:
        self._database = database
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

    # ── what is in question of words that somebody relies on ──

    def about(self, asked: View, spans: Sequence[SpanRef]) -> dict[SpanRef, list[OpenQuestion]]:
        """What is open about these words, of what the principal may read today; a span without a question has no key.

        A question bears on a span that overlaps what its node or one of its options rests on, wherever those words
        stand by now, and on all that stands in the section or the document that it is about.
        """
        rows = {row.clarification_id: row for row in clarifications.unsettled(asked.tx)} if spans else {}
        if not rows:
            return {}
        now = asked.tx.present(self._database.clock.now())
        today = replace(asked, valid_t=now, tx_t=asked.tx.last_tx)
        nodes = today.nodes({row.node_id for row in rows.values()})
        said = [(row.clarification_id, span) for row in rows.values() for span in _rests_on(row, nodes)]
        within = {span.source_id for span in spans}
        said = [(one, span) for one, span in said if span.source_id in within and span.source_id in today.readable]
        found = {
            *overlaps(self._places(today, [(span, span) for span in spans]), self._places(today, said)),
            *self._held(today, spans, rows.values(), nodes),
        }
        open_: dict[SpanRef, list[OpenQuestion]] = {}
        for span, one in sorted(found):
            open_.setdefault(span, []).append(_open(rows[one]))
        return open_

    def _places(self, today: View, ones: Sequence[tuple[K, SpanRef]]) -> list[tuple[K, SpanRef]]:
        """Each where it was read, and where its words stand by now."""
        traced = self._library.resolve(
            today.tx, list(dict.fromkeys(span for _, span in ones)), today.readable, today.valid_t
        )
        found = list(ones)
        for key, span in ones:
            place = traced[span].span
            if place is not None:
                found.append((key, place))
        return found

    def _held(
        self, today: View, spans: Sequence[SpanRef], rows: Iterable[Clarification], nodes: Mapping[UUID, Node]
    ) -> Iterator[tuple[SpanRef, UUID]]:
        """The spans that stand in a section or document which a question is about."""
        asked_of: dict[UUID, list[UUID]] = {}
        for row in rows:
            if row.node_id in nodes:
                asked_of.setdefault(row.node_id, []).append(row.clarification_id)
        of_sources = {node.source_id for node in nodes.values()}
        inside = [span for span in spans if span.source_id in of_sources]
        sections = self._library.sections(today.tx, inside)
        for span in inside:
            section = {sections[span].node_id} if span in sections else set()
            for node_id in section | {document_id(span.source_id)}:
                yield from ((span, one) for one in asked_of.get(node_id, ()))

    def states(self, tx: ReadTx, clarification_ids: Collection[UUID]) -> dict[UUID, ClarificationState]:
        """How each of these stands that there is."""
        found = clarifications.newest(tx, clarification_ids)
        return {one: ClarificationState(row.state) for one, row in found.items()}

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


def _rests_on(row: Clarification, nodes: Mapping[UUID, Node]) -> set[SpanRef]:
    """The words that a question is about; none where its node may not be read."""
    if row.node_id not in nodes:
        return set()
    options = [Statement.from_json(option) for option in row.options if not option.get("erased")]
    return {*nodes[row.node_id].spans(), *(span for option in options for span in option.spans)}


def _open(row: Clarification) -> OpenQuestion:
    return OpenQuestion(row.clarification_id, ClarificationState(row.state), row.question)


def _view(row: Clarification, readable: frozenset[UUID]) -> ClarificationView:
    said = [Statement.from_json(option) for option in row.options]
    options = tuple(one for one in said if one.sources <= readable)
    return ClarificationView(
        row.clarification_id, row.node_id, row.prop, row.question, row.state, options, tuple(row.audience)
    )
