"""Rows of watches, their scope index, waiting matches, fires and the sweep's checkpoint."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, update
from sqlmodel import col, delete, func, select

from core.clock import FOREVER
from core.model.paging import Part
from core.model.principals import ADMIN, Principal
from core.model.watching import Cadence, EventKind, ScopeType, Suspension, TargetKind, WatchView
from core.store import boundaries, briefs
from core.store.columns import after, before
from core.store.database import ReadTx, WriteTx, batches
from core.store.tables import (
    Feed,
    NotifyDelivery,
    SweepCheckpoint,
    Watch,
    WatchFire,
    WatchMute,
    WatchPending,
    WatchScope,
    Webhook,
)

TOLD_BY_CARDS = (TargetKind.PERSON, TargetKind.SHARED)
"""Targets of watches that tell people."""


def get(tx: ReadTx, watch_id: UUID) -> Watch | None:
    return tx.session.get(Watch, (tx.tenant_id, watch_id))


def by_key(tx: ReadTx, dedup_key: str) -> Watch | None:
    return tx.session.exec(
        select(Watch).where(Watch.tenant_id == tx.tenant_id, Watch.dedup_key == dedup_key)
    ).one_or_none()


def of_owner(tx: ReadTx, owner_id: UUID) -> list[Watch]:
    """The owner's standing watches, internal ones included, oldest first."""
    rows = select(Watch).where(Watch.tenant_id == tx.tenant_id, Watch.owner_id == owner_id, col(Watch.enabled))
    return list(tx.session.exec(rows.order_by(col(Watch.created_tx), col(Watch.watch_id))).all())


def part_of(tx: ReadTx, owner_id: UUID | None, part: Part, *, webhooks: bool) -> list[Watch]:
    """Of the same, without the internal ones, a part after (created_tx, watch_id). `webhooks`: also of webhooks."""
    theirs = select(Webhook.webhook_id).where(Webhook.tenant_id == tx.tenant_id)
    of = (
        or_(col(Watch.owner_id) == owner_id, col(Watch.owner_id).in_(theirs))
        if webhooks
        else Watch.owner_id == owner_id
    )
    internal = col(Watch.target)["kind"].as_string() == TargetKind.INTERNAL.value
    rows = select(Watch).where(Watch.tenant_id == tx.tenant_id, of, col(Watch.enabled), ~internal)
    order = (col(Watch.created_tx), col(Watch.watch_id))
    if part.after is not None:
        rows = rows.where(after(order, part.after))
    return list(tx.session.exec(rows.order_by(*order).limit(part.limit)).all())


def is_of(watch: Watch, principal: Principal) -> bool:
    """Whether a watch is the principal's to see and to end: a person's own, and to an admin what tells a webhook.

    What has a saved answer checked is nobody's: it ends with the answer.
    """
    if watch.target["kind"] == TargetKind.WEBHOOK:
        return ADMIN in principal.roles
    if watch.target["kind"] == TargetKind.INTERNAL:
        return False
    return principal.person is not None and watch.owner_id == principal.person


def view_of(watch: Watch, *, fresh: bool = False) -> WatchView:
    return WatchView(
        watch.watch_id,
        watch.name,
        ScopeType(watch.scope_type),
        tuple(watch.scope_refs),
        Cadence(watch.cadence),
        watch.muted_until,
        watch.suspended,
        watch.created_at,
        tuple(map(EventKind, watch.events)),
        watch.target,
        watch.debounce_secs,
        watch.owner_id,
        watch.enabled,
        watch.created_tx,
        fresh=fresh,
        result_fingerprint=watch.result_fingerprint,
    )


def add(tx: WriteTx, watch: Watch, index: Iterable[str]) -> None:
    """`index`: what it is found by when that has changed: what it is on, or of a query the labels of what it sees."""
    tx.session.add(watch)
    tx.session.flush()
    tx.insert(
        WatchScope,
        [
            {"tenant_id": tx.tenant_id, "scope_type": watch.scope_type, "scope_ref": ref, "watch_id": watch.watch_id}
            for ref in index
        ],
    )


def matching(tx: ReadTx, scope_type: str, refs: Collection[str]) -> list[tuple[str, Watch]]:
    """(scope ref, watch) for every live watch on one of `refs`: an index look-up, whatever the number of watches.

    Also those that rest until their owners may read what they are on again: by now they may.
    """
    found: list[tuple[str, Watch]] = []
    for batch in batches(refs):
        found += tx.session.exec(
            select(WatchScope.scope_ref, Watch)
            .join(Watch, (col(Watch.tenant_id) == WatchScope.tenant_id) & (col(Watch.watch_id) == WatchScope.watch_id))
            .where(
                WatchScope.tenant_id == tx.tenant_id,
                WatchScope.scope_type == scope_type,
                col(WatchScope.scope_ref).in_(batch),
                col(Watch.enabled),
                or_(col(Watch.suspended).is_(None), col(Watch.suspended) == Suspension.NOT_READABLE.value),
            )
        ).all()
    return found


