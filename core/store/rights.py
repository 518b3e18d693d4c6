"""What somebody may read by now: rights end while a card waits, after it was shown, and while a model writes."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from uuid import UUID

from core.errors import NotFound, UnknownKey
from core.model.nodes import SAVED_ANSWER, Node
from core.model.principals import Principal, visible_to
from core.model.watching import ScopeType, Suspension
from core.model.work import Place, stranger
from core.store import clarifications, people, sources, watches
from core.store.database import ReadTx, WriteTx
from core.store.tables import ApiKey, CardMessage, Person, Watch
from core.store.versions import NODES
from core.store.view import View, view

_OF_ANSWERS = {"answer_updated", "brief"}
"""Kinds of card that may tell of saved answers."""
_WITHOUT_SCOPE = {ScopeType.LABEL, ScopeType.QUERY}
"""What is watched here is nothing in particular: who may read none of it is told nothing."""


def today(tx: ReadTx, principal: Principal, now: int) -> Principal:
    """Who asks, with the roles they hold now. Raises NotFound for one who is gone, UnknownKey for a key that ended."""
    if principal.api_key is not None:
        key = tx.session.get(ApiKey, (tx.tenant_id, principal.api_key))
        return holder(tx, key, now)
    if principal.person is None:
        return principal
    person = people.get(tx, principal.person)
    if person is None or not person.active:
        raise NotFound
    return people.principal(person)


def holder(tx: ReadTx, key: ApiKey | None, now: int) -> Principal:
    """Whom a key stands for: a person, with the roles they hold, or nobody. Raises UnknownKey where that is over."""
    if key is None or key.revoked_at or 0 < key.expires_at <= now:
        raise UnknownKey
    if key.person_id is None:
        return Principal(key.tenant_id, None, frozenset(key.roles), key.key_id)
    person = tx.session.get(Person, (key.tenant_id, key.person_id))
    if person is None or not person.active:
        raise UnknownKey
    return replace(people.principal(person), api_key=key.key_id)


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


def may_go(tx: ReadTx, message: CardMessage) -> bool:
    """Whether a card that was taken to be sent may be sent still: its place is theirs, and they may read it.

    One that tells of saved answers withholds what its reader cannot read, and goes while they can read some source.
    """
    person, place = people.get(tx, message.person_id), Place(**message.place)
    if not people.may_be_written_to(tx, message.person_id, place):
        return False
    if person is None or message.kind not in _OF_ANSWERS:
        return may_see(tx, message)
    needed = set(map(UUID, message.source_ids))
    return person.active and not (needed and needed.isdisjoint(sources.readable(tx, people.principal(person))))


# ── watches ──


def heed(tx: WriteTx, found: Iterable[Watch]) -> set[UUID]:
    """Let those watches rest whose owners may not read what they are on, and the others go on; which ones rest.

    In the order of their ids, as whoever else does so locks them.
    """
    ordered = sorted({watch.watch_id: watch for watch in found}.values(), key=lambda watch: watch.watch_id)
    unread = closed(tx, ordered, tx.now)
    for watch in ordered:
        if watch.watch_id in unread and watch.suspended is None:
            watches.suspend(tx, watch, Suspension.NOT_READABLE)
        elif watch.watch_id not in unread and watch.suspended == Suspension.NOT_READABLE:
            watches.resume(tx, watch, Suspension.NOT_READABLE)
    return unread


def closed(tx: ReadTx, found: Iterable[Watch], now: int) -> set[UUID]:
    """Those of these watches whose owners may read nothing of what they are on today, whatever has become of it."""
    by_owner: dict[UUID, list[Watch]] = {}
    for watch in found:
        by_owner.setdefault(watch.owner_id, []).append(watch)
    unread: set[UUID] = set()
    for owner_id, theirs in by_owner.items():
        owner = people.get(tx, owner_id)
        if owner is not None and owner.active:
            unread |= _shut(view(tx, people.principal(owner), now), theirs)
        else:
            unread |= {watch.watch_id for watch in theirs}
    return unread


def _shut(asked: View, found: Collection[Watch]) -> set[UUID]:
    """Those of these watches of which nothing that they are on may be read, looked up together."""
    on = {watch.watch_id: set(map(UUID, watch.scope_refs)) for watch in found if watch.scope_type not in _WITHOUT_SCOPE}
    of_sources, of_questions = (
        {one for watch in found if watch.scope_type == scope_type for one in on[watch.watch_id]}
        for scope_type in (ScopeType.SOURCE, ScopeType.CLARIFICATION)
    )
    about = {row.clarification_id: row.node_id for row in clarifications.newest(asked.tx, of_questions).values()}
    on = {watch_id: {about.get(one, one) for one in ids} for watch_id, ids in on.items()}
    nodes = NODES.as_of(asked.tx, set().union(*on.values()) - of_sources, asked.valid_t, asked.tx_t)
    there = nodes.keys() | of_sources
    admitted = {node_id for node_id, node in nodes.items() if _admits(asked, node)} | asked.readable
    return {watch_id for watch_id, ids in on.items() if ids & there and not ids & admitted}


def legible(tx: ReadTx, principal: Principal, refs: Collection[UUID], now: int) -> set[UUID]:
    """Those of these sources, nodes and clarifications that a principal may read today, whatever became of them."""
    asked, about = view(tx, principal, now), {ref: ref for ref in refs}
    about |= {one: row.node_id for one, row in clarifications.newest(tx, refs).items()}
    nodes = NODES.as_of(tx, set(about.values()), asked.valid_t, asked.tx_t)
    seen = {node_id for node_id, node in nodes.items() if _admits(asked, node)} | asked.readable
    return {ref for ref, node_id in about.items() if node_id in seen}


def _admits(asked: View, node: Node) -> bool:
    """Of a saved answer, which is its owner's own, they must still be able to read something that it rests on."""
    if node.label != SAVED_ANSWER:
        return asked.shows(replace(node, tombstone=False))
    rests_on = set(map(UUID, node.props["dependencies"]["sources"])) - set(map(UUID, node.props.get("erased", ())))
    return visible_to(asked.principal, node.readers or ()) and not (rests_on and asked.readable.isdisjoint(rests_on))
