"""People, and where they can be written to."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import case
from sqlmodel import col, func, select

from core.model.principals import Principal
from core.model.watching import Suspension, TargetKind
from core.model.work import Place, stranger
from core.store import briefs, messages, watches, workspaces
from core.store.database import ReadTx, WriteTx
from core.store.deliveries import UNREACHABLE, come_back, missed
from core.store.tables import ChatIdentity, Person, Preference, Watch

BOUND = "bound"
UNBOUND = "unbound"
"""Of a user of whom an admin has said that they are nobody known: no e-mail address makes them anybody again."""


def get(tx: ReadTx, person_id: UUID) -> Person | None:
    return tx.session.get(Person, (tx.tenant_id, person_id))


def everyone(tx: ReadTx) -> list[Person]:
    rows = select(Person).where(Person.tenant_id == tx.tenant_id).order_by(col(Person.display_name))
    return list(tx.session.exec(rows).all())


def principal(person: Person) -> Principal:
    """The person with the roles they hold now."""
    return Principal(person.tenant_id, person.person_id, frozenset(person.roles))


def reachable(tx: ReadTx, person_id: UUID) -> ChatIdentity | None:
    """The identity that a person's cards go to: on the platform of their choice, or else where they were seen last.

    None when they cannot be reached at all.
    """
    preferred = case((col(ChatIdentity.platform) == preferences(tx, person_id).get("platform"), 0), else_=1)
    rows = select(ChatIdentity).where(
        ChatIdentity.tenant_id == tx.tenant_id, ChatIdentity.person_id == person_id, ChatIdentity.state == BOUND
    )
    order = (preferred, col(ChatIdentity.seen_at).desc(), col(ChatIdentity.platform), col(ChatIdentity.user_id))
    return tx.session.exec(rows.order_by(*order).limit(1)).first()


def preferences(tx: ReadTx, person_id: UUID) -> dict[str, str]:
    """What a person has chosen, by name."""
    rows = select(Preference.name, Preference.value).where(
        Preference.tenant_id == tx.tenant_id, Preference.person_id == person_id
    )
    return dict(tx.session.exec(rows).all())


def prefer(tx: WriteTx, person_id: UUID, name: str, value: str) -> None:
    tx.session.merge(Preference(tenant_id=tx.tenant_id, person_id=person_id, name=name, value=value))


def identity(tx: ReadTx, place: Place) -> ChatIdentity | None:
    """Who a user is; None for nobody known."""
    row = _at(tx, place)
    return row if row is not None and row.state != UNBOUND else None


def is_unbound(tx: ReadTx, place: Place) -> bool:
    row = _at(tx, place)
    return row is not None and row.state == UNBOUND


def _at(tx: ReadTx, place: Place) -> ChatIdentity | None:
    return tx.session.get(ChatIdentity, (tx.tenant_id, place.platform, place.workspace, place.user_id))


def is_at(tx: ReadTx, person_id: UUID, place: Place) -> bool:
    """Whether a place is this person's now; a stranger's is nobody's."""
    bound = identity(tx, place)
    return person_id == (bound.person_id if bound else stranger(place))


def can_be_reached_at(tx: ReadTx, person_id: UUID, place: Place) -> bool:
    row = identity(tx, place)
    return row is not None and (row.person_id, row.state) == (person_id, BOUND)


def may_be_written_to(tx: ReadTx, person_id: UUID, place: Place) -> bool:
    """Whether a place is this person's, and they have not left it; of a stranger nobody knows that."""
    return can_be_reached_at(tx, person_id, place) or (identity(tx, place) is None and person_id == stranger(place))


def identities(tx: ReadTx) -> list[ChatIdentity]:
    rows = select(ChatIdentity).where(ChatIdentity.tenant_id == tx.tenant_id, ChatIdentity.state != UNBOUND)
    return list(tx.session.exec(rows.order_by(col(ChatIdentity.platform), col(ChatIdentity.user_id))).all())


def with_email(tx: ReadTx, email: str) -> list[Person]:
    """All of an address, whatever its case, by their ids; who has left among them.

    Case counts where a letter is not ASCII, in either: the Kelvin sign's lower case is k, and its address another's.
    """
    same = func.lower(Person.email) == email.lower() if email.isascii() else col(Person.email) == email
    rows = tx.session.exec(select(Person).where(Person.tenant_id == tx.tenant_id, same)).all()
    alike = [row for row in rows if row.email == email or (row.email or "").isascii()]
    return sorted(alike, key=lambda row: row.person_id)


def place_of(identity: ChatIdentity) -> Place:
    return Place(identity.platform, identity.workspace, identity.user_id)