# ── resting ──


def suspend(tx: WriteTx, watch: Watch, reason: Suspension) -> bool:
    """Let a standing watch rest for a reason, and its owner be told once; False where it rests, or is over, already."""
    standing = (col(Watch.enabled).is_(True), col(Watch.suspended).is_(None))
    notice_at = tx.now if watch.target["kind"] in TOLD_BY_CARDS else None
    return _set(tx, watch, *standing, suspended=reason.value, notice_at=notice_at)


def resume(tx: WriteTx, watch: Watch, reason: Suspension) -> bool:
    """Let a watch go on that rests for this reason; False where it does not.

    Whoever was out of reach is still to be told that it did.
    """
    notice: dict[str, Any] = {} if reason is Suspension.UNREACHABLE else {"notice_at": None}
    return _set(tx, watch, col(Watch.suspended) == reason.value, suspended=None, **notice)


def tell_of(tx: WriteTx, watch_ids: Iterable[UUID]) -> None:
    """Let the owners of these watches be told that they rest, or did: no card could say so before."""
    for batch in batches(watch_ids):
        theirs = (col(Watch.tenant_id) == tx.tenant_id, col(Watch.watch_id).in_(batch))
        tx.session.exec(update(Watch).where(*theirs).values(notice_at=tx.now))


def tell_on_return(tx: WriteTx, owner_id: UUID) -> None:
    """Let an owner be told of what they could not be told while they were out of reach."""
    theirs = (col(Watch.tenant_id) == tx.tenant_id, col(Watch.owner_id) == owner_id)
    tx.session.exec(update(Watch).where(*theirs, col(Watch.notice_at) == FOREVER).values(notice_at=tx.now))


def untold(tx: ReadTx, now: int, limit: int) -> list[tuple[str, UUID]]:
    """(tenant, owner) of watches of which the owner is to be told that they rest."""
    rows = select(Watch.tenant_id, Watch.owner_id).where(col(Watch.notice_at) <= now)
    return [(tenant, owner) for tenant, owner in tx.session.exec(rows.distinct().limit(limit))]


def untold_of(tx: WriteTx, owner_id: UUID, now: int) -> list[Watch]:
    """Those watches of one owner, to be changed: two workers must not both tell of them. In the order of their ids."""
    rows = select(Watch).where(Watch.tenant_id == tx.tenant_id, Watch.owner_id == owner_id, col(Watch.notice_at) <= now)
    ordered = rows.order_by(col(Watch.watch_id))
    return list(tx.session.exec(ordered.with_for_update().execution_options(populate_existing=True)).all())


def by_ids(tx: ReadTx, watch_ids: Collection[UUID]) -> list[Watch]:
    """In the order of their ids."""
    found: list[Watch] = []
    for batch in batches(sorted(watch_ids)):
        rows = select(Watch).where(Watch.tenant_id == tx.tenant_id, col(Watch.watch_id).in_(batch))
        found += tx.session.exec(rows.order_by(col(Watch.watch_id)))
    return found


def _set(tx: WriteTx, watch: Watch, *those: ColumnElement[bool], **values: Any) -> bool:
    """Change a watch where that still holds of it, whoever else is at it; whether it did."""
    tx.session.flush()
    key = (col(Watch.tenant_id) == tx.tenant_id, col(Watch.watch_id) == watch.watch_id)
    changed = tx.session.connection().execute(update(Watch).where(*key, *those).values(**values)).rowcount == 1
    tx.session.refresh(watch)
    return changed


# ── sweeping ──


def any_on(tx: ReadTx, scope_type: str) -> bool:
    """Whether there is a watch of this kind at all."""
    there = select(WatchScope.watch_id).where(WatchScope.tenant_id == tx.tenant_id, WatchScope.scope_type == scope_type)
    return tx.session.exec(there.limit(1)).first() is not None


def checkpoint(tx: WriteTx) -> SweepCheckpoint | None:
    """The tenant's checkpoint, locked: one sweeper at a time."""
    return tx.session.get(SweepCheckpoint, tx.tenant_id, with_for_update={"skip_locked": True})


def feed_at(tx: ReadTx, at: int) -> Sequence[Feed]:
    """The rows of one tx."""
    return tx.session.exec(select(Feed).where(Feed.tenant_id == tx.tenant_id, Feed.tx == at)).all()


