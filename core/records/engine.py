"""Records that rest on documents: written, unless other documents or people's decisions say something else.

`core.clarifications.conflicts` decides; where something is in question, a clarification opens.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from core.clarifications.conflicts import (
    Statement,
    agreed,
    changed,
    disputed,
    question,
    same,
    stated,
    statements,
    turned_down,
    with_statement,
)
from core.clarifications.lifecycle import Happening
from core.clarifications.views import Recorded
from core.clarifications.words import alive, standing
from core.errors import InvalidRequest
from core.graph.records import Record
from core.ids import derived
from core.model.clarifying import OPEN, SOURCES, WORD, ClarificationState
from core.model.nodes import Node
from core.model.ports import Clarifying, Graph, Library
from core.model.principals import STEWARD
from core.model.spans import SpanRef
from core.store import clarifications
from core.store.database import WriteTx
from core.store.tables import Clarification

STEWARDS = (STEWARD,)
"""Who is asked where nobody was named: the role whose matter it is to settle what documents say."""


class RecordsEngine:
    def __init__(self, graph: Graph, library: Library, clarifying: Clarifying) -> None:
        self._graph = graph
        self._library = library
        self._clarifying = clarifying

    def record(self, tx: WriteTx, record: Record) -> Recorded:
        """Let a record be so, unless other sources whose words stand, or people who have decided, say something else.

        Raises InvalidRequest for words that are not there, or not any more, and where the id is a document's node.
        """
        tx.lock()
        self._require_words(tx, record)
        stood = self._graph.standing(tx, record.node_id, record.interval(tx.now))
        of_node = clarifications.of_node(tx, record.node_id)
        newest = {row.prop: row for row in of_node if row.prop is not None}
        decided = {prop: row for prop, row in newest.items() if prop in record.props and _decision(row, stood)}
        against = {prop: row for prop, row in decided.items() if _goes_against(row, record)}
        known = {prop: row for prop, row in against.items() if _knew_of(row, record)}
        disputing = {name for row in stood for name in self._disputed(tx, row, record)} - decided.keys()
        props = sorted(disputing | (against.keys() - known.keys()))
        if not props and not known:
            self._graph.put(tx, record)
            self._settle(tx, record, [row for row in newest.values() if row.prop in record.props])
            return Recorded(written=True)
        asked = tuple(self._ask(tx, record, stood, of_node, prop) for prop in props)
        return Recorded(written=False, in_question=asked, decided=tuple(row.clarification_id for row in known.values()))

    def _require_words(self, tx: WriteTx, record: Record) -> None:
        """That there are such words, and that they stand when the record begins; history may rest on history."""
        found = self._library.slices(tx, record.provenance)
        begin, end = record.interval(tx.now)
        for span in record.provenance:
            if not found.get(span):
                raise InvalidRequest(f"provenance: there are no words at {_place(span)}")
            if end > tx.now and not standing(self._library, tx, [span], max(begin, tx.now)):
                raise InvalidRequest(
                    f"provenance: the words at {_place(span)}, do not stand any more; name words of the newest version"
                )

    def _disputed(self, tx: WriteTx, row: Node, record: Record) -> list[str]:
        differing = disputed(row.props, row.sources, record.props, record.sources)
        return differing if differing and standing(self._library, tx, row.spans(), tx.now) else []

    def _ask(
        self, tx: WriteTx, record: Record, stood: Sequence[Node], of_node: Sequence[Clarification], prop: str
    ) -> UUID:
        """Open a clarification about a property, or let the one that is open know this statement too."""
        earlier = [row for row in of_node if row.prop == prop]
        said = stated(record.props, prop, record.provenance)
        if earlier and earlier[-1].state in OPEN:
            self._restate(tx, earlier[-1], with_statement(statements(earlier[-1].options), said))
            return earlier[-1].clarification_id
        decided = bool(earlier) and _decision(earlier[-1], stood)
        options: list[Statement] = []
        for row in stood:
            if prop in row.props:
                options = with_statement(options, stated(row.props, prop, row.spans(), decided=decided))
        turn = [len(earlier)] if earlier else []
        clarification_id = derived("clarification", tx.tenant_id, record.node_id, prop, *turn)
        words = question(record.label, prop)
        self._clarifying.begin(
            tx, clarification_id, record.node_id, prop, words, with_statement(options, said), STEWARDS, 1
        )
        return clarification_id

    def _restate(self, tx: WriteTx, row: Clarification, options: Sequence[Statement]) -> None:
        if changed(statements(row.options), options):
            self._clarifying.advance(tx, row, Happening.RESTATE, options=[one.to_json() for one in options])

    def _settle(self, tx: WriteTx, record: Record, rows: Iterable[Clarification]) -> None:
        """Where a record that was written is one of those in question, see whether anything still is."""
        for row in rows:
            if row.state not in OPEN:
                continue
            before, said = statements(row.options), stated(record.props, str(row.prop), record.provenance)
            after = with_statement(before, said)
            live = alive(self._library, tx, after, tx.now)
            if after.index(said) not in live:
                continue  # it speaks of another time than today
            if said.spans and not agreed([after[number] for number in live]):
                self._restate(tx, row, after)
                continue
            number = next(number for number in live if same(after[number].value, said.value))
            by = SOURCES if said.spans else WORD
            options = [one.to_json() for one in after]
            self._clarifying.advance(tx, row, Happening.AGREE, options=options, bound=number, settled_by=by)


def _place(span: SpanRef) -> str:
    return f"{span.source_id}, version {span.source_version_tx}, bytes {span.start} to {span.end}"


def _decision(row: Clarification, stood: Sequence[Node]) -> bool:
    """Whether a record still says what people decided on one of its properties."""
    if row.state != ClarificationState.BOUND or row.bound is None or row.settled_by in {None, SOURCES}:
        return False
    value = row.options[row.bound]["value"]
    return any(same(old.props[prop], value) for old in stood for prop in old.props if prop == row.prop)


def _goes_against(row: Clarification, record: Record) -> bool:
    """Whether documents say something else than what was decided; somebody's own word corrects it."""
    value = row.options[row.bound or 0]["value"]
    return bool(record.provenance) and not same(record.props[str(row.prop)], value)


def _knew_of(row: Clarification, record: Record) -> bool:
    said = stated(record.props, str(row.prop), record.provenance)
    return turned_down(statements(row.options), row.bound or 0, said)
