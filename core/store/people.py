"""People, and where they can be written to."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlmodel import col, select

from core.model.principals import Principal
from core.model.watching import TargetKind
from core.store.database import ReadTx
from core.store.tables import ChatIdentity, Person


def get(tx: ReadTx, person_id: UUID) -> Person | None:
    return tx.session.get(Person, (tx.tenant_id, person_id))


def everyone(tx: ReadTx) -> list[Person]:
    rows = select(Person).where(Person.tenant_id == tx.tenant_id).order_by(col(Person.display_name))
    return list(tx.session.exec(rows).all())


def principal(person: Person) -> Principal:
    """The person with the roles they hold now."""
    return Principal(person.tenant_id, person.person_id, frozenset(person.roles))


def reachable(tx: ReadTx, person_id: UUID) -> ChatIdentity | None:
    """The identity that a person's cards go to; None when there is none that can be reached."""
    rows = select(ChatIdentity).where(
        ChatIdentity.tenant_id == tx.tenant_id, ChatIdentity.person_id == person_id, ChatIdentity.state == "bound"
    )
    return tx.session.exec(rows.order_by(col(ChatIdentity.platform)).limit(1)).first()


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
