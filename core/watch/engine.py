"""Watches, and the sweep that goes from the feed to fires, once.

Of one tenant, in one transaction, the sweep reads the oldest feed rows after the checkpoint, judges each thing by its
net state, finds the watches through the scope index, and writes fires, their jobs and the new checkpoint. A crash
before the commit leaves the checkpoint, and the next sweep derives the same ids from the same windows; a crash after it
leaves nothing to do. The first sweep of a tenant only sets the checkpoint: nobody is told of what stood before.
The checkpoint's row is locked, so that a second sweeper of the tenant passes by. What is read ends at the newest tx
seen at first, and is judged no earlier than that tx: every row up to it began to hold by then on its writer's clock,
and on another's it may lie ahead. Judged sooner it would be no change yet, and never looked at again.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from core.clock import SECOND
from core.errors import InvalidRequest, LimitReached, NotFound
from core.ids import derived, watch_derived
from core.jobs.kinds import FENCE, JobKind
from core.jsonhash import json_hash
from core.model.node_ids import document_id
from core.model.nodes import Node
from core.model.principals import ADMIN, Principal
from core.model.watching import Event, EventKind, FireView, Outcome, ScopeType, TargetKind, WatchRequest, WatchView
from core.store import audit, boundaries, jobs, messages, sources, watches, webhooks
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Feed, SweepCheckpoint, Watch, WatchFire, WatchPending
from core.store.versions import NODES
from core.watch.config import WatchConfig
from core.watch.match import NODE, SOURCE, Changed, by_scope, classify, newest, reduced

_PEOPLE = {TargetKind.PERSON, TargetKind.SHARED}
"""Targets that are told by cards."""
_FOR_WEBHOOKS = {ScopeType.ENTITY, ScopeType.LABEL, ScopeType.SOURCE}
"""What a webhook may be told of. Saved answers are their owners', and questions are put to people."""


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did; `backlog` when feed rows remain."""

    rows: int = 0
    fires: int = 0
    backlog: bool = False


class WatchEngine:
    def __init__(self, database: Database, config: WatchConfig) -> None:
        self._database = database
        self._config = config

    # ── watches ──

    def create(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> WatchView:
        """Make a watch, or return the standing one with the same owner, scope, events and target.

        Raises InvalidRequest, NotFound for a scope the owner cannot read, LimitReached.
        """
        tx.lock()
        self._check(tx, request, principal)
        owner_id = _owner(request, principal)
        key = _key(request, owner_id)
        standing = watches.by_key(tx, key)
        if standing is None or not standing.enabled:
            self._check_limit(tx, request, principal)
        if standing is not None:
            fresh = not standing.enabled
            standing.enabled, standing.suspended, standing.muted_until = True, None, 0
            if fresh:
                standing.name, standing.created_tx = request.name, tx.tx
            tx.session.add(standing)
            return _view(standing, fresh=fresh)
        watch = self._new(tx, request, owner_id, key)
        watches.add(tx, watch)
        if request.target["kind"] == TargetKind.WEBHOOK:
            detail = {"watch_id": str(watch.watch_id)}
            audit.record(tx, principal.actor, "webhook_watched", f"webhook:{owner_id}", detail=detail)
        return _view(watch, fresh=True)

    def stop(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        """End the watch that this request made, if it stands."""
        watch = watches.by_key(tx, _key(request, _owner(request, principal)))
        if watch is not None:
            watch.enabled = False
            tx.session.add(watch)

    def _check(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        if not request.refs or not request.events:
            raise InvalidRequest("a watch needs something to watch and at least one event")
        target = TargetKind(request.target["kind"])
        if target is TargetKind.PERSON and request.target["person_id"] != str(principal.person_id):
            raise InvalidRequest("a watch tells its own owner; only a steward sets another person")
        if request.cadence != "immediate":
            raise InvalidRequest(f"the cadence {request.cadence!r} needs the brief, which is not there yet: immediate")
        if request.scope_type is ScopeType.CLARIFICATION and target in _PEOPLE:
            raise InvalidRequest("people hear of a clarification by the card that asks them, and not by a watch")
        reader = _told(tx, request, principal) if target is TargetKind.WEBHOOK else principal
        if request.scope_type is not ScopeType.LABEL and not _readable(tx, request, reader):
            raise NotFound

    def _check_limit(self, tx: WriteTx, request: WatchRequest, principal: Principal) -> None:
        counted = [watch for watch in watches.of_owner(tx, _owner(request, principal)) if _counts(watch)]
        if request.target["kind"] != TargetKind.INTERNAL and len(counted) >= self._config.max_watches_per_person:
            raise LimitReached(f"you have {len(counted)} watches, the most there may be: stop one first")

    def _new(self, tx: WriteTx, request: WatchRequest, owner_id: UUID, key: str) -> Watch:
        config = self._config
        asked = config.debounce_default_secs if request.debounce_secs is None else request.debounce_secs
        internal = request.target["kind"] == TargetKind.INTERNAL
        return Watch(
            tenant_id=tx.tenant_id,
            watch_id=derived("watch", tx.tenant_id, key),
            owner_id=owner_id,
            name=request.name,
            scope_type=request.scope_type,
            scope_refs=list(request.refs),
            events=list(request.events),
            target=dict(request.target),
            cadence=request.cadence,
            debounce_secs=0 if internal else max(asked, config.debounce_floor_secs),
            dedup_key=key,
            created_tx=tx.tx,
            created_at=tx.now,
        )

    def owned(self, tx: ReadTx, principal: Principal) -> list[WatchView]:
        """The person's standing watches, without the internal ones."""
        return [_view(watch) for watch in watches.of_owner(tx, principal.person_id) if _shown(watch)]

    def mute(self, tx: WriteTx, watch_id: UUID, principal: Principal, until: int | None) -> WatchView:
        """Hold a watch's cards until a Ts, or stop it for good (None). Raises NotFound for another's watch."""
        watch = watches.get(tx, watch_id)
        if watch is None or watch.owner_id != principal.person_id:
            raise NotFound
        if until is None:
            watch.enabled = False
        else:
            watch.muted_until = until
        tx.session.add(watch)
        return _view(watch)

    def fires(self, tx: ReadTx, watch_id: UUID, principal: Principal, limit: int) -> list[UUID]:
        """Newest first. Raises NotFound for another's watch."""
        watch = watches.get(tx, watch_id)
        if watch is None or watch.owner_id != principal.person_id:
            raise NotFound
        return [fire.fire_id for fire in watches.fires_of(tx, watch_id, limit)]

    def explain(self, tx: ReadTx, fire_id: UUID, principal: Principal) -> FireView:
        """Raises NotFound, alike for a fire of another's watch and for none."""
        fire, watch = watches.fires(tx, [fire_id]).get(fire_id, (None, None))
        if fire is None or watch is None or watch.owner_id != principal.person_id:
            raise NotFound
        return FireView(
            fire_id,
            watch.watch_id,
            watch.name,
            ScopeType(watch.scope_type),
            tuple(watch.scope_refs),
            tuple(map(Event.from_json, fire.events)),
            fire.truncated,
            (fire.window_start, fire.window_end),
            fire.status,
            fire.reason,
            tuple(Outcome(row.person_id, row.state, row.reason) for row in messages.deliveries_for(tx, fire_id)),
        )

    # ── fires outside the feed ──

    def emit(self, tx: WriteTx, kind: EventKind, answer_id: UUID) -> int:
        """The internal seam: fire every watch on an answer, in the transaction that moved it."""
        event = Event(kind, "answer", answer_id, tx.tx)
        heard = [watch for _, watch in watches.matching(tx, ScopeType.ANSWER, [str(answer_id)]) if kind in watch.events]
        for watch in heard:
            self._fire(tx, watch, [event], (tx.tx, tx.tx))
        return len(heard)

    # ── the sweep ──

    def sweep(self, tenant_id: str) -> Swept:
        if not self._due(tenant_id):
            return Swept()
        with self._database.write(tenant_id) as tx:
            watermark, moment = tx.last_tx, tx.present(tx.now)
            passed_tx = boundaries.pass_due(tx, moment)
            checkpoint = watches.checkpoint(tx)
            if checkpoint is None:
                return self._start(tx, watermark, moment)
            rows = watches.feed_after(tx, checkpoint.tx, watermark, self._config.max_rows_per_tick)
            backlog = len(rows) >= self._config.max_rows_per_tick
            until = (
                max(moment, checkpoint.swept_at),
                rows[-1].tx if backlog else max(watermark, checkpoint.tx),
            )
            # Once swept_at is past a boundary nothing tells the two sides apart, so a backlog must not hold it up.
            passed = watches.feed_at(tx, passed_tx) if passed_tx is not None else ()
            heard = self._heard(tx, [*rows, *passed], (checkpoint.swept_at, checkpoint.tx), until)
            fired = self._fire_due(tx, self._waiting(tx, heard))
            checkpoint.swept_at, checkpoint.tx = until
            tx.session.add(checkpoint)
            watches.prune_fires(tx, fired, self._config.fire_keep_per_watch)
            return Swept(len(rows), len(fired), backlog=backlog)

    def _due(self, tenant_id: str) -> bool:
        with self._database.read(tenant_id) as tx:
            checkpoint = tx.session.get(SweepCheckpoint, tenant_id)
            return checkpoint is None or watches.has_work(tx, checkpoint.tx, self._database.clock.now())

    def _start(self, tx: WriteTx, watermark: int, moment: int) -> Swept:
        if tx.session.get(SweepCheckpoint, tx.tenant_id) is None:
            jobs.insert_once(tx, SweepCheckpoint, {"tenant_id": tx.tenant_id, "tx": watermark, "swept_at": moment})
        return Swept()

    def _heard(
        self, tx: WriteTx, rows: Sequence[Feed], since: tuple[int, int], until: tuple[int, int]
    ) -> dict[UUID, tuple[Watch, list[Event]]]:
        """What each watch heard in a window of the feed, between two coordinates (valid, tx).

        Only what somebody watches is judged: of a long document that is new most is nobody's.
        """
        changed = by_scope(reduced((row.ref_type, row.ref_id, row.label or row.change, row.tx) for row in rows))
        watched = [
            (watch, by_ref[ref])
            for scope_type, by_ref in changed.items()
            for ref, watch in watches.matching(tx, scope_type, list(by_ref))
        ]
        events = _events(tx, list(dict.fromkeys(entry for _, entries in watched for entry in entries)), since, until)
        heard: dict[UUID, tuple[Watch, list[Event]]] = {}
        for watch, entries in watched:
            judged = [events[entry] for entry in entries if entry in events]
            wanted = [event for event in judged if event.kind in watch.events and event.change_tx > watch.created_tx]
            if wanted:
                heard.setdefault(watch.watch_id, (watch, []))[1].extend(wanted)
        return heard

    def _waiting(
        self, tx: WriteTx, heard: dict[UUID, tuple[Watch, list[Event]]]
    ) -> dict[UUID, tuple[Watch, list[Event]]]:
        """Put aside what must wait for a debounce; add what has waited long enough. What is left fires now."""
        ready = watches.due_pending(tx, tx.now)
        firing: dict[UUID, tuple[Watch, list[Event]]] = {}
        for watch_id, (watch, events) in heard.items():
            due_at = watch.last_fired_at + watch.debounce_secs * SECOND
            if watch.last_fired_at and due_at > tx.now:
                _put_aside(tx, watch, events, due_at)
            else:
                firing[watch_id] = (watch, events)
        for watch_id, rows in ready.items():
            waited = watches.get(tx, watch_id)
            if waited is not None and waited.enabled and waited.suspended is None:
                waiting = [row for row in rows if row.change_tx > waited.created_tx]  # stopped since, and made again
                past = [Event(EventKind(row.kind), row.ref_type, row.ref_id, row.change_tx) for row in waiting]
                firing[watch_id] = (waited, past + firing.get(watch_id, (waited, []))[1])
        watches.clear_pending(tx, ready)
        return firing

    def _fire_due(self, tx: WriteTx, firing: dict[UUID, tuple[Watch, list[Event]]]) -> list[UUID]:
        due = {watch_id: found for watch_id, found in firing.items() if found[1]}
        for watch, events in due.values():
            window = (min(e.change_tx for e in events), max(e.change_tx for e in events))
            self._fire(tx, watch, events, window)
        return list(due)

    def _fire(self, tx: WriteTx, watch: Watch, events: Sequence[Event], window: tuple[int, int]) -> None:
        kept, dropped = newest(events, self._config.max_events_per_fire)
        fire_id = watch_derived("fire", watch.watch_id, *window)
        job_id = self._enqueue(tx, watch, fire_id, window)
        row = {
            "tenant_id": tx.tenant_id,
            "fire_id": fire_id,
            "watch_id": watch.watch_id,
            "fire_tx": window[1],
            "window_start": window[0],
            "window_end": window[1],
            "events": [event.to_json() for event in kept],
            "truncated": dropped,
            "target_kind": watch.target["kind"],
            "job_id": job_id,
            "status": "delivered" if watch.target["kind"] == TargetKind.INTERNAL else "fired",
            "created_at": tx.now,
        }
        jobs.insert_once(tx, WatchFire, row)
        watch.last_fired_at = tx.now
        tx.session.add(watch)

    def _enqueue(self, tx: WriteTx, watch: Watch, fire_id: UUID, window: tuple[int, int]) -> UUID:
        """The job that a fire causes: at once for the engine's own, after settling for people."""
        job_id = watch_derived("job", watch.watch_id, *window)
        if watch.target["kind"] == TargetKind.INTERNAL:
            kind = JobKind(watch.target["job_kind"])
            jobs.put(tx, job_id, kind, FENCE[kind], {"answer_id": watch.target["answer_id"]}, tx.now)
            return job_id
        to_program = watch.target["kind"] == TargetKind.WEBHOOK  # it is told that things moved, not how they read now
        kind = JobKind.NOTIFY_WEBHOOK if to_program else JobKind.NOTIFY_WATCH
        settled = tx.now if to_program else tx.now + self._config.settle_secs * SECOND
        jobs.put(tx, job_id, kind, FENCE[kind], {"fire_id": str(fire_id)}, settled)
        return job_id