def seen(tx: WriteTx, place: Place) -> UUID | None:
    """A user is there now: who that is, and what is still to be told them comes there."""
    row = identity(tx, place)
    if row is None:
        return None
    row.seen_at = tx.now
    tx.session.add(row)
    follow(tx, row.person_id)
    return row.person_id


def follow(tx: WriteTx, person_id: UUID) -> None:
    """Let what is to be told to a person go where they are by now.

    Who is gone from a paused workspace must not wait for its return, nor for what became of a card there.
    """
    tx.session.flush()
    row = reachable(tx, person_id)
    if row is None:
        return
    for message in messages.to_tell(tx, person_id):
        messages.move(message, place_of(row))
        tx.session.add(message)
    for message in messages.untold(tx, person_id):
        elsewhere = (message.platform, message.workspace) != (row.platform, row.workspace)
        if elsewhere and workspaces.is_paused(tx, message.platform, message.workspace):
            messages.give_up(tx, message)


def bind(tx: WriteTx, person_id: UUID, place: Place, state: str = BOUND) -> None:
    """A user whom nobody knows is a person from now on."""
    row = ChatIdentity(
        tenant_id=tx.tenant_id,
        platform=place.platform,
        workspace=place.workspace,
        user_id=place.user_id,
        person_id=person_id,
        state=state,
        seen_at=tx.now,
    )
    tx.session.merge(row)


def let_go(tx: WriteTx, place: Place) -> UUID | None:
    """A user is nobody known from now on, and nobody's; who they were, None where that is so already."""
    row = identity(tx, place)
    if row is None:
        return None
    person_id = row.person_id
    lose(tx, place, UNBOUND)
    bind(tx, stranger(place), place, UNBOUND)
    tx.session.flush()
    return person_id


def lose(tx: WriteTx, place: Place, reason: str) -> UUID | None:
    """A user cannot be written to any more; where that was a person's last way, their watches wait for them.

    Who that is; None where it was so already.
    """
    row = identity(tx, place)
    if row is None or row.state != BOUND:
        return None
    row.state, row.reason = UNREACHABLE, reason
    tx.session.add(row)
    tx.session.flush()
    if reachable(tx, row.person_id) is None:
        rest(tx, row.person_id)
    return row.person_id


def depart(tx: WriteTx, place: Place, reason: str) -> None:
    """The same; where the person has another place, a brief that this one has refused is to be made for that."""
    person_id = lose(tx, place, reason)
    if person_id is not None:
        briefs.look_again(tx, person_id)


def regain(tx: WriteTx, place: Place) -> None:
    """A user can be written to again: their watches go on, and they are told what they could not be told."""
    row = identity(tx, place)
    if row is not None and row.state == UNREACHABLE:
        row.state, row.reason = BOUND, None
        tx.session.add(row)
        resume(tx, row.person_id)


def rest(tx: WriteTx, person_id: UUID) -> None:
    """Let a person's watches rest, for nobody can write to them. All lock watches in the order of their ids."""
    for watch in sorted(watches.of_owner(tx, person_id), key=lambda watch: watch.watch_id):
        watches.suspend(tx, watch, Suspension.UNREACHABLE)


def resume(tx: WriteTx, person_id: UUID) -> None:
    """Let the watches go on that waited for a way to a person, and the next card tell what found none.

    Deliveries first, as whoever takes a card locks them before the watches.
    """
    waiting = watches.by_ids(tx, {watch.watch_id for watch in watches.of_owner(tx, person_id)} | missed(tx, person_id))
    come_back(tx, person_id)
    for watch in waiting:
        if all(_can_be_told(tx, needed) for needed in _needed(watch)):
            watches.resume(tx, watch, Suspension.UNREACHABLE)
    watches.tell_on_return(tx, person_id)


def _can_be_told(tx: ReadTx, person_id: UUID) -> bool:
    person = get(tx, person_id)
    return person is not None and person.active and reachable(tx, person_id) is not None


def _needed(watch: Watch) -> set[UUID]:
    """Who must be within reach for a watch to go on: its owner, and the one person whom it tells."""
    person = watch.target.get("person_id")
    return {watch.owner_id} | ({UUID(person)} if person else set())


def named_by(tx: ReadTx, target: Mapping[str, Any]) -> Sequence[UUID]:
    """Whom a watch's target names, as of now: its person, or the active members of its audience."""
    if target["kind"] == TargetKind.PERSON:
        return [UUID(target["person_id"])]
    audience: Mapping[str, Any] = target["audience"]
    roles, persons = set(audience.get("roles", ())), set(audience.get("persons", ()))
    return [
        person.person_id
        for person in everyone(tx)
        if person.active and (roles & set(person.roles) or str(person.person_id) in persons)
    ]
