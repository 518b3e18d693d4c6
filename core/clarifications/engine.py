"""Clarifications: questions about nodes, what people say to them, and what comes of it.

`conflicts` decides what a statement comes to, `ballot` what votes do, and `lifecycle` what may follow what. A decision
of people on a property of a record is written into the record with the words that they chose, in the transaction in
which the last vote was cast. Who may vote is looked at whenever votes are counted: people come and go between.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from core.clarifications.ballot import Verdict, judged
from core.clarifications.conflicts import (
    Statement,
    agreed,
    choices,
    live,
    provenance,
    same,
    statements,
)
from core.clarifications.lifecycle import CHANGES, TRANSITIONS, Happening, step
from core.clarifications.opening import Opening
from core.clarifications.views import Opened
from core.clarifications.words import alive, resolved, standing
from core.clock import FOREVER
from core.errors import InvalidRequest, NotFound
from core.graph.records import Record
from core.ids import derived
from core.jobs.kinds import FENCE, JobKind
from core.model.apart import apart
from core.model.clarifying import OPEN, SOURCES, VOTES, ClarificationState, Voted
from core.model.evidence import Resolution
from core.model.nodes import Node
from core.model.ports import Graph, Library
from core.model.principals import ADMIN, OPERATOR, STEWARD, Principal, visible_to
from core.model.spans import SpanRef
from core.store import audit, clarifications, jobs, people, sources
from core.store.database import Database, ReadTx, WriteTx
from core.store.rights import today
from core.store.tables import Clarification
from core.store.view import readers_of, view

_BODY = ("prop", "question", "options", "audience", "quorum", "state", "votes", "asked", "bound", "settled_by")
_PENDING, _BOUND = ClarificationState.PENDING, ClarificationState.BOUND


@dataclass(frozen=True, slots=True)
class _There:
    """Which words, nodes and people are there, looked up once for however many clarifications."""

    resolved: Mapping[SpanRef, Resolution]
    nodes: Mapping[UUID, Node]
    everyone: Sequence[Principal]


class ClarificationsEngine:
    def __init__(self, database: Database, graph: Graph, library: Library) -> None:
        self._database = database
        self._graph = graph
        self._library = library

    # ── opening ──

    def open(self, tenant_id: str, opening: Opening, principal: Principal | None = None) -> Opened:
        """Ask a question about a node. The same question that is open there already is not asked again.

        `principal`: None for an operator. Raises NotFound for a node they may not read; InvalidRequest for a quorum
        that the audience cannot reach.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            node = self._node(tx, opening.node_id, principal)
            for row in clarifications.of_node(tx, node.node_id):
                if row.prop is None and row.state in OPEN and same(row.question, opening.question):
                    return Opened(row.clarification_id, fresh=False)
            self._require_reachable(tx, node, opening, principal)
            clarification_id = derived("clarification", tx.tenant_id, node.node_id, tx.tx)
            options = [Statement(text) for text in opening.choices]
            audience, quorum = tuple(opening.audience), opening.quorum
            self.begin(tx, clarification_id, node.node_id, None, opening.words, options, audience, quorum)
            _audit(tx, principal, "clarification_open", clarification_id)
            return Opened(clarification_id, fresh=True)

    def begin(
        self,
        tx: WriteTx,
        clarification_id: UUID,
        node_id: UUID,
        prop: str | None,
        words: str,
        options: Sequence[Statement],
        audience: Sequence[str],
        quorum: int,
    ) -> None:
        """Open a clarification, and have whoever is of its audience asked."""
        asked = _ids(_audience(_everyone(tx), audience))
        body: dict[str, Any] = {
            "prop": prop,
            "question": words,
            "options": [option.to_json() for option in options],
            "audience": list(audience),
            "quorum": quorum,
            "state": _PENDING,
            "votes": {},
            "asked": asked,
            "bound": None,
            "settled_by": None,
        }
        clarifications.write(tx, clarification_id, node_id, body, CHANGES[_PENDING])
        _tell(tx, clarification_id, asked, "asked")

    def _node(self, tx: ReadTx, node_id: UUID, principal: Principal | None) -> Node:
        """A node that somebody may read now, or an operator. Raises NotFound."""
        now = self._database.clock.now()
        if principal is None:
            found: Mapping[UUID, Node] = self._graph.current(tx, [node_id], now)
        else:
            found = view(tx, today(tx, principal, now), now).nodes([node_id])
        if node_id not in found:
            raise NotFound
        return found[node_id]

    def _require_reachable(self, tx: ReadTx, node: Node, opening: Opening, principal: Principal | None) -> None:
        """Raises InvalidRequest; how many may read a node is told to those alone who see to readers."""
        reach = len(_members(tx, node, _audience(_everyone(tx), opening.audience)))
        if opening.quorum <= reach:
            return
        few = f"{reach} people" if principal is None or {ADMIN, STEWARD} & principal.roles else "too few"
        raise InvalidRequest(
            f"quorum is {opening.quorum}, and {few} of the audience are active and may read this; "
            "ask more people, or let fewer decide",
            at=("quorum",),
        )

    # ── voting ──

    def vote(self, clarification_id: UUID, choice: int | None, principal: Principal) -> Voted:
        """As `cast`, in a transaction of its own."""
        with self._database.write(principal.tenant_id) as tx:
            return self.cast(tx, clarification_id, choice, principal)

    def cast(self, tx: WriteTx, clarification_id: UUID, choice: int | None, principal: Principal) -> Voted:
        """Count one person's vote, in the place of the one they gave before; `choice` None: they do not know.

        Where nothing is to be decided any more, it is not counted. Raises NotFound for a clarification that there is
        not, or that is not theirs; InvalidRequest for an option that is not there to choose.
        """
        tx.lock()
        row = _known(tx, clarification_id)
        if principal.person is None:
            raise NotFound
        node = self._node(tx, row.node_id, principal)
        voter = today(tx, principal, tx.now)
        if not visible_to(voter, row.audience):
            raise NotFound
        if Happening.VOTE not in TRANSITIONS[ClarificationState(row.state)]:
            return Voted(ClarificationState(row.state), counted=False)
        options = statements(row.options)
        there = alive(self._library, tx, options, self._database.clock.now())
        _require_choice(tx, voter, options, there, choice)
        votes = {**row.votes, str(voter.person_id): choice}
        members = _members(tx, node, _audience(_everyone(tx), row.audience))
        verdict = judged(votes, members, choices(options, there), row.quorum)
        if verdict is not None or votes != row.votes:
            happening = verdict.happening if verdict else Happening.VOTE
            self.advance(tx, row, happening, votes=votes, **_came_to(verdict))
        return Voted(step(_PENDING, verdict.happening) if verdict else _PENDING, counted=True)

    def recount(self, tenant_id: str) -> int:
        """Judge what is open by who and what is there by now; how many moved.

        People leave, words go, and a question that nobody could be asked is asked once somebody is there. Raises
        ExceptionGroup of what failed for some of them, when the others have had their turn.
        """
        with self._database.read(tenant_id) as tx:
            rows = clarifications.unsettled(tx)
            there = self._there(tx, rows) if rows else None
            moving = [row.clarification_id for row in rows if there and _moves(tx, row, there)]
        moved = 0
        with apart("clarifications") as turn:
            for clarification_id in moving:
                with turn():
                    moved += self._recounted(tenant_id, clarification_id)
        return moved

    def _recounted(self, tenant_id: str, clarification_id: UUID) -> bool:
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = _known(tx, clarification_id)
            there = self._there(tx, [row])
            verdict, asked = _verdict(tx, row, there), _unasked(row, there)
            if verdict is not None:
                self.advance(tx, row, verdict.happening, **_came_to(verdict))
            elif asked:
                clarifications.write(tx, clarification_id, row.node_id, _body(row) | {"asked": asked}, None)
                _tell(tx, clarification_id, asked, "asked")
            return verdict is not None or bool(asked)

    def _there(self, tx: ReadTx, rows: Sequence[Clarification]) -> "_There":
        now = self._database.clock.now()
        options = [option for row in rows for option in statements(row.options)]
        nodes = self._graph.current(tx, {row.node_id for row in rows}, now)
        return _There(resolved(self._library, tx, options, now), nodes, _everyone(tx))

    # ── stewards ──

    def override(
        self, tenant_id: str, clarification_id: UUID, choice: int | None, principal: Principal | None = None
    ) -> None:
        """Bind an option, whatever was voted or bound before. `principal`: a steward; None for an operator.

        Raises NotFound; InvalidRequest for an option that is not there to choose, and where the same is asked anew.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = self._for_steward(tx, clarification_id, principal)
            options = statements(row.options)
            reader = None if principal is None else today(tx, principal, tx.now)
            there = alive(self._library, tx, options, self._database.clock.now())
            _require_choice(tx, reader, options, there, choice)
            if choice is None:
                raise InvalidRequest("no option is named; whoever settles a question chooses one")
            bound = choice if choice in there else choices(options, there)[choice]
            of_prop = [one for one in clarifications.of_node(tx, row.node_id) if one.prop == row.prop]
            if row.prop is not None and of_prop[-1].clarification_id != clarification_id:
                raise InvalidRequest("the same was asked anew in a later clarification; settle that one")
            if row.state != _BOUND or row.bound != bound:
                by = principal.actor if principal else OPERATOR
                self.advance(tx, row, Happening.OVERRIDE, bound=bound, settled_by=by)
                _audit(tx, principal, "clarification_override", clarification_id)

    def mark_conflicted(self, tenant_id: str, clarification_id: UUID, principal: Principal | None = None) -> None:
        """Say that people will not agree on what is pending. `principal`: a steward; None for an operator.

        Said again, nothing happens. Raises NotFound; InvalidRequest for one that is bound.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = self._for_steward(tx, clarification_id, principal)
            if row.state != ClarificationState.CONFLICTED:
                self.advance(tx, row, Happening.CONFLICT)
                _audit(tx, principal, "clarification_conflict", clarification_id)

    def _for_steward(self, tx: WriteTx, clarification_id: UUID, principal: Principal | None) -> Clarification:
        row = _known(tx, clarification_id)
        if principal is not None:
            self._node(tx, row.node_id, principal)
            if STEWARD not in today(tx, principal, tx.now).roles:
                raise NotFound
        return row

    # ── from one state to the next ──

    def advance(self, tx: WriteTx, row: Clarification, happening: Happening, **changes: Any) -> None:
        """Write the next version, tell whoever was asked, and let the record say what was chosen."""
        state = step(ClarificationState(row.state), happening)
        change = None if happening is Happening.VOTE else CHANGES[state]
        fresh = clarifications.write(
            tx, row.clarification_id, row.node_id, _body(row) | {"state": state} | changes, change
        )
        if change is not None:
            _tell(tx, row.clarification_id, row.asked, tx.tx)
        if state is _BOUND and row.prop is not None:
            self._write_chosen(tx, fresh, row.prop)

    def _write_chosen(self, tx: WriteTx, row: Clarification, prop: str) -> None:
        """From now on let the record say what was chosen, on the words of that option: as they stand, or stood."""
        chosen = statements(row.options)[row.bound or 0]
        chosen = replace(chosen, spans=tuple(standing(self._library, tx, chosen.spans, tx.now)) or chosen.spans)
        for stood in self._graph.standing(tx, row.node_id, (tx.now, FOREVER)):
            if prop in stood.props and not same(stood.props[prop], chosen.value):
                self._graph.put(tx, _record(stood, prop, chosen, tx.now))