def _events(
    tx: ReadTx, changed: Sequence[Changed], before: tuple[int, int], after: tuple[int, int]
) -> dict[Changed, Event]:
    """Judge each thing between two coordinates (valid, tx)."""
    node_of = {entry: document_id(entry.ref_id) if entry.ref_type == SOURCE else entry.ref_id for entry in changed}
    wanted = [node_id for entry, node_id in node_of.items() if entry.ref_type in {NODE, SOURCE}]
    old, new = NODES.as_of(tx, wanted, *before), NODES.as_of(tx, wanted, *after)
    judged = ((entry, classify(entry, old.get(node_id), new.get(node_id))) for entry, node_id in node_of.items())
    return {entry: event for entry, event in judged if event is not None}


def _put_aside(tx: WriteTx, watch: Watch, events: Iterable[Event], due_at: int) -> None:
    for event in events:
        row = {
            "tenant_id": tx.tenant_id,
            "watch_id": watch.watch_id,
            "change_tx": event.change_tx,
            "ref_id": event.ref_id,
            "kind": event.kind,
            "ref_type": event.ref_type,
            "due_at": due_at,
        }
        jobs.insert_once(tx, WatchPending, row)


def _owner(request: WatchRequest, principal: Principal) -> UUID:
    """Whose watch it is: the webhook's that it tells, whichever admin asked for it, or the person's."""
    target = request.target
    return UUID(target["webhook_id"]) if target["kind"] == TargetKind.WEBHOOK else principal.person_id


