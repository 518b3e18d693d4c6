"""What people are shown of clarifications: beside the words they rely on, in lists, and on the card that asks them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar
from uuid import UUID

from core.clarifications.ballot import counted
from core.clarifications.conflicts import Statement, choices, live, statements
from core.clarifications.views import ClarificationView, OptionView
from core.clarifications.words import alive, resolved, standing
from core.errors import NotFound
from core.model.clarifying import ClarificationState, OpenQuestion
from core.model.evidence import Resolution
from core.model.node_ids import document_id
from core.model.nodes import Node
from core.model.notices import Asked, QuestionNotice
from core.model.ports import Composed, Library
from core.model.principals import Principal, visible_to
from core.model.spans import SpanRef
from core.questions.bearing import around, overlaps
from core.store import clarifications, people
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

    def get(self, clarification_id: UUID, principal: Principal) -> ClarificationView:
        """One, whatever has become of it. Raises NotFound, alike for none and for one on what they may not read."""
        with self._database.read(principal.tenant_id) as tx:
            asked = view(tx, principal, self._database.clock.now())
            row = clarifications.newest(tx, [clarification_id]).get(clarification_id)
            nodes = asked.nodes([row.node_id]) if row else {}
            if row is None or not nodes:
                raise NotFound
            return self._views(tx, [row], nodes, asked.readable)[0]

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

    # ── the card that asks ──

    def compose(self, tx: ReadTx, principal: Principal, clarification_id: UUID) -> Composed:
        """What one person may see of a question now, and of what came of it. Raises NotFound where that is nothing."""
        row = clarifications.newest(tx, [clarification_id]).get(clarification_id)
        asked = view(tx, principal, self._database.clock.now())
        node = asked.nodes([row.node_id]).get(row.node_id) if row else None
        if row is None or node is None:
            raise NotFound
        options = statements(row.options)
        there = alive(self._library, tx, options, asked.valid_t)
        shown = _distinct(options, [number for number in there if _admits(options[number], asked.readable)])
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
            withheld=own is not None and not _admits(options[own], asked.readable),
            settled=_value(options, row.bound, asked.readable),
            happened_at=row.tx_start,
        )
        quoted = [options[number].sources for number in (*shown, row.bound, own) if number is not None]
        return Composed(notice, (), tuple(sorted(node.sources.union(*quoted) & asked.readable)))

    def _about(self, tx: ReadTx, row: Clarification, node: Node) -> str:
        """What a question that a person asked is about, by its title."""
        return "" if row.prop is not None else str(node.props.get("title", "")) or self._library.title(tx, node)

    def _asked(self, tx: ReadTx, number: int, option: Statement, now: int) -> Asked:
        """An option with the words it rests on, where they stand today."""
        found = self._library.passages(tx, standing(self._library, tx, option.spans, now))
        return Asked(number, option.value, tuple(found.values()))


def _rests_on(row: Clarification, nodes: Mapping[UUID, Node]) -> set[SpanRef]:
    """The words that a question is about; none where its node may not be read."""
    if row.node_id not in nodes:
        return set()
    options = (option for option in statements(row.options) if not option.gone)
    return {*nodes[row.node_id].spans(), *(span for option in options for span in option.spans)}


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
            if _admits(options[number], readable)
        ),
        tuple(row.audience),
        row.quorum,
        len(cast),
        bound.value if bound is not None and _admits(bound, readable) else None,
        row.settled_by,
    )


def _admits(option: Statement, readable: Collection[UUID] | None) -> bool:
    return readable is None or option.sources.issubset(readable)


def _distinct(options: Sequence[Statement], numbers: Sequence[int]) -> list[int]:
    """One number for each thing that is said."""
    chosen_of = choices(options, numbers)
    return sorted({chosen_of[number] for number in numbers})


def _value(options: Sequence[Statement], number: int | None, readable: Collection[UUID]) -> Asked | None:
    """What an option says, where it is one that may be read."""
    if number is None or not _admits(options[number], readable):
        return None
    return Asked(number, options[number].value, ())