def _record(stood: Node, prop: str, chosen: Statement, now: int) -> Record:
    """A record with what was chosen. Whose own word it was says on who may read it, besides the sources it comes to."""
    readers = tuple(stood.readers or ())
    rests_on = provenance(stood.props, stood.spans(), chosen, prop)
    return Record(
        stood.node_id,
        stood.label,
        {**stood.props, prop: chosen.value},
        readers=readers,
        valid_start=max(now, stood.valid_start),
        valid_end=stood.valid_end,
        confidence=stood.confidence,
        observed_at=stood.observed_at,
        provenance=rests_on if rests_on or readers else stood.spans(),
    )


def _came_to(verdict: Verdict | None) -> dict[str, Any]:
    """What else a verdict changes."""
    if verdict is None or verdict.option is None:
        return {}
    return {"bound": verdict.option, "settled_by": SOURCES if verdict.happening is Happening.AGREE else VOTES}


def _body(row: Clarification) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _BODY}


def _known(tx: ReadTx, clarification_id: UUID) -> Clarification:
    row = clarifications.newest(tx, [clarification_id]).get(clarification_id)
    if row is None:
        raise NotFound
    return row


def _everyone(tx: ReadTx) -> list[Principal]:
    return [people.principal(person) for person in people.everyone(tx) if person.active]