def _told(tx: WriteTx, request: WatchRequest, principal: Principal) -> Principal:
    """Whom a webhook reads as, and so whose rights its watches are under. Raises InvalidRequest."""
    if ADMIN not in principal.roles:
        raise InvalidRequest("only an admin lets a webhook be told")
    if request.scope_type not in _FOR_WEBHOOKS:
        raise InvalidRequest(f"a webhook is told of {', '.join(sorted(_FOR_WEBHOOKS))}, and of no {request.scope_type}")
    try:
        row = webhooks.get(tx, UUID(str(request.target.get("webhook_id"))))
    except ValueError:
        row = None
    if row is None or not row.enabled:
        raise InvalidRequest("a watch tells a webhook that is registered and not switched off: see `webhook list`")
    return webhooks.reader(row)


def _key(request: WatchRequest, owner_id: UUID) -> str:
    return json_hash([str(owner_id), request.scope_type, sorted(request.refs), sorted(request.events), request.target])


def _readable(tx: WriteTx, request: WatchRequest, principal: Principal) -> bool:
    if request.target["kind"] == TargetKind.INTERNAL or request.scope_type is ScopeType.ANSWER:
        return True  # made by the answers engine for the answer's own owner, in the transaction that saves it
    readable = sources.readable(tx, principal)
    ids = [UUID(ref) for ref in request.refs]
    if request.scope_type is ScopeType.SOURCE:
        return readable.issuperset(ids)
    nodes: dict[UUID, Node] = NODES.as_of(tx, ids, tx.present(tx.now), tx.last_tx)
    return len(nodes) == len(ids) and all(_stands(node, readable) for node in nodes.values())


def _stands(node: Node, readable: Collection[UUID]) -> bool:
    return not node.tombstone and node.source_id in readable


def _shown(watch: Watch) -> bool:
    return bool(watch.target["kind"] != TargetKind.INTERNAL)


def _counts(watch: Watch) -> bool:
    """Watches on saved answers come with them, outside the limit."""
    return _shown(watch) and watch.scope_type != ScopeType.ANSWER


def _view(watch: Watch, *, fresh: bool = False) -> WatchView:
    return WatchView(
        watch.watch_id,
        watch.name,
        ScopeType(watch.scope_type),
        tuple(watch.scope_refs),
        watch.cadence,
        watch.muted_until,
        watch.suspended,
        watch.created_at,
        fresh,
    )
