"""What standing queries find, and what of it moved: asked of the store as it was last swept and as it is now.

What must be looked at is little. A node that nobody wrote, and whose time neither came nor ended, is in a result as it
was, unless the words of its parts moved. So without words the changed nodes alone decide, and with them those besides
that the words lead to at one of the two moments only. A result is read as a whole, for its fingerprint, where it moved.
All is read in a snapshot beside the sweep's transaction: the recall index, which takes in what a transaction shows it,
must never learn what is not committed yet. Each watch is judged behind a savepoint, so that a query that fails suspends
its own watch and the others go on; where the database itself is gone the sweep fails, and no watch is to blame.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.exc import DBAPIError

from core.graph.query import Query
from core.model.nodes import Node
from core.model.ports import Finding
from core.model.principals import Principal
from core.model.watching import Event, EventKind, ScopeType, Suspension
from core.results.standing import Move, Standing, State, fingerprint, move, standing
from core.store import people, rights, sources, watches
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Watch
from core.store.versions import NODES
from core.store.view import View, view
from core.watch.match import NODE, Changed

Moment = tuple[int, int]
"""(valid, tx)."""
Window = tuple[Moment, Moment]


@dataclass
class _Glance:
    """What is read for one sweep, once however many watches ask: changed nodes at both moments, and rights."""

    tx: ReadTx
    changed: Mapping[str, Sequence[Changed]]
    """By label, the nodes that have it at either moment."""
    states: dict[tuple[Window, str], dict[UUID, tuple[Node | None, Node | None]]] = field(default_factory=dict)
    readers: dict[UUID, tuple[Principal, frozenset[UUID]] | None] = field(default_factory=dict)

    def pairs(self, window: Window, label: str) -> dict[UUID, tuple[Node | None, Node | None]]:
        key = window, label
        if key not in self.states:
            self.states[key] = self.at_both(window, [entry.ref_id for entry in self.changed.get(label, ())])
        return self.states[key]

    def at_both(self, window: Window, ids: Sequence[UUID]) -> dict[UUID, tuple[Node | None, Node | None]]:
        old, new = (NODES.as_of(self.tx, ids, *moment) for moment in window)
        return {node_id: (old.get(node_id), new.get(node_id)) for node_id in ids}

    def reader(self, owner_id: UUID) -> tuple[Principal, frozenset[UUID]] | None:
        """An owner with what they may read today; None for one who is not there any more."""
        if owner_id not in self.readers:
            person = people.get(self.tx, owner_id)
            self.readers[owner_id] = None
            if person is not None and person.active:
                principal = people.principal(person)
                self.readers[owner_id] = principal, sources.readable(self.tx, principal)
        return self.readers[owner_id]


class ResultsEngine:
    def __init__(self, database: Database, graph: Finding) -> None:
        self._database = database
        self._graph = graph

    def first(self, tx: ReadTx, text: str, principal: Principal, now: int) -> str:
        """The fingerprint of what a query finds for a principal now. Raises InvalidQuery."""
        return self._fingerprint(view(tx, principal, now), standing(text))

    def heard(
        self, tx: WriteTx, changed: Sequence[Changed], since: Moment, until: Moment
    ) -> dict[UUID, tuple[Watch, list[Event]]]:
        """What each watch on a query heard of these changes, between two moments as they were swept.

        Sets the fingerprint of a result that moved, and suspends a watch whose query fails.
        """
        nodes = [entry for entry in changed if entry.ref_type == NODE]
        if not nodes or not watches.any_on(tx, ScopeType.QUERY):
            return {}
        by_label = _by_label(nodes, NODES.labels(tx, [entry.ref_id for entry in nodes], *since))
        woken = _listening(tx, by_label)
        if not woken:
            return {}
        with self._database.read(tx.tenant_id) as snapshot:
            glance = _Glance(snapshot, by_label)
            told = {watch_id: self._apart(tx, glance, watch, (since, until)) for watch_id, watch in woken.items()}
        return {watch_id: (woken[watch_id], events) for watch_id, events in told.items() if events}

    def _apart(self, tx: WriteTx, glance: _Glance, watch: Watch, window: Window) -> list[Event]:
        """What one watch heard; nothing, and the watch suspended, where its query fails."""
        savepoint = glance.tx.session.begin_nested()
        try:
            events = self._judged(tx, glance, watch, _since(watch.created_tx, window))
        except Exception as error:
            if isinstance(error, DBAPIError) and error.connection_invalidated:
                raise
            savepoint.rollback()
            watches.suspend(tx, watch, Suspension.BROKEN)
            return []
        savepoint.commit()
        return events

    def _judged(self, tx: WriteTx, glance: _Glance, watch: Watch, window: Window) -> list[Event]:
        asked = standing(watch.scope_refs[0])
        query = asked.query
        reader = glance.reader(watch.owner_id)
        if reader is None:
            return []
        before, after = (View(glance.tx, *moment, *reader) for moment in window)
        txs = {entry.ref_id: entry.tx for entry in glance.changed.get(query.label, ())}
        newest = max(entry.tx for label in query.sees for entry in glance.changed.get(label, ()))
        moves = {
            node_id: move(query, after.shows, *states)
            for node_id, states in self._states(glance, query, before, after).items()
            if txs.get(node_id, newest) > watch.created_tx
        }
        if any(one is not Move.NONE for one in moves.values()):
            watch.result_fingerprint = self._fingerprint(after, asked)
            tx.session.add(watch)
        news = (node_id for node_id, one in moves.items() if one is Move.NEWS)
        return [Event(EventKind.QUERY_RESULTS_CHANGED, NODE, node_id, txs.get(node_id, newest)) for node_id in news]

    def _states(self, glance: _Glance, query: Query, before: View, after: View) -> dict[UUID, tuple[State, State]]:
        """Whatever can have moved in a result, before and after."""
        window = (before.valid_t, before.tx_t), (after.valid_t, after.tx_t)
        pairs = glance.pairs(window, query.label)
        if query.words is None:
            return {node_id: (State(old), State(new)) for node_id, (old, new) in pairs.items()}
        hits = [self._graph.matched(seen, query).keys() for seen in (before, after)]
        led_to = (hits[0] ^ hits[1]) - pairs.keys()
        return {
            node_id: (State(old, node_id in hits[0]), State(new, node_id in hits[1]))
            for node_id, (old, new) in (pairs | glance.at_both(window, list(led_to))).items()
        }

    def _fingerprint(self, seen: View, asked: Standing) -> str:
        return fingerprint(node for node, _ in self._graph.find(seen, asked.find, asked.where))


def _listening(tx: WriteTx, labels: Collection[str]) -> dict[UUID, Watch]:
    """Watches whose queries see one of these labels; one whose owner was away goes on here, if by now they are back."""
    found = {watch.watch_id: watch for _, watch in watches.matching(tx, ScopeType.QUERY, labels)}
    closed = rights.heed(tx, (watch for watch in found.values() if watch.suspended))
    return {watch_id: watch for watch_id, watch in found.items() if watch_id not in closed}


def _by_label(nodes: Iterable[Changed], before: Mapping[UUID, str]) -> dict[str, list[Changed]]:
    """Nodes by the labels that they have at either moment."""
    found: dict[str, list[Changed]] = {}
    for entry in nodes:
        for label in {entry.label, before.get(entry.ref_id, entry.label)}:
            found.setdefault(label, []).append(entry)
    return found


def _since(born: int, window: Window) -> Window:
    """A window from the birth of a watch on: of what stood then it is told nothing."""
    (since_valid, since_tx), (until_valid, until_tx) = window
    return (max(since_valid, born), max(since_tx, born)), (max(until_valid, born), max(until_tx, born))
