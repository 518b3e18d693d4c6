"""What watches told, and to whom."""

from uuid import UUID

from bot.http.v1.paging import PageAsked, page, part
from bot.http.v1.route import Call, Reply
from bot.http.v1.shapes import Told, TsInterval
from bot.http.v1.watches import require_watcher
from core.model.watching import EventKind, FireView, TargetKind


class EventTold(Told):
    """What was heard: ids and kinds alone."""

    kind: EventKind
    changed_ref_type: str
    changed_ref_id: UUID
    change_tx: int


class Recipient(Told):
    """What became of it for one person."""

    person_id: UUID
    state: str
    reason: str | None


class FireTold(Told):
    """Why somebody was notified. `truncated`: older events are left out, `leftOut` of them."""

    fire_id: UUID
    watch_id: UUID
    fire_tx: int
    created_at: int
    delivery_target_kind: TargetKind
    delivery_job_id: UUID | None
    window: TsInterval
    events: list[EventTold]
    truncated: bool
    left_out: int
    status: str
    reason: str | None
    recipients: list[Recipient]


class FiresTold(Told):
    """Newest first."""

    fires: list[FireTold]
    next_cursor: str | None


def list_fires(call: Call[None, PageAsked]) -> Reply:
    """What a watch told, newest first, and what became of it for each recipient."""
    require_watcher(call.principal)
    of = f"fires of {call.at.lower()}"
    found = call.memory.watched.fires(call.id, call.principal, part(of, call.query, int, UUID))
    shown, after = page(of, found, lambda one: (one.fire_tx, one.fire_id), call.query)
    return Reply(FiresTold(fires=[_fire(one) for one in shown], next_cursor=after))


def _fire(fire: FireView) -> FireTold:
    start, end = fire.window
    return FireTold(
        fire_id=fire.fire_id,
        watch_id=fire.watch_id,
        fire_tx=fire.fire_tx,
        created_at=fire.created_at,
        delivery_target_kind=fire.target_kind,
        delivery_job_id=fire.job_id,
        window=TsInterval(start=start, end=end),
        events=[
            EventTold(kind=one.kind, changed_ref_type=one.ref_type, changed_ref_id=one.ref_id, change_tx=one.change_tx)
            for one in fire.events
        ],
        truncated=fire.truncated > 0,
        left_out=fire.truncated,
        status=fire.status,
        reason=fire.reason,
        recipients=[Recipient(person_id=one.person_id, state=one.state, reason=one.reason) for one in fire.recipients],
    )
