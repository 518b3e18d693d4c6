"""Cards that are sent, deliveries that wait to share one, grants, and what each person was last shown."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, or_, update
from sqlmodel import col, select

from core.errors import NotFound
from core.ids import derived, nonce
from core.model.card_states import CardEvent, CardState, step
from core.model.erased import ERASED
from core.model.grants import Grant, fingerprint, grant_to_json
from core.model.notices import Outgoing
from core.model.watching import Cadence
from core.model.work import Lane, Offer, Place, Waiting
from core.store import sources, workspaces
from core.store.database import ReadTx, WriteTx, batches
from core.store.jobs import insert_once
from core.store.tables import CardGrant, CardMessage, LastShown, NotifyDelivery, Person

FIRES, BRIEF, ASKS, RESTS = "fires:", "brief", "clarification:", "rests:"
"""How the subjects of cards begin that tell of changes as they come, that are briefs, that ask a question, and that
tell of watches that rest."""
_TO_SEND = (CardState.PENDING, CardState.FAILED)
_ON_ITS_WAY = (*_TO_SEND, CardState.SENDING, CardState.UNKNOWN)
_UNTOLD = ("pending", "carried")


def get(tx: ReadTx, message_id: UUID) -> CardMessage | None:
    return tx.session.get(CardMessage, (tx.tenant_id, message_id))


def locked(tx: WriteTx, message_id: UUID) -> CardMessage | None:
    return tx.session.get(CardMessage, (tx.tenant_id, message_id), with_for_update=True)


def new(
    tx: WriteTx, person_id: UUID, place: Place, subject: str, kind: str, source_ids: Iterable[UUID] = ()
) -> CardMessage:
    """A card message to be filled and sent. Raises NotFound for who was erased, be it while this was made."""
    person = tx.session.get(Person, (tx.tenant_id, person_id))
    if person is not None and person.display_name == ERASED:
        raise NotFound("this person was erased: nothing is kept of where they are")
    message = CardMessage(
        tenant_id=tx.tenant_id,
        message_id=derived("message", tx.tenant_id, person_id, subject),
        person_id=person_id,
        subject=subject,
        kind=kind,
        platform=place.platform,
        workspace=place.workspace,
        place=asdict(place),
        nonce=nonce(),
        fingerprint="",
        card={},
        source_ids=[str(source_id) for source_id in source_ids],
        shown=[],
        state=CardState.PENDING,
        created_at=tx.now,
        not_before=tx.now,
    )
    tx.session.add(message)
    tx.session.flush()
    return message


def move(message: CardMessage, place: Place) -> None:
    """Let a message that is not sent yet go to `place`."""
    message.platform, message.workspace, message.place = place.platform, place.workspace, asdict(place)


def fill(tx: WriteTx, message: CardMessage, card: dict[str, Any], offer: Offer) -> None:
    """Let a message say `card`, and permit what it offers; nothing at all where that was erased meanwhile."""
    if _is_erased(tx, message):
        message.card, message.fingerprint = {}, ""
        return
    grant = Grant(tx.tenant_id, message.person_id, offer.actions, offer.generation_id, str(message.message_id))
    message.card, message.fingerprint = card, fingerprint(grant)
    add_grant(tx, message.fingerprint, grant_to_json(grant))
    tx.session.add(message)


def _is_erased(tx: WriteTx, message: CardMessage) -> bool:
    person = tx.session.get(Person, (tx.tenant_id, message.person_id))
    gone = person is not None and not person.active
    quoted = sources.by_ids(tx, set(map(UUID, message.source_ids)))
    return gone or any(source.erased_tx for source in quoted.values())


def outgoing(message: CardMessage) -> Outgoing:
    return Outgoing(
        tenant_id=message.tenant_id,
        message_id=message.message_id,
        person_id=message.person_id,
        kind=message.kind,
        place=Place(**message.place),
        message_ref=message.message_ref,
        nonce=message.nonce,
        card=message.card,
        fence=message.fence,
        revision=message.revision,
        lease_until=message.lease_until,
        created_at=message.created_at,
    )


def by_subject(tx: WriteTx, person_id: UUID, subject: str) -> CardMessage | None:
    """Locked, since whoever is taking it to be sent right now decides whether what it says next is an update."""
    rows = select(CardMessage).where(
        CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id, CardMessage.subject == subject
    )
    return tx.session.exec(rows.with_for_update()).one_or_none()


def by_nonce(tx: ReadTx, value: str) -> CardMessage | None:
    """Looks over all tenants: an event finds its tenant by it."""
    return tx.session.exec(select(CardMessage).where(CardMessage.nonce == value)).one_or_none()


def to_send(now: int) -> ColumnElement[bool]:
    """Of a card: it waits to be sent, and its time has come."""
    return and_(col(CardMessage.state).in_(_TO_SEND), col(CardMessage.not_before) <= now)


def in_doubt(now: int) -> ColumnElement[bool]:
    """Of a card: in flight past its lease, or known to be unknown and due for a look."""
    return or_(
        and_(col(CardMessage.state) == CardState.SENDING, col(CardMessage.lease_until) <= now),
        and_(col(CardMessage.state) == CardState.UNKNOWN, col(CardMessage.not_before) <= now),
    )


def behind(now: int) -> ColumnElement[bool]:
    """Of a card: it stands, and the platform's copy does not say yet what it says."""
    idle = col(CardMessage.lease_until) <= now
    return and_(col(CardMessage.state) == CardState.SENT, col(CardMessage.update_at) <= now, idle)


