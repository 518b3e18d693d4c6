"""What may be told to one person now, of what waits for them; of the rest, why not, or until when it waits."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from core.clock import FOREVER
from core.model.watching import Suspension, TargetKind
from core.store import messages, rights, watches
from core.store.database import ReadTx, WriteTx
from core.store.deliveries import UNREACHABLE, in_vain
from core.store.tables import CardMessage, NotifyDelivery, Watch

IN_VAIN = 3
"""So many things in a row that a watch could not tell the one person it is for, and it rests."""


def skip(tx: WriteTx, deliveries: Sequence[NotifyDelivery], reason: str) -> None:
    for delivery in deliveries:
        delivery.state, delivery.reason = "skipped", reason
        tx.session.add(delivery)
    for fire, _ in watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values():
        if fire.status == "fired":
            fire.status, fire.reason = "skipped", reason
            tx.session.add(fire)


def undelivered(tx: WriteTx, deliveries: Sequence[NotifyDelivery]) -> None:
    """Nobody can write to the one person these are for; a watch for them alone that met this so often rests."""
    skip(tx, deliveries, UNREACHABLE)
    tx.session.flush()
    found = watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values()
    alone = {watch.watch_id: watch for _, watch in found if watch.target["kind"] == TargetKind.PERSON}
    for watch_id in sorted(alone):  # in the order in which `rights.heed` locks them
        if in_vain(tx, watch_id, deliveries[0].person_id, IN_VAIN):
            watches.suspend(tx, alone[watch_id], Suspension.UNREACHABLE)


def to_tell(tx: WriteTx, deliveries: Sequence[NotifyDelivery], held: int) -> list[NotifyDelivery]:
    """What may be told one person now, first what fired first; what they or its owner stopped is skipped, what is
    muted or held waits.

    Of a watch whose owner may not read what it is on nobody is told, and it rests.
    """
    fires = watches.fires(tx, [delivery.fire_id for delivery in deliveries])
    of = {fire_id: watch for fire_id, (_, watch) in fires.items()}
    order = list(fires)
    own = _muted(tx, deliveries, of.values())
    ready: list[NotifyDelivery] = []
    stopped: list[NotifyDelivery] = []
    for delivery in deliveries:
        watch = of.get(delivery.fire_id)
        until = max(held, watch.muted_until, own.get(watch.watch_id, 0)) if watch and watch.enabled else FOREVER
        if until == FOREVER:
            stopped.append(delivery)
        elif until > tx.now:
            delivery.not_before, delivery.message_id = until, None
            tx.session.add(delivery)
        else:
            ready.append(delivery)
    skip(tx, stopped, "suppressed")
    closed = rights.heed(tx, (of[delivery.fire_id] for delivery in ready))
    lost = [delivery for delivery in ready if of[delivery.fire_id].watch_id in closed]
    skip(tx, lost, "not_authorised")
    told = [delivery for delivery in ready if delivery not in lost]
    return sorted(told, key=lambda delivery: order.index(delivery.fire_id))


def none_stopped(tx: ReadTx, message: CardMessage, now: int) -> bool:
    """Whether every watch of which a card tells is to be told of still."""
    deliveries = messages.deliveries_of(tx, message.message_id)
    found = [watch for _, watch in watches.fires(tx, [delivery.fire_id for delivery in deliveries]).values()]
    own = _muted(tx, deliveries, found)
    return all(watch.enabled and max(watch.muted_until, own.get(watch.watch_id, 0)) <= now for watch in found)


def _muted(tx: ReadTx, deliveries: Sequence[NotifyDelivery], found: Iterable[Watch]) -> dict[UUID, int]:
    """Until when their one recipient wants to hear nothing of these watches."""
    ids = {watch.watch_id for watch in found}
    return watches.muted_by(tx, deliveries[0].person_id, ids) if ids else {}