def _audience(everyone: Iterable[Principal], names: Sequence[str]) -> list[Principal]:
    """Those of these people whom an audience names."""
    return [one for one in everyone if visible_to(one, names)]


def _members(tx: ReadTx, node: Node, audience: Iterable[Principal]) -> set[str]:
    """The ids of the people of an audience who may read the node."""
    return {str(one.person_id) for one in readers_of(tx, node, audience)}


def _ids(persons: Iterable[Principal]) -> list[str]:
    return sorted(str(one.person_id) for one in persons)


def _verdict(tx: ReadTx, row: Clarification, there: _There) -> Verdict | None:
    """What an open clarification has come to by now."""
    if row.state not in OPEN:
        return None
    options = statements(row.options)
    said = live(options, there.resolved)
    if row.prop is not None and said and agreed([options[number] for number in said]):
        return Verdict(Happening.AGREE, said[0])
    node = there.nodes.get(row.node_id)
    if row.state != _PENDING or node is None:
        return None
    members = _members(tx, node, _audience(there.everyone, row.audience))
    return judged(row.votes, members, choices(options, said), row.quorum)


def _unasked(row: Clarification, there: _There) -> list[str]:
    """Whom to ask what nobody was asked yet. Who joins the audience of a question that others were asked is not."""
    return [] if row.asked or row.state != _PENDING else _ids(_audience(there.everyone, row.audience))