def waiting(tx: ReadTx, what: ColumnElement[bool], now: int, limit: int, busy: Collection[Lane] = ()) -> list[Waiting]:
    """Cards of any tenant of which `what` holds, oldest first: none of a workspace that is busy, paused or held."""
    rows = select(CardMessage.tenant_id, CardMessage.message_id, CardMessage.platform, CardMessage.workspace).where(
        what, workspaces.may_be_sent(now)
    )
    for platform, workspace in busy:
        rows = rows.where(or_(col(CardMessage.platform) != platform, col(CardMessage.workspace) != workspace))
    found = tx.session.exec(rows.order_by(col(CardMessage.created_at), col(CardMessage.message_id)).limit(limit))
    return [Waiting(tenant, message, (platform, workspace)) for tenant, message, platform, workspace in found]


def in_flight(tx: ReadTx, person_id: UUID, about: str = FIRES) -> bool:
    """Whether such a card is on its way to this person: the next waits for what it will have shown."""
    rows = select(CardMessage.message_id).where(
        CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id, _on_its_way(about)
    )
    return tx.session.exec(rows.limit(1)).first() is not None


def _on_its_way(about: str) -> ColumnElement[bool]:
    return and_(col(CardMessage.subject).startswith(about), col(CardMessage.state).in_(_ON_ITS_WAY))


def to_tell(tx: WriteTx, person_id: UUID) -> list[CardMessage]:
    """Cards that wait to tell a person of changes, or to ask them."""
    return _of_changes(tx, person_id, col(CardMessage.state).in_(_TO_SEND))


def untold(tx: WriteTx, person_id: UUID) -> list[CardMessage]:
    """Cards in doubt that were to tell a person of changes, or to ask them."""
    states = (CardState.SENDING, CardState.UNKNOWN)
    return _of_changes(tx, person_id, col(CardMessage.state).in_(states), in_doubt(tx.now))


def _of_changes(tx: WriteTx, person_id: UUID, *those: ColumnElement[bool]) -> list[CardMessage]:
    """Those of the cards that come to a person by themselves, to be changed."""
    theirs = (CardMessage.tenant_id == tx.tenant_id, CardMessage.person_id == person_id)
    about = or_(*(col(CardMessage.subject).startswith(begins) for begins in (FIRES, BRIEF, ASKS, RESTS)))
    # By the state first: SQLite would go through all that the tenant was ever sent to have them by their key alone.
    ordered = (
        select(CardMessage).where(*theirs, about, *those).order_by(col(CardMessage.state), col(CardMessage.message_id))
    )
    return list(tx.session.exec(ordered.with_for_update()).all())


def people_waiting(tx: ReadTx, now: int, limit: int) -> list[tuple[str, UUID]]:
    """(tenant, person) for whom deliveries are due and no card is on its way: who must wait keeps nobody out."""
    rows = select(NotifyDelivery.tenant_id, NotifyDelivery.person_id).where(
        NotifyDelivery.state == "pending",
        NotifyDelivery.cadence == Cadence.IMMEDIATE,
        NotifyDelivery.not_before <= now,
        col(NotifyDelivery.message_id).is_(None),
        ~exists().where(
            col(CardMessage.tenant_id) == NotifyDelivery.tenant_id,
            col(CardMessage.person_id) == NotifyDelivery.person_id,
            _on_its_way(FIRES),
        ),
    )
    return [(tenant, person) for tenant, person in tx.session.exec(rows.distinct().limit(limit))]


def waiting_deliveries(tx: WriteTx, person_id: UUID) -> list[NotifyDelivery]:
    """What is due for a person, and what an earlier card could not carry."""
    next_card = or_(col(NotifyDelivery.state) == "carried", col(NotifyDelivery.cadence) == Cadence.IMMEDIATE)
    free = col(NotifyDelivery.message_id).is_(None)
    return _due_to(tx, person_id, col(NotifyDelivery.state).in_(_UNTOLD), next_card, free)


def deliveries_of(tx: ReadTx, message_id: UUID) -> list[NotifyDelivery]:
    """What a card has yet to deliver."""
    rows = select(NotifyDelivery).where(
        NotifyDelivery.tenant_id == tx.tenant_id,
        NotifyDelivery.message_id == message_id,
        NotifyDelivery.state == "pending",
    )
    return list(tx.session.exec(rows.order_by(col(NotifyDelivery.fire_id))).all())


