"""What people are shown of clarifications: beside the words they rely on, in lists, and on the card that asks them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar
from uuid import UUID

from core.clarifications.ballot import counted
from core.clarifications.conflicts import Statement, choices, live, statements
from core.clarifications.views import ClarificationView, OptionView
from core.clarifications.words import alive, resolved, standing
from core.errors import NotFound
from core.model.clarifying import ClarificationState, OpenQuestion
from core.model.erased import ERASED
from core.model.evidence import Resolution
from core.model.node_ids import document_id
from core.model.nodes import Node
from core.model.notices import Asked, QuestionLine, QuestionNotice, Stood
from core.model.paging import Part, gathered
from core.model.ports import Composed, Library, Window
from core.model.principals import Principal, visible_to
from core.model.spans import SpanRef
from core.questions.bearing import around, overlaps
from core.questions.news import admits, differs, distinct, named_by, stood
from core.store import clarifications, people, sources
from core.store.database import Database, ReadTx
from core.store.tables import Clarification
from core.store.versions import NODES
from core.store.view import View, readers_of_each, view

K = TypeVar("K", UUID, SpanRef)


class QuestionsEngine:
    def __init__(self, database: Database, library: Library) -> None:
        self._database = database
        self._library = library

    # ── what is in question of words that somebody relies on ──

    def about(self, asked: View, spans: Sequence[SpanRef]) -> dict[SpanRef, list[OpenQuestion]]:
        """What is open about these words, of what the principal may read today; a span without a question has no key.

        A question bears on a span that overlaps what its node or one of its options rests on, wherever those words
        stand by now, and on all that stands in the section, with those in it, or in the document that it is about.
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
        order = {row.clarification_id: (row.tx_start, row.question, row.clarification_id) for row in rows.values()}
        open_: dict[SpanRef, list[OpenQuestion]] = {}
        for span, one in sorted(found, key=lambda pair: (pair[0], order[pair[1]])):
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
        holding = around({section.node_id for section in sections.values()}, today.wholes)
        for span in inside:
            within = holding[sections[span].node_id] if span in sections else set()
            for node_id in within | {document_id(span.source_id)}:
                yield from ((span, one) for one in asked_of.get(node_id, ()))

    def states(self, tx: ReadTx, clarification_ids: Collection[UUID]) -> dict[UUID, ClarificationState]:
        """How each of these stands that there is."""
        found = clarifications.newest(tx, clarification_ids)
        return {one: ClarificationState(row.state) for one, row in found.items()}

    # ── lists ──

    def open_for(self, asked: View) -> list[ClarificationView]:
        """What is open on nodes that the principal may read, in the order in which it came to be so."""
        rows = clarifications.unsettled(asked.tx)
        nodes = asked.nodes({row.node_id for row in rows})
        return self._views(asked.tx, [row for row in rows if row.node_id in nodes], nodes, asked.readable)

    def part(self, principal: Principal, part: Part) -> list[ClarificationView]:
        """The same by id: a part after (clarification_id,)."""
        with self._database.read(principal.tenant_id) as tx:
            asked = view(tx, principal, self._database.clock.now())
            nodes: dict[UUID, Node] = {}

            def shown(rows: Sequence[Clarification]) -> list[Clarification]:
                nodes.update(asked.nodes({row.node_id for row in rows}))
                return [row for row in rows if row.node_id in nodes]

            read = partial(clarifications.unsettled_part, tx)
            rows = gathered(part, read, lambda row: (row.clarification_id,), shown)
            return self._views(tx, rows, {row.node_id: nodes[row.node_id] for row in rows}, asked.readable)

    def get(self, clarification_id: UUID, principal: Principal) -> ClarificationView:
        """One, whatever has become of it. Raises NotFound, alike for none and for one on what they may not read."""
        with self._database.read(principal.tenant_id) as tx:
            asked = view(tx, principal, self._database.clock.now())
            row, node = _readable(asked, clarification_id)
            return self._views(tx, [row], {node.node_id: node}, asked.readable)[0]

    def matching(self, asked: View, words: str) -> list[OpenQuestion]:
        """What is open and may be read, of which these words speak: the question, or the title of what it is about."""
        rows = clarifications.unsettled(asked.tx)
        nodes = asked.nodes({row.node_id for row in rows})
        readable = [row for row in rows if row.node_id in nodes and row.question != ERASED]
        titles = {node_id: str(node.props.get("title", "")) for node_id, node in nodes.items()}
        return [_open(row) for row in readable if named_by(words, row.question, titles[row.node_id])]

    def every(self, tenant_id: str) -> list[ClarificationView]:
        """All there are, the one that moved last first, for an operator."""
        with self._database.read(tenant_id) as tx:
            rows, now = clarifications.every(tx), tx.present(self._database.clock.now())
            nodes = NODES.as_of(tx, {row.node_id for row in rows}, now, tx.last_tx)
            return self._views(tx, rows, nodes, None)

    def _views(
        self,
        tx: ReadTx,
        rows: Sequence[Clarification],
        nodes: Mapping[UUID, Node],
        readable: Collection[UUID] | None,
    ) -> list[ClarificationView]:
        """`readable` None: whatever they say."""
        options = [option for row in rows for option in statements(row.options)]
        words = resolved(self._library, tx, options, self._database.clock.now())
        voted = {person for row in rows for person in row.votes}
        voters = [people.principal(one) for one in people.everyone(tx) if one.active and str(one.person_id) in voted]
        reading = readers_of_each(tx, list(nodes.values()), voters)
        return [_view(row, words, _members(row, reading.get(row.node_id, ())), readable) for row in rows]

    # ── what has come of them ──

    def moved(
        self, tx: ReadTx, principal: Principal, windows: Collection[Window], now: int
    ) -> dict[Window, QuestionLine | None]:
        """What is different in each question, as the principal may see it; None where they may not read it at all.

        Where nothing is, there is no key; nor is there for a question that was erased.
        """
        asked, rows = view(tx, principal, now), _versions(tx, windows)
        nodes = asked.nodes({row.node_id for row in rows.values()})
        options = [option for row in rows.values() for option in statements(row.options)]
        words = resolved(self._library, tx, options, now)
        documents = _documents(asked, nodes.values())
        found: dict[Window, QuestionLine | None] = {}
        for window in windows:
            before, after = (rows.get((window[0], at)) for at in window[1:])
            if after is None or after.question == ERASED:
                continue
            node = nodes.get(after.node_id)
            readable = asked.readable if node is not None else None
            was, stands = _stood(before, words, readable) if before else None, _stood(after, words, readable)
            if differs(was, stands):
                found[window] = self._line(asked, after, node, (was, stands), documents) if node else None
        return found

    def _line(
        self,
        asked: View,
        row: Clarification,
        node: Node,
        sides: tuple[Stood | None, Stood],
        documents: Mapping[UUID, tuple[str, str]],
    ) -> QuestionLine:
        [*of] = node.sources
        title, uri = documents.get(of[0], ("", "")) if len(of) == 1 else ("", "")
        quoted = node.sources.union(*(option.sources for option in statements(row.options))) & asked.readable
        about = self._about(asked.tx, row, node)
        return QuestionLine(row.clarification_id, row.question, about, title, uri, *sides, row.tx_start, quoted)

    def words(self, tx: ReadTx, principal: Principal, clarification_id: UUID) -> str:
        """What is asked. Raises NotFound for what they may not read, and for what was erased."""
        row, _ = _readable(view(tx, principal, self._database.clock.now()), clarification_id)
        if row.question == ERASED:
            raise NotFound
        return row.question

    # ── the card that asks ──

    def compose(self, tx: ReadTx, principal: Principal, clarification_id: UUID) -> Composed:
        """What one person may see of a question now, and of what came of it. Raises NotFound where that is nothing."""
        asked = view(tx, principal, self._database.clock.now())
        row, node = _readable(asked, clarification_id)
        options = statements(row.options)
        there = alive(self._library, tx, options, asked.valid_t)
        shown = distinct(options, [number for number in there if admits(options[number], asked.readable)])
        state, own = ClarificationState(row.state), row.votes.get(str(principal.person_id))
        notice = QuestionNotice(
            clarification_id,
            row.question,
            self._about(tx, row, node),
            tuple(self._asked(tx, number, options[number], asked.valid_t) for number in shown),
            state,
            may_vote=state is ClarificationState.PENDING and visible_to(principal, row.audience),
            voted=str(principal.person_id) in row.votes,
            voted_for=_value(options, own, asked.readable),
            withheld=own is not None and not admits(options[own], asked.readable),
            settled=_value(options, row.bound, asked.readable),
            happened_at=row.tx_start,
        )
        quoted = [options[number].sources for number in (*shown, row.bound, own) if number is not None]
        seen = ((clarification_id, tx.last_tx),)
        return Composed(notice, seen, tuple(sorted(node.sources.union(*quoted) & asked.readable)))

    def _about(self, tx: ReadTx, row: Clarification, node: Node) -> str:
        """What a question that a person asked is about, by its title."""
        return "" if row.prop is not None else str(node.props.get("title", "")) or self._library.title(tx, node)

    def _asked(self, tx: ReadTx, number: int, option: Statement, now: int) -> Asked:
        """An option with the words it rests on, where they stand today."""
        found = self._library.passages(tx, standing(self._library, tx, option.spans, now))
        return Asked(number, option.value, tuple(found.values()))