def feed_after(tx: ReadTx, after: int, upto: int, limit: int) -> Sequence[Feed]:
    """The oldest rows after a tx and up to another, about `limit` of them; never a part of one tx."""
    window = select(Feed).where(Feed.tenant_id == tx.tenant_id, Feed.tx > after, Feed.tx <= upto)
    rows = window.order_by(col(Feed.tx), col(Feed.seq))
    page = tx.session.exec(rows.limit(limit)).all()
    if len(page) < limit:
        return page
    return tx.session.exec(rows.where(Feed.tx <= page[-1].tx)).all()


def due_pending(tx: ReadTx, now: int) -> dict[UUID, list[WatchPending]]:
    """Matches of each watch whose debounce has passed, oldest first."""
    ready = select(WatchPending.watch_id).where(WatchPending.tenant_id == tx.tenant_id, WatchPending.due_at <= now)
    rows = tx.session.exec(
        select(WatchPending)
        .where(WatchPending.tenant_id == tx.tenant_id, col(WatchPending.watch_id).in_(ready))
        .order_by(col(WatchPending.change_tx), col(WatchPending.ref_id))
    ).all()
    groups: dict[UUID, list[WatchPending]] = {}
    for row in rows:
        groups.setdefault(row.watch_id, []).append(row)
    return groups


def clear_pending(tx: WriteTx, watch_ids: Iterable[UUID]) -> None:
    for batch in batches(watch_ids):
        tx.session.exec(
            delete(WatchPending).where(
                col(WatchPending.tenant_id) == tx.tenant_id, col(WatchPending.watch_id).in_(batch)
            )
        )


def has_work(tx: ReadTx, after: int, now: int) -> bool:
    """Whether a sweep would find anything: rows after the checkpoint, a boundary or a debounce that has passed."""
    if tx.last_tx > after or boundaries.any_due(tx, now):
        return True
    count = select(func.count()).select_from(WatchPending)
    return bool(tx.session.exec(count.where(WatchPending.tenant_id == tx.tenant_id, WatchPending.due_at <= now)).one())


def fires_of(tx: ReadTx, watch_id: UUID, part: Part) -> list[WatchFire]:
    """Newest first; a part after (fire_tx, fire_id)."""
    rows = select(WatchFire).where(WatchFire.tenant_id == tx.tenant_id, WatchFire.watch_id == watch_id)
    order = (col(WatchFire.fire_tx), col(WatchFire.fire_id))
    if part.after is not None:
        rows = rows.where(before(order, part.after))
    return list(tx.session.exec(rows.order_by(*(one.desc() for one in order)).limit(part.limit)).all())


def last_fired(tx: ReadTx, watch_ids: Collection[UUID]) -> dict[UUID, int]:
    """At which tx each of these fired last; one that has not yet has no key."""
    found: dict[UUID, int] = {}
    for batch in batches(watch_ids):
        theirs = (WatchFire.tenant_id == tx.tenant_id, col(WatchFire.watch_id).in_(batch))
        rows = select(WatchFire.watch_id, func.max(WatchFire.fire_tx)).where(*theirs)
        found |= dict(tx.session.exec(rows.group_by(col(WatchFire.watch_id))).all())
    return found


def fires_for(tx: ReadTx, owner_id: UUID, limit: int) -> list[UUID]:
    """The fires of everything a person watches, newest first."""
    rows = (
        select(WatchFire.fire_id)
        .join(Watch, (col(Watch.tenant_id) == WatchFire.tenant_id) & (col(Watch.watch_id) == WatchFire.watch_id))
        .where(WatchFire.tenant_id == tx.tenant_id, Watch.owner_id == owner_id)
    )
    return list(tx.session.exec(rows.order_by(col(WatchFire.fire_tx).desc()).limit(limit)).all())