def deliveries_for(tx: ReadTx, fire_ids: Collection[UUID]) -> dict[UUID, list[NotifyDelivery]]:
    """By fire, what is or was to be told to whom."""
    found: dict[UUID, list[NotifyDelivery]] = {fire_id: [] for fire_id in fire_ids}
    for batch in batches(fire_ids):
        theirs = (NotifyDelivery.tenant_id == tx.tenant_id, col(NotifyDelivery.fire_id).in_(batch))
        for row in tx.session.exec(select(NotifyDelivery).where(*theirs).order_by(col(NotifyDelivery.person_id))):
            found[row.fire_id].append(row)
    return found


def carried(tx: WriteTx, person_id: UUID) -> list[NotifyDelivery]:
    """What no card could deliver to a person yet."""
    return _due_to(tx, person_id, col(NotifyDelivery.state) == "carried")


def waiting_for_brief(tx: WriteTx, person_id: UUID, period: Cadence) -> list[NotifyDelivery]:
    """What is due for a person's brief of a period."""
    waits = (col(NotifyDelivery.state) == "pending", col(NotifyDelivery.cadence) == period)
    return _due_to(tx, person_id, *waits, col(NotifyDelivery.message_id).is_(None))


def _due_to(tx: WriteTx, person_id: UUID, *those: ColumnElement[bool]) -> list[NotifyDelivery]:
    """Those of a person's deliveries whose time has come, to be changed."""
    theirs = (NotifyDelivery.tenant_id == tx.tenant_id, NotifyDelivery.person_id == person_id)
    rows = select(NotifyDelivery).where(*theirs, NotifyDelivery.not_before <= tx.now, *those)
    # By the state first, as in `_of_changes`.
    ordered = rows.order_by(col(NotifyDelivery.state), col(NotifyDelivery.fire_id))
    return list(tx.session.exec(ordered.with_for_update()).all())


def recall(tx: WriteTx, person_id: UUID) -> None:
    """Let what no card could deliver have a card of its own after all."""
    for delivery in carried(tx, person_id):
        delivery.state, delivery.cadence = "pending", Cadence.IMMEDIATE
        tx.session.add(delivery)


def look_again(tx: WriteTx, person_id: UUID) -> None:
    """Let whatever waits for the end of a mute or of quiet hours be looked at now: these may be others."""
    for message in to_tell(tx, person_id):  # before the deliveries, as whoever takes a card locks them
        if message.state == CardState.PENDING:
            message.not_before = min(message.not_before, tx.now)
            tx.session.add(message)
    theirs = (col(NotifyDelivery.tenant_id) == tx.tenant_id, col(NotifyDelivery.person_id) == person_id)
    held = (col(NotifyDelivery.state).in_(_UNTOLD), col(NotifyDelivery.not_before) > tx.now)
    tx.session.exec(update(NotifyDelivery).where(*theirs, *held).values(not_before=tx.now))


def give_up(tx: WriteTx, message: CardMessage) -> None:
    """Let a card in doubt rest, and a person's next card tell what it was to tell."""
    known = CardState(message.state)
    unknown = known if known is CardState.UNKNOWN else step(known, CardEvent.LOSE)
    message.state = step(unknown, CardEvent.CARRY)
    tx.session.add(message)
    leave_to_next(tx, message.message_id, "unknown")


def leave_to_next(tx: WriteTx, message_id: UUID, reason: str) -> None:
    """Let a person's next card tell what this one was to tell; by itself nothing is sent again."""
    for delivery in deliveries_of(tx, message_id):
        delivery.state, delivery.reason, delivery.message_id = "carried", reason, None
        tx.session.add(delivery)


def add_delivery(tx: WriteTx, fire_id: UUID, person_id: UUID, kind: str, cadence: str) -> None:
    row = {
        "tenant_id": tx.tenant_id,
        "fire_id": fire_id,
        "person_id": person_id,
        "kind": kind,
        "state": "pending",
        "not_before": tx.now,
        "cadence": cadence,
        "created_at": tx.tx,  # in the order of commits, so that a brief that has told up to here has missed none
    }
    insert_once(tx, NotifyDelivery, row)


def add_grant(tx: WriteTx, key: str, body: dict[str, Any]) -> None:
    row = {"tenant_id": tx.tenant_id, "fingerprint": key, "body": body, "created_at": tx.now}
    insert_once(tx, CardGrant, row)


def grant(tx: ReadTx, key: str) -> dict[str, Any] | None:
    row = tx.session.get(CardGrant, (tx.tenant_id, key))
    return row.body if row else None


def last_shown(tx: ReadTx, person_id: UUID, refs: Collection[UUID]) -> dict[UUID, int]:
    rows = select(LastShown.ref_id, LastShown.tx).where(
        LastShown.tenant_id == tx.tenant_id, LastShown.person_id == person_id, col(LastShown.ref_id).in_(refs)
    )
    return dict(tx.session.exec(rows).all())


def show(tx: WriteTx, person_id: UUID, shown: Mapping[UUID, int]) -> None:
    """Remember up to which tx a person has seen things: never less than before, in whatever order cards arrive."""
    before = last_shown(tx, person_id, shown)
    for ref_id, upto in shown.items():
        if upto > before.get(ref_id, 0):
            tx.session.merge(LastShown(tenant_id=tx.tenant_id, person_id=person_id, ref_id=ref_id, tx=upto))