def _readable(asked: View, clarification_id: UUID) -> tuple[Clarification, Node]:
    """A question as it stands, with what it is about. Raises NotFound unless that may be read."""
    row = clarifications.newest(asked.tx, [clarification_id]).get(clarification_id)
    nodes = asked.nodes([row.node_id]) if row else {}
    if row is None or not nodes:
        raise NotFound
    return row, nodes[row.node_id]


def _rests_on(row: Clarification, nodes: Mapping[UUID, Node]) -> set[SpanRef]:
    """The words that a question is about; none where its node may not be read."""
    if row.node_id not in nodes:
        return set()
    options = (option for option in statements(row.options) if not option.gone)
    return {*nodes[row.node_id].spans(), *(span for option in options for span in option.spans)}


def _documents(asked: View, nodes: Iterable[Node]) -> dict[UUID, tuple[str, str]]:
    """The title and the uri of each document that nodes are from."""
    ids = {source_id for node in nodes for source_id in node.sources}
    rows, documents = sources.by_ids(asked.tx, ids), asked.nodes(set(map(document_id, ids)))
    titled = ((node.source_id, str(node.props.get("title", ""))) for node in documents.values())
    return {source_id: (title, rows[source_id].uri) for source_id, title in titled if source_id in rows}


def _versions(tx: ReadTx, windows: Collection[Window]) -> dict[tuple[UUID, int], Clarification]:
    """Each question as it was at both ends of its windows."""
    wanted: dict[int, set[UUID]] = {}
    for one, since, until in windows:
        for at in (since, until):
            wanted.setdefault(at, set()).add(one)
    found = ((at, clarifications.as_of(tx, ids, at)) for at, ids in wanted.items())
    return {(one, at): row for at, rows in found for one, row in rows.items()}


