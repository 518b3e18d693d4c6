"""The sweep that goes from the feed to fires, once.

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
from core.ids import watch_derived
from core.jobs.kinds import FENCE, JobKind
from core.model.node_ids import document_id
from core.model.ports import Results
from core.model.watching import Event, EventKind, ScopeType, TargetKind
from core.store import boundaries, jobs, rights, watches
from core.store.database import Database, ReadTx, WriteTx
from core.store.tables import Feed, SweepCheckpoint, Watch, WatchFire, WatchPending
from core.store.versions import NODES
from core.watch.config import WatchConfig
from core.watch.match import NODE, SOURCE, Changed, by_scope, classify, newest, reduced


@dataclass(frozen=True, slots=True)
class Swept:
    """What one sweep did; `backlog` when feed rows remain."""

    rows: int = 0
    fires: int = 0
    backlog: bool = False


class SweepEngine:
    def __init__(self, database: Database, config: WatchConfig, results: Results) -> None:
        self._database = database
        self._results = results
        self._config = config

    # ── fires outside the feed ──

    def emit(self, tx: WriteTx, kind: EventKind, answer_id: UUID) -> int:
        """The internal seam: fire every watch on an answer, in the transaction that moved it."""
        event = Event(kind, "answer", answer_id, tx.tx)
        heard = [watch for _, watch in _listening(tx, ScopeType.ANSWER, [str(answer_id)]) if kind in watch.events]
        for watch in heard:
            self._fire(tx, watch, [event], (tx.tx, tx.tx))
        return len(heard)

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
        changed = reduced((row.ref_type, row.ref_id, row.label or row.change, row.tx) for row in rows)
        watched = [
            (watch, entry)
            for scope_type, by_ref in by_scope(changed).items()
            for ref, watch in _listening(tx, scope_type, list(by_ref))
            for entry in by_ref[ref]
        ]
        to_judge: dict[tuple[int, int], dict[Changed, None]] = {}
        for watch, entry in watched:
            to_judge.setdefault(_beginning(watch, since), {})[entry] = None
        events = {begin: _events(tx, list(entries), begin, until) for begin, entries in to_judge.items()}
        heard: dict[UUID, tuple[Watch, list[Event]]] = {}
        for watch, entry in watched:
            event = events[_beginning(watch, since)].get(entry)
            if event and event.kind in watch.events and event.change_tx > watch.created_tx:
                heard.setdefault(watch.watch_id, (watch, []))[1].append(event)
        return heard | self._results.heard(tx, changed, since, until)

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
            if waited is not None and waited.enabled:  # heard before it came to rest, if it does: told on return
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


def _listening(tx: WriteTx, scope_type: ScopeType, refs: Collection[str]) -> list[tuple[str, Watch]]:
    """(scope ref, watch) for every watch that hears of one of `refs`.

    One that rests since its owner could not read what it is on goes on here, if by now they can.
    """
    found = watches.matching(tx, scope_type, refs)
    closed = rights.heed(tx, (watch for _, watch in found if watch.suspended))
    return [(ref, watch) for ref, watch in found if watch.watch_id not in closed]


def _beginning(watch: Watch, since: tuple[int, int]) -> tuple[int, int]:
    """From where a watch judges a window: one that was made within it knows things as they stood then."""
    return since if watch.created_tx <= since[1] else (watch.created_tx, watch.created_tx)


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