def fires_near(tx: ReadTx, person_id: UUID, limit: int) -> list[UUID]:
    """The fires of everything a person watches, and those that they were told of otherwise, newest first."""
    rows = (
        select(WatchFire.fire_id, WatchFire.fire_tx)
        .join(
            NotifyDelivery,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .where(NotifyDelivery.tenant_id == tx.tenant_id, NotifyDelivery.person_id == person_id)
        .where(NotifyDelivery.state == "sent")
        .order_by(col(NotifyDelivery.created_at).desc())
    )
    told = dict(tx.session.exec(rows.limit(limit)).all())
    own = {fire.fire_id: fire.fire_tx for fire, _ in fires(tx, fires_for(tx, person_id, limit)).values()}
    return sorted(told | own, key=lambda fire_id: (told | own)[fire_id], reverse=True)[:limit]


# ── muted by whom they tell ──


def mute_for(tx: WriteTx, watch_id: UUID, person_id: UUID, until: int) -> None:
    """Let one of those whom a watch tells hear nothing of it until a Ts."""
    tx.session.merge(WatchMute(tenant_id=tx.tenant_id, watch_id=watch_id, person_id=person_id, muted_until=until))


def unmute(tx: WriteTx, watch_id: UUID, person_id: UUID) -> None:
    """Let somebody hear of a watch again that they had muted for themselves."""
    theirs = (col(WatchMute.watch_id) == watch_id, col(WatchMute.person_id) == person_id)
    tx.session.exec(delete(WatchMute).where(col(WatchMute.tenant_id) == tx.tenant_id, *theirs))


def muted_by(tx: ReadTx, person_id: UUID, watch_ids: Collection[UUID]) -> dict[UUID, int]:
    """Until when a person wants to hear nothing of each of these watches that they have muted for themselves."""
    found: dict[UUID, int] = {}
    for batch in batches(watch_ids):
        rows = select(WatchMute.watch_id, WatchMute.muted_until).where(
            WatchMute.tenant_id == tx.tenant_id, WatchMute.person_id == person_id, col(WatchMute.watch_id).in_(batch)
        )
        found |= dict(tx.session.exec(rows).all())
    return found


def was_told(tx: ReadTx, watch_id: UUID, person_id: UUID) -> bool:
    """Whether a watch had anything to tell a person yet."""
    rows = (
        select(NotifyDelivery.fire_id)
        .join(
            WatchFire,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .where(NotifyDelivery.tenant_id == tx.tenant_id, NotifyDelivery.person_id == person_id)
        .where(WatchFire.watch_id == watch_id)
    )
    return tx.session.exec(rows.limit(1)).first() is not None


def _with_more_fires(tx: ReadTx, watch_ids: Iterable[UUID], than: int) -> list[UUID]:
    found: list[UUID] = []
    for batch in batches(watch_ids):
        theirs = select(WatchFire.watch_id).where(
            WatchFire.tenant_id == tx.tenant_id, col(WatchFire.watch_id).in_(batch)
        )
        found += tx.session.exec(theirs.group_by(col(WatchFire.watch_id)).having(func.count() > than)).all()
    return found


def prune_fires(tx: WriteTx, watch_ids: Iterable[UUID], keep: int) -> None:
    """Forget fires beyond the newest `keep` of each watch, unless somebody is still to be told, by a brief at least."""
    for watch_id in _with_more_fires(tx, watch_ids, keep):
        edge = tx.session.exec(
            select(WatchFire.fire_tx)
            .where(WatchFire.tenant_id == tx.tenant_id, WatchFire.watch_id == watch_id)
            .order_by(col(WatchFire.fire_tx).desc())
            .offset(keep)
            .limit(1)
        ).one_or_none()
        if edge is not None:
            tx.session.exec(
                delete(WatchFire).where(
                    col(WatchFire.tenant_id) == tx.tenant_id,
                    col(WatchFire.watch_id) == watch_id,
                    col(WatchFire.fire_tx) <= edge,
                    col(WatchFire.status) != "fired",
                    ~exists().where(
                        col(NotifyDelivery.tenant_id) == WatchFire.tenant_id,
                        col(NotifyDelivery.fire_id) == WatchFire.fire_id,
                        or_(col(NotifyDelivery.state).in_(("pending", "carried")), briefs.is_to_tell()),
                    ),
                )
            )


def fires(tx: ReadTx, fire_ids: Collection[UUID]) -> dict[UUID, tuple[WatchFire, Watch]]:
    """Those of these that there are, with their watches: the first that fired first, of one sweep the oldest watch."""
    found: dict[UUID, tuple[WatchFire, Watch]] = {}
    for batch in batches(fire_ids):
        rows: Sequence[Any] = tx.session.exec(
            select(WatchFire, Watch)
            .join(Watch, (col(Watch.tenant_id) == WatchFire.tenant_id) & (col(Watch.watch_id) == WatchFire.watch_id))
            .where(WatchFire.tenant_id == tx.tenant_id, col(WatchFire.fire_id).in_(batch))
        ).all()
        found |= {fire.fire_id: (fire, watch) for fire, watch in rows}
    return dict(sorted(found.items(), key=lambda one: _age(*one[1])))


def _age(fire: WatchFire, watch: Watch) -> tuple[int, int, UUID]:
    return fire.fire_tx, watch.created_tx, watch.watch_id