def _stood(row: Clarification, words: Mapping[SpanRef, Resolution], readable: Collection[UUID] | None) -> Stood:
    options = statements(row.options)
    return stood(ClarificationState(row.state), options, row.bound, live(options, words), readable)


def _open(row: Clarification) -> OpenQuestion:
    return OpenQuestion(row.clarification_id, ClarificationState(row.state), row.question)


def _members(row: Clarification, reading: Iterable[Principal]) -> set[str]:
    """The ids of those whose votes count, of people who may read what it is about."""
    return {str(one.person_id) for one in reading if visible_to(one, row.audience)}


def _view(
    row: Clarification,
    words: Mapping[SpanRef, Resolution],
    members: Collection[str],
    readable: Collection[UUID] | None,
) -> ClarificationView:
    options = statements(row.options)
    there = live(options, words)
    chosen_of = choices(options, there)
    cast = list(counted(row.votes, members, chosen_of).values())
    bound = options[row.bound] if row.bound is not None else None
    return ClarificationView(
        row.clarification_id,
        row.node_id,
        row.prop,
        row.question,
        ClarificationState(row.state),
        tuple(
            OptionView(number, options[number].value, options[number].spans, cast.count(chosen_of[number]))
            for number in there
            if admits(options[number], readable)
        ),
        tuple(row.audience),
        row.quorum,
        len(cast),
        bound.value if bound is not None and admits(bound, readable) else None,
        row.settled_by,
    )


def _value(options: Sequence[Statement], number: int | None, readable: Collection[UUID]) -> Asked | None:
    """What an option says, where it is one that may be read."""
    if number is None or not admits(options[number], readable):
        return None
    return Asked(number, options[number].value, ())