def _moves(tx: ReadTx, row: Clarification, there: _There) -> bool:
    return bool(_unasked(row, there)) or _verdict(tx, row, there) is not None


def _require_choice(
    tx: ReadTx, reader: Principal | None, options: Sequence[Statement], there: Sequence[int], choice: int | None
) -> None:
    """Raise InvalidRequest unless an option may be chosen by a reader; None: by an operator, who sees them all."""
    of = {source for one in options for source in one.sources}
    readable = of if reader is None else sources.readable(tx, reader) & of
    mine = [number for number in choices(options, there) if options[number].sources <= readable]
    if choice is not None and (type(choice) is not int or choice not in mine):  # True is no option 1
        these = ", ".join(map(str, mine)) or "none"
        raise InvalidRequest(f"option {choice!r} is not there to choose; these are: {these}", at=("choice",))


def _tell(tx: WriteTx, clarification_id: UUID, persons: Iterable[str], cause: object) -> None:
    """Have each of these asked, or shown on the card that they have what has become of it."""
    kind = JobKind.CLARIFY_ASK
    payloads = {UUID(person): {"clarification_id": str(clarification_id), "person_id": person} for person in persons}
    jobs.enqueue_each(tx, kind, FENCE[kind], f"{clarification_id}:{cause}", payloads, tx.now)


def _audit(tx: WriteTx, principal: Principal | None, action: str, clarification_id: UUID) -> None:
    audit.record(tx, principal.actor if principal else OPERATOR, action, str(clarification_id))
