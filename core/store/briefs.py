"""How far each person's briefs have told, and what there is to tell since."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ColumnElement, exists, or_, update
from sqlmodel import col, select

from core.clock import FOREVER
from core.model.card_states import CardState
from core.model.watching import Cadence
from core.store import messages
from core.store.database import ReadTx, WriteTx
from core.store.tables import Brief, CardMessage, NotifyDelivery, Watch, WatchFire

OFF = FOREVER
"""The next look of a brief that its person has switched off."""
UNDONE = "no_net_change"


_BEGINS = {Cadence.WEEKLY: "brief:", Cadence.DAILY: "brief-daily:", Cadence.HOURLY: "brief-hourly:"}
"""How the subjects of their cards begin, the longest period first."""


def enrol(tx: WriteTx, person_ids: Collection[UUID], since: int, cadence: Cadence) -> None:
    """Let people who have something to hear at a pace have its brief, and a week's; their first begins at a tx."""
    row = {"tenant_id": tx.tenant_id, "cursor_tx": since, "slot": "", "sent_at": 0, "next_due_at": 0}
    periods = {Cadence.WEEKLY, cadence} - {Cadence.IMMEDIATE}
    theirs = ({"person_id": person_id, "period": period} for person_id in person_ids for period in sorted(periods))
    tx.insert(Brief, (row | one for one in theirs), unless_there=True)


def get(tx: ReadTx, person_id: UUID, period: Cadence) -> Brief | None:
    return tx.session.get(Brief, (tx.tenant_id, person_id, period))


def locked(tx: WriteTx, person_id: UUID, period: Cadence) -> Brief | None:
    return tx.session.get(Brief, (tx.tenant_id, person_id, period), with_for_update=True)


def due(tx: ReadTx, now: int, limit: int) -> list[tuple[UUID, Cadence]]:
    """Whose brief of which period is to be looked at."""
    rows = select(Brief.person_id, Brief.period).where(Brief.tenant_id == tx.tenant_id, Brief.next_due_at <= now)
    found = tx.session.exec(rows.order_by(col(Brief.next_due_at)).limit(limit))
    return [(person_id, Cadence(period)) for person_id, period in found]


def look_again(tx: WriteTx, person_id: UUID) -> None:
    """Look at a person's briefs soon: their day, hour or zone is another. One that was off begins anew."""
    rows = select(Brief).where(Brief.tenant_id == tx.tenant_id, Brief.person_id == person_id)
    for row in tx.session.exec(rows.order_by(col(Brief.period)).with_for_update()).all():
        if row.next_due_at == OFF:
            row.cursor_tx, row.slot = tx.tx, ""
        row.next_due_at = 0
        tx.session.add(row)


def put_off(tx: WriteTx, person_id: UUID, period: Cadence, until: int) -> None:
    """Let a brief that is to be looked at wait until a Ts."""
    this = (col(Brief.tenant_id) == tx.tenant_id, col(Brief.person_id) == person_id, col(Brief.period) == period)
    tx.session.exec(update(Brief).where(*this, col(Brief.next_due_at) <= tx.now).values(next_due_at=until))


def subject(period: Cadence, slot: str, before: int) -> str:
    """What a card of a slot's brief is about, where so many of it could not arrive before."""
    return f"{_BEGINS[period]}{slot}:{before + 1}" if before else f"{_BEGINS[period]}{slot}"


def period_of(about: str) -> Cadence:
    """Of which period the brief is that a card is about."""
    return next(period for period, begins in _BEGINS.items() if about.startswith(begins))


def cards(tx: ReadTx, person_id: UUID, period: Cadence, slot: str) -> list[CardMessage]:
    """The cards of a slot's brief, oldest first: a second one only where the first was refused.

    Not locked, since whoever takes a card locks it before the row of its brief.
    """
    first = subject(period, slot, 0)
    about = or_(col(CardMessage.subject) == first, col(CardMessage.subject).startswith(f"{first}:"))
    rows = select(CardMessage).where(CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id, about)
    return list(tx.session.exec(rows.order_by(col(CardMessage.created_at))).all())


def on_its_way(tx: ReadTx, person_id: UUID, period: Cadence) -> bool:
    """Whether a period's brief is yet to arrive: the next would say the same, for it is composed when it is sent."""
    return messages.in_flight(tx, person_id, _BEGINS[period])


def is_being_sent(tx: ReadTx, person_id: UUID) -> bool:
    """Whether a brief of any period is in somebody's hand: what it will have shown is not known to be shown yet."""
    rows = select(CardMessage.message_id).where(
        CardMessage.tenant_id == tx.tenant_id,
        CardMessage.person_id == person_id,
        col(CardMessage.state) == CardState.SENDING,
        col(CardMessage.subject).startswith(messages.BRIEF),
    )
    return tx.session.exec(rows.limit(1)).first() is not None


