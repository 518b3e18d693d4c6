"""What watches told, and to whom."""

from uuid import UUID

from bot.http.v1.paging import PageAsked, page_of_ids
from bot.http.v1.route import Call, Reply
from bot.http.v1.shapes import Told, TsInterval
from core.model.watching import EventKind, FireView

_MOST_FIRES = 100_000
"""More than any watch keeps."""


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
    """Why somebody was notified. `truncated`: how many older events are left out."""

    fire_id: UUID
    window: TsInterval
    events: list[EventTold]
    truncated: int
    status: str
    reason: str | None
    recipients: list[Recipient]


class FiresTold(Told):
    """Newest first."""

    fires: list[FireTold]
    next_cursor: str | None


def list_fires(call: Call[None, PageAsked]) -> Reply:
    """What a watch told, newest first, and what became of it for each recipient."""
    ids = call.memory.fires(call.id, call.principal, _MOST_FIRES)
    shown, after = page_of_ids(f"fires of {call.at.lower()}", ids, call.query)
    fires = [_fire(call.memory.explain_fire(fire_id, call.principal)) for fire_id in shown]
    return Reply(FiresTold(fires=fires, next_cursor=after))


def _fire(fire: FireView) -> FireTold:
    start, end = fire.window
    return FireTold(
        fire_id=fire.fire_id,
        window=TsInterval(start=start, end=end),
        events=[
            EventTold(kind=one.kind, changed_ref_type=one.ref_type, changed_ref_id=one.ref_id, change_tx=one.change_tx)
            for one in fire.events
        ],
        truncated=fire.truncated,
        status=fire.status,
        reason=fire.reason,
        recipients=[Recipient(person_id=one.person_id, state=one.state, reason=one.reason) for one in fire.recipients],
    )
