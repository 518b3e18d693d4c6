"""What standing queries find, and what of it moved: asked of the store as it was last swept and as it is now.

What must be looked at is little. A node that nobody wrote, and whose time neither came nor ended, is in a result as it
was, unless the words of its parts moved. So without words the changed nodes alone decide, and with them those besides
that the words lead to at one of the two moments only. A result is read as a whole, for its fingerprint, where it moved.
All is read in a snapshot beside the sweep's transaction: the recall index, which takes in what a transaction shows it,
must never learn what is not committed yet. Each watch is judged behind a savepoint, so that a query that fails suspends
its own watch and the others go on; where the database itself is gone the sweep fails, and no watch is to blame.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from uuid import UUID

from core.graph.query import Query
from core.model.nodes import Node
from core.model.ports import Finding
from core.model.principals import Principal
from core.model.watching import Event, EventKind, ScopeType, Suspension
from core.results.standing import Change, Move, change, fingerprint, found_by, move, standing
from core.store import people, rights, sources, watches
from core.store.database import Database, ReadTx, WriteTx
from core.store.faults import is_passing
from core.store.tables import Watch
from core.store.versions import NODES
from core.store.view import View, view
from core.watch.match import NODE, Changed

Moment = tuple[int, int]
"""(valid, tx)."""
Window = tuple[Moment, Moment]
_Reader = tuple[Principal, frozenset[UUID]]


@dataclass
class _Glance:
    """What is read for one sweep, once however many watches ask."""

    tx: ReadTx
    changed: Mapping[str, Sequence[Changed]]
    """By label, the nodes that have it at either moment."""
    readers: dict[UUID, _Reader | None] = field(default_factory=dict)
    changes: dict[tuple[UUID, Window, str], dict[UUID, Change]] = field(default_factory=dict)
    labelled: dict[tuple[UUID, Moment, str], list[Node]] = field(default_factory=dict)

    def reader(self, owner_id: UUID) -> _Reader | None:
        """An owner with what they may read today; None for one who is not there any more."""
        if owner_id not in self.readers:
            person = people.get(self.tx, owner_id)
            self.readers[owner_id] = None
            if person is not None and person.active:
                principal = people.principal(person)
                self.readers[owner_id] = principal, sources.readable(self.tx, principal)
        return self.readers[owner_id]

    def of_label(self, before: View, after: View, label: str) -> dict[UUID, Change]:
        """The changed nodes that have a label at either moment."""
        key = after.principal.person_id, (_moment(before), _moment(after)), label
        if key not in self.changes:
            self.changes[key] = _between(before, after, [entry.ref_id for entry in self.changed.get(label, ())])
        return self.changes[key]

    def txs(self, query: Query, node_ids: Collection[UUID]) -> list[tuple[UUID, int]]:
        """When these changed; of what only its parts have moved, when the newest did of all that the query sees."""
        if not node_ids:
            return []
        own = {entry.ref_id: entry.tx for entry in self.changed.get(query.label, ())}
        newest = max(entry.tx for label in query.sees for entry in self.changed.get(label, ()))
        return [(node_id, own.get(node_id, newest)) for node_id in node_ids]

    def standing(self, seen: View, label: str) -> list[Node]:
        """All of a label that may be read."""
        key = seen.principal.person_id, _moment(seen), label
        if key not in self.labelled:
            self.labelled[key] = seen.labelled(label)
        return self.labelled[key]


def _between(before: View, after: View, ids: Sequence[UUID]) -> dict[UUID, Change]:
    """These nodes at two moments, as one person may read them."""
    old, new = (NODES.as_of(seen.tx, ids, *_moment(seen)) for seen in (before, after))
    return {node_id: change(old.get(node_id), new.get(node_id), after.shows) for node_id in ids}


def _moment(seen: View) -> Moment:
    return seen.valid_t, seen.tx_t


class ResultsEngine:
    def __init__(self, database: Database, graph: Finding) -> None:
        self._database = database
        self._graph = graph

    def first(self, tx: ReadTx, text: str, principal: Principal, now: int) -> str:
        """The fingerprint of what a query finds for a principal now. Raises InvalidQuery."""
        asked = standing(text)
        found = self._graph.find(view(tx, principal, now), asked.find, asked.where)
        return fingerprint(node for node, _ in found)

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
            if is_passing(error):  # the sweep fails, and comes again: no watch is to blame
                raise
            savepoint.rollback()
            watches.suspend(tx, watch, Suspension.BROKEN)
            return []
        savepoint.commit()
        return events

    def _judged(self, tx: WriteTx, glance: _Glance, watch: Watch, window: Window) -> list[Event]:
        query = standing(watch.scope_refs[0]).query
        reader = glance.reader(watch.owner_id)
        if reader is None:
            return []
        before, after = (View(glance.tx, *moment, *reader) for moment in window)
        hits = None if query.words is None else [self._graph.matched(seen, query).keys() for seen in (before, after)]
        moves = {node_id: one for node_id, one in _moves(glance, query, (before, after), hits) if one is not Move.NONE}
        told = {node_id: tx for node_id, tx in glance.txs(query, moves) if tx > watch.created_tx}
        if told:
            nodes = glance.standing(after, query.label) if hits is None else after.nodes(hits[1]).values()
            watch.result_fingerprint = fingerprint(node for node in nodes if found_by(query, node))
            tx.session.add(watch)
        news = ((node_id, at) for node_id, at in told.items() if moves[node_id] is Move.NEWS)
        return [Event(EventKind.QUERY_RESULTS_CHANGED, NODE, node_id, at) for node_id, at in news]


def _moves(
    glance: _Glance, query: Query, views: tuple[View, View], hits: Sequence[AbstractSet[UUID]] | None
) -> Iterator[tuple[UUID, Move]]:
    """What became of whatever can have moved in a result. `hits`: what the words led to before, and lead to."""
    changes = glance.of_label(*views, query.label)
    if hits is None:
        yield from ((node_id, move(query, seen)) for node_id, seen in changes.items())
        return
    led_to = _between(*views, list((hits[0] ^ hits[1]) - changes.keys()))
    for node_id, seen in (changes | led_to).items():
        yield node_id, move(query, seen, was_hit=node_id in hits[0], is_hit=node_id in hits[1])


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
