"""What somebody may read by now: rights end while a card waits, after it was shown, and while a model writes."""

from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from core.errors import NotFound, UnknownKey
from core.model.nodes import SAVED_ANSWER, Node
from core.model.principals import Principal, visible_to
from core.model.watching import ScopeType, Suspension
from core.model.work import Place, stranger
from core.store import clarifications, people, sources, watches
from core.store.database import ReadTx, WriteTx
from core.store.tables import ApiKey, CardMessage, Watch
from core.store.versions import NODES
from core.store.view import View, view

_WITHOUT_SCOPE = {ScopeType.LABEL, ScopeType.QUERY}
"""What is watched here is nothing in particular: who may read none of it is told nothing."""


def today(tx: ReadTx, principal: Principal) -> Principal:
    """Who asks, with the roles they hold now. Raises NotFound for one who is gone, UnknownKey for a revoked key."""
    if principal.api_key is not None:
        key = tx.session.get(ApiKey, (tx.tenant_id, principal.api_key))
        if key is None or key.revoked_at:
            raise UnknownKey
        return replace(principal, roles=frozenset(key.roles))
    if principal.person is None:
        return principal
    person = people.get(tx, principal.person)
    if person is None or not person.active:
        raise NotFound
    return people.principal(person)


def may_see(tx: ReadTx, message: CardMessage) -> bool:
    """Whether a card may still be shown to the one it was made for.

    They must be active, and may read all that it is from; a stranger's is from nothing.
    """
    if message.person_id == stranger(Place(**message.place)):
        return True
    person = people.get(tx, message.person_id)
    if person is None or not person.active:
        return False
    needed = set(map(UUID, message.source_ids))
    return not needed or needed <= sources.readable(tx, people.principal(person))


# ── watches ──


def heed(tx: WriteTx, found: Iterable[Watch]) -> set[UUID]:
    """Let those watches rest whose owners may not read what they are on, and the others go on; which ones rest.

    In the order of their ids, as whoever else does so locks them.
    """
    ordered = sorted({watch.watch_id: watch for watch in found}.values(), key=lambda watch: watch.watch_id)
    closed = {watch.watch_id for watch in ordered if not reads(tx, watch.owner_id, watch, tx.now)}
    for watch in ordered:
        if watch.watch_id in closed and watch.suspended is None:
            watches.suspend(tx, watch, Suspension.NOT_READABLE)
        elif watch.watch_id not in closed and watch.suspended == Suspension.NOT_READABLE:
            watches.resume(tx, watch, Suspension.NOT_READABLE)
    return closed


def reads(tx: ReadTx, person_id: UUID, watch: Watch, now: int) -> bool:
    """Whether a person may read anything of what a watch is on today, whatever has become of it."""
    person = people.get(tx, person_id)
    if person is None or not person.active:
        return False
    if watch.scope_type in _WITHOUT_SCOPE:
        return True
    asked, ids = view(tx, people.principal(person), now), [UUID(ref) for ref in watch.scope_refs]
    if watch.scope_type == ScopeType.SOURCE:
        return not asked.readable.isdisjoint(ids)
    if watch.scope_type == ScopeType.CLARIFICATION:
        ids = [row.node_id for row in clarifications.newest(tx, ids).values()]
    nodes = NODES.as_of(tx, ids, asked.valid_t, asked.tx_t).values()
    return not nodes or any(_admits(asked, node) for node in nodes)


def _admits(asked: View, node: Node) -> bool:
    """Of a saved answer, which is its owner's own, they must still be able to read something that it rests on."""
    if node.label != SAVED_ANSWER:
        return asked.shows(replace(node, tombstone=False))
    rests_on = set(map(UUID, node.props["dependencies"]["sources"])) - set(map(UUID, node.props.get("erased", ())))
    return visible_to(asked.principal, node.readers or ()) and not (rests_on and asked.readable.isdisjoint(rests_on))
