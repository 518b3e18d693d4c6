"""The one way a person reads nodes: what holds at one pair of coordinates, less what they may not read today.

A node that came from sources is readable with all of them, and one that rests on none, by its own readers; one that
has both, by those of its readers who may read its sources; a saved answer only while every source it rests on is.
Coordinates say what was so and what was believed; rights are always today's.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from uuid import UUID

from core.clock import FOREVER
from core.errors import InvalidRequest
from core.model.nodes import SAVED_ANSWER, Node
from core.model.principals import Principal, visible_to
from core.store import sources
from core.store.database import ReadTx
from core.store.versions import NODES, neighbours, parts, wholes


@dataclass(frozen=True, slots=True)
class View:
    """`valid_t`, `tx_t`: the coordinates, Ts. `readable`: the sources that admit the principal today."""

    tx: ReadTx
    valid_t: int
    tx_t: int
    principal: Principal
    readable: frozenset[UUID]

    def nodes(self, ids: Collection[UUID]) -> dict[UUID, Node]:
        """Those of these ids that stand and may be read."""
        found = NODES.as_of(self.tx, ids, self.valid_t, self.tx_t)
        return {node_id: node for node_id, node in found.items() if self.shows(node)}

    def labelled(self, label: str) -> list[Node]:
        """All of a label that stand and may be read, in the order of their ids."""
        nodes = NODES.labelled(self.tx, label, self.valid_t, self.tx_t)
        return sorted(filter(self.shows, nodes), key=lambda node: node.node_id)

    def neighbours(self, ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """(node, neighbour) over edges that hold; whether a neighbour may be read shows when it is."""
        return neighbours(self.tx, ids, self.valid_t, self.tx_t)

    def wholes(self, ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """(node, what it is part of) over edges that hold."""
        return wholes(self.tx, ids, self.valid_t, self.tx_t)

    def parts(self, ids: Collection[UUID]) -> list[tuple[UUID, UUID]]:
        """(node, what is part of it) over edges that hold."""
        return parts(self.tx, ids, self.valid_t, self.tx_t)

    def shows(self, node: Node) -> bool:
        """Whether a version of a node stands, and may be read."""
        return not node.tombstone and self.admits(node)

    def admits(self, node: Node) -> bool:
        """Whether a version of a node may be read, also one that says that there is nothing any more."""
        by_readers = bool(node.readers) or not node.sources
        if by_readers and not visible_to(self.principal, node.readers or ()):
            return False
        return self.readable.issuperset(node.sources | _dependencies(node))


def readers_of(tx: ReadTx, node: Node, people: Iterable[Principal]) -> list[Principal]:
    """Those of these people who may read a node now, if it stands."""
    return readers_of_each(tx, [node], people)[node.node_id]


def readers_of_each(tx: ReadTx, nodes: Collection[Node], people: Iterable[Principal]) -> dict[UUID, list[Principal]]:
    """By node, those of these people who may read it now, if it stands: one look for however many."""
    rows = sources.by_ids(tx, {source for node in nodes for source in node.sources | _dependencies(node)}).items()
    found: dict[UUID, list[Principal]] = {node.node_id: [] for node in nodes}
    for one in people:
        theirs = View(tx, 0, 0, one, frozenset(key for key, row in rows if visible_to(one, row.readers)))
        for node in nodes:
            if theirs.shows(node):
                found[node.node_id].append(one)
    return found


def _dependencies(node: Node) -> frozenset[UUID]:
    """The sources that a saved answer rests on."""
    return frozenset(map(UUID, node.props["dependencies"]["sources"] if node.label == SAVED_ANSWER else ()))


def view(tx: ReadTx, principal: Principal, now: int, valid_time: int | None = None, tx_time: int | None = None) -> View:
    """What `principal` may see; `valid_time` None: now, `tx_time` None: as is believed today. Raises InvalidRequest."""
    for name, ts in (("valid_time", valid_time), ("tx_time", tx_time)):
        if ts is not None and not 0 <= ts < FOREVER:
            raise InvalidRequest(f"{name} is {ts}; it must be microseconds since 1970, from 0 to below {FOREVER}")
    valid_t = tx.present(now) if valid_time is None else valid_time
    tx_t = tx.last_tx if tx_time is None else tx_time
    return View(tx, valid_t, tx_t, principal, sources.readable(tx, principal))