def comes_after_another(tx: ReadTx, person_id: UUID, period: Cadence) -> bool:
    """Whether a brief of news is to wait for what another card on its way will have shown: of a longer period, or of
    changes as they come. A week's waits for none: it lists what the others have told.
    """
    longer = list(_BEGINS.values())[: list(_BEGINS).index(period)]
    return any(messages.in_flight(tx, person_id, about) for about in (*longer, messages.FIRES) if longer)


def has_news(tx: WriteTx, person_id: UUID, period: Cadence) -> bool:
    """Whether anything waits for a period's brief."""
    rows = select(NotifyDelivery.fire_id).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.person_id == person_id,
        NotifyDelivery.state == "pending",
        NotifyDelivery.not_before <= tx.now,
        NotifyDelivery.cadence == period,
        col(NotifyDelivery.message_id).is_(None),
    )
    return tx.session.exec(rows.limit(1)).first() is not None


def untold(tx: ReadTx, person_id: UUID, now: int) -> list[UUID]:
    """The fires that a weekly brief would tell though an earlier one has passed them by: no card could carry them."""
    rows = select(NotifyDelivery.fire_id).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.person_id == person_id,
        col(NotifyDelivery.state).in_(("pending", "carried")),
        NotifyDelivery.not_before <= now,
        or_(col(NotifyDelivery.state) == "carried", col(NotifyDelivery.cadence) == Cadence.WEEKLY),
    )
    return list(tx.session.exec(rows).all())


def recall(tx: WriteTx, person_id: UUID) -> None:
    """Let what waits for a weekly brief that is off have a card of its own."""
    row = get(tx, person_id, Cadence.WEEKLY)
    if row is not None and row.next_due_at == OFF:
        weekly = (col(NotifyDelivery.state) == "pending", col(NotifyDelivery.cadence) == Cadence.WEEKLY)
        theirs = (col(NotifyDelivery.tenant_id) == tx.tenant_id, col(NotifyDelivery.person_id) == person_id)
        free = col(NotifyDelivery.message_id).is_(None)
        tx.session.exec(update(NotifyDelivery).where(*theirs, *weekly, free).values(cadence=Cadence.IMMEDIATE))


@dataclass(frozen=True, slots=True)
class Heard:
    """A fire that was spread to a person. `undone`: by the time to tell it, nothing was different."""

    fire: WatchFire
    watch: Watch
    undone: bool


def heard(tx: ReadTx, person_id: UUID, after: int, upto: int, now: int) -> dict[UUID, Heard]:
    """Fires that were spread to a person between two tx, but for those of watches that are stopped or muted.

    A delivery is written under the tenant's tx clock, so that none up to `upto` can come later.
    """
    rows = (
        select(WatchFire, Watch, NotifyDelivery.reason)
        .join(
            NotifyDelivery,
            (col(NotifyDelivery.tenant_id) == WatchFire.tenant_id) & (col(NotifyDelivery.fire_id) == WatchFire.fire_id),
        )
        .join(Watch, (col(Watch.tenant_id) == WatchFire.tenant_id) & (col(Watch.watch_id) == WatchFire.watch_id))
        .where(
            NotifyDelivery.tenant_id == tx.tenant_id,
            NotifyDelivery.person_id == person_id,
            NotifyDelivery.created_at > after,
            NotifyDelivery.created_at <= upto,
            col(Watch.enabled),
            Watch.muted_until <= now,
        )
    )
    return {fire.fire_id: Heard(fire, watch, reason == UNDONE) for fire, watch, reason in tx.session.exec(rows)}


def is_to_tell() -> ColumnElement[bool]:
    """Of a delivery: its person's weekly brief has not told of it yet. For another brief it waits, and is pending."""
    return exists().where(
        col(Brief.tenant_id) == NotifyDelivery.tenant_id,
        col(Brief.person_id) == NotifyDelivery.person_id,
        col(Brief.period) == Cadence.WEEKLY,
        col(Brief.cursor_tx) < NotifyDelivery.created_at,
        col(Brief.next_due_at) != OFF,
    )


def told(tx: WriteTx, person_id: UUID, period: Cadence, upto: int) -> None:
    """A brief that told up to a tx has arrived."""
    row = locked(tx, person_id, period)
    if row is not None:
        row.cursor_tx, row.sent_at = max(row.cursor_tx, upto), tx.now
        tx.session.add(row)
