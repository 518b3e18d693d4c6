"""What is watched and what watches told, as whoever asks may know it: each list is read in one snapshot."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from core.errors import NotFound
from core.model.node_ids import document_id
from core.model.paging import WHOLE, Part
from core.model.principals import ADMIN, Principal
from core.model.watching import Event, FireView, Outcome, ScopeType, Suspension, TargetKind, WatchView
from core.store import messages, rights, watches
from core.store.database import Database, ReadTx
from core.store.tables import NotifyDelivery, Watch, WatchFire
from core.store.versions import NODES


class WatchedEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def own(self, principal: Principal) -> list[WatchView]:
        """The person's standing watches, without the internal ones, oldest first."""
        with self._database.read(principal.tenant_id) as tx:
            return _views(tx, principal, watches.part_of(tx, principal.person_id, WHOLE, webhooks=False))

    def part(self, principal: Principal, part: Part) -> list[WatchView]:
        """The same, and to an admin what tells webhooks too: a part after (created_tx, watch_id)."""
        with self._database.read(principal.tenant_id) as tx:
            found = watches.part_of(tx, principal.person, part, webhooks=ADMIN in principal.roles)
            return _views(tx, principal, found)

    def one(self, watch_id: UUID, principal: Principal) -> WatchView:
        """A standing watch of theirs, or, as far as that is not its owner's alone, one that has told them something.

        Raises NotFound.
        """
        with self._database.read(principal.tenant_id) as tx:
            watch, who = watches.get(tx, watch_id), principal.person
            if watch is None or not watch.enabled:
                raise NotFound
            own = watches.is_of(watch, principal)
            if not own and (who is None or not watches.was_told(tx, watch_id, who)):
                raise NotFound
            [found] = _views(tx, principal, [watch])
            return found if own else replace(found, refs=(), target={"kind": watch.target["kind"]})

    def fires(self, watch_id: UUID, principal: Principal, part: Part = WHOLE) -> list[FireView]:
        """What a watch told, newest first: a part after (fire_tx, fire_id). Raises NotFound for another's watch."""
        with self._database.read(principal.tenant_id) as tx:
            watch = watches.get(tx, watch_id)
            if watch is None or not watches.is_of(watch, principal):
                raise NotFound
            found = watches.fires_of(tx, watch_id, part)
            told = messages.deliveries_for(tx, [fire.fire_id for fire in found])
            return [_fire(fire, watch, told[fire.fire_id]) for fire in found]

    def explain(self, fire_id: UUID, principal: Principal) -> FireView:
        """Why somebody was notified. Raises NotFound, alike for a fire that told them nothing and for none."""
        with self._database.read(principal.tenant_id) as tx:
            fire, watch = watches.fires(tx, [fire_id]).get(fire_id, (None, None))
            if fire is None or watch is None:
                raise NotFound
            whole = _fire(fire, watch, messages.deliveries_for(tx, [fire_id])[fire_id])
            return whole if watches.is_of(watch, principal) else _shared(tx, principal, whole)


def _views(tx: ReadTx, principal: Principal, found: Sequence[Watch]) -> list[WatchView]:
    """As their owner has muted them for themselves.

    One that rests until they may read what it is on goes on with the next change, if by now they may.
    """
    ids = [watch.watch_id for watch in found]
    muted = watches.muted_by(tx, principal.person, ids) if principal.person else {}
    waiting = [watch for watch in found if watch.suspended == Suspension.NOT_READABLE]
    back = {watch.watch_id for watch in waiting} - rights.closed(tx, waiting, tx.last_tx)
    gone, fired = _gone(tx, found), watches.last_fired(tx, ids)
    return [
        replace(
            watches.view_of(watch),
            suspended=None if watch.watch_id in back else watch.suspended,
            muted_until=max(watch.muted_until, muted.get(watch.watch_id, 0)),
            last_fired_tx=fired.get(watch.watch_id),
            gone=watch.watch_id in gone,
        )
        for watch in found
    ]


def _gone(tx: ReadTx, found: Iterable[Watch]) -> set[UUID]:
    """Those of these watches on sections, documents and records of which nothing stands any more."""
    on: dict[UUID, set[UUID]] = {}
    for watch in found:
        if watch.scope_type in {ScopeType.ENTITY, ScopeType.SOURCE}:
            ids = set(map(UUID, watch.scope_refs))
            on[watch.watch_id] = ids if watch.scope_type == ScopeType.ENTITY else set(map(document_id, ids))
    nodes = NODES.as_of(tx, set().union(*on.values()), tx.last_tx, tx.last_tx)
    standing = {node_id for node_id, node in nodes.items() if not node.tombstone}
    return {watch_id for watch_id, ids in on.items() if ids.isdisjoint(standing)}


def _fire(fire: WatchFire, watch: Watch, told: Sequence[NotifyDelivery]) -> FireView:
    return FireView(
        fire.fire_id,
        watch.watch_id,
        watch.name,
        ScopeType(watch.scope_type),
        tuple(watch.scope_refs),
        tuple(map(Event.from_json, fire.events)),
        fire.truncated,
        (fire.window_start, fire.window_end),
        fire.status,
        fire.reason,
        tuple(Outcome(row.person_id, row.state, row.reason) for row in told),
        fire.fire_tx,
        fire.created_at,
        TargetKind(fire.target_kind),
        fire.job_id,
    )


def _shared(tx: ReadTx, principal: Principal, whole: FireView) -> FireView:
    """What one of those whom somebody else's watch told may know of it. Raises NotFound where that is nothing."""
    mine = tuple(one for one in whole.recipients if one.person_id == principal.person and one.state == "sent")
    seen = rights.legible(tx, principal, {event.ref_id for event in whole.events}, tx.last_tx) if mine else set()
    events = tuple(event for event in whole.events if event.ref_id in seen)
    if not events:
        raise NotFound
    return replace(whole, scope_refs=(), events=events, truncated=0, recipients=mine, own=False)
