"""Tenants, people, and where each can be written to."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlmodel import col, select

from core.errors import InvalidRequest, NotFound
from core.ids import derived
from core.model.principals import Principal
from core.store import people
from core.store.database import Database, tenants
from core.store.jobs import insert_once
from core.store.tables import ChatIdentity, Person, Tenant


@dataclass(frozen=True, slots=True)
class PersonView:
    tenant_id: str
    person_id: UUID
    display_name: str
    zone: str
    locale: str
    roles: tuple[str, ...]
    active: bool
    muted_until: int


class PeopleEngine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def ensure_tenant(self, tenant_id: str, name: str) -> None:
        """Make a tenant unless it stands."""
        row = {"tenant_id": tenant_id, "name": name, "last_tx": 0}
        with self._database.write(tenant_id) as tx:
            insert_once(tx, Tenant, row)

    def tenants(self) -> list[str]:
        return tenants(self._database)

    def put(
        self,
        tenant_id: str,
        display_name: str,
        *,
        email: str | None = None,
        zone: str = "UTC",
        locale: str = "en",
        roles: Iterable[str] = ("member",),
    ) -> UUID:
        """Add or renew a person, known by e-mail or else by name. Raises InvalidRequest for an unknown time zone."""
        try:
            ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise InvalidRequest(f"{zone!r} is no time zone: write an IANA name, such as Europe/Berlin") from error
        person_id = derived("person", tenant_id, email or display_name)
        with self._database.write(tenant_id) as tx:
            tx.lock()
            person = people.get(tx, person_id) or Person(
                tenant_id=tenant_id, person_id=person_id, display_name=display_name, roles=[], created_at=tx.now
            )
            person.display_name, person.email, person.zone, person.locale = display_name, email, zone, locale
            person.roles = sorted(set(roles))
            tx.session.add(person)
        return person_id

    def bind(self, tenant_id: str, person_id: UUID, platform: str, workspace: str, user_id: str) -> None:
        """Say that a chat user is this person."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            identity = ChatIdentity(
                tenant_id=tenant_id,
                platform=platform,
                workspace=workspace,
                user_id=user_id,
                person_id=person_id,
                conversation={},
            )
            tx.session.merge(identity)

    def mute(self, tenant_id: str, person_id: UUID, until: int) -> None:
        """Hold a person's cards until a Ts; 0 ends it. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            person = people.get(tx, person_id)
            if person is None:
                raise NotFound(f"there is no person {person_id}")
            person.muted_until = until
            tx.session.add(person)

    def all(self, tenant_id: str) -> list[PersonView]:
        with self._database.read(tenant_id) as tx:
            return [_view(person) for person in people.everyone(tx)]

    def get(self, tenant_id: str, person_id: UUID) -> PersonView:
        """Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            person = people.get(tx, person_id)
        if person is None:
            raise NotFound(f"there is no person {person_id}")
        return _view(person)

    def named(self, tenant_id: str, name: str) -> PersonView:
        """The person of this e-mail address or display name. Raises NotFound, InvalidRequest when several share it."""
        with self._database.read(tenant_id) as tx:
            rows = tx.session.exec(
                select(Person).where(
                    Person.tenant_id == tenant_id, (col(Person.email) == name) | (col(Person.display_name) == name)
                )
            ).all()
        if not rows:
            raise NotFound(f"there is no person named {name!r}")
        if len(rows) > 1:
            raise InvalidRequest(f"{name!r} names {len(rows)} people: use the e-mail address")
        return _view(rows[0])

    def principal(self, tenant_id: str, person_id: UUID) -> Principal:
        """The person with the roles they hold now. Raises NotFound for one who is unknown or no longer active."""
        person = self.get(tenant_id, person_id)
        if not person.active:
            raise NotFound(f"there is no person {person_id}")
        return Principal(tenant_id, person_id, frozenset(person.roles))


def _view(person: Person) -> PersonView:
    return PersonView(
        person.tenant_id,
        person.person_id,
        person.display_name,
        person.zone,
        person.locale,
        tuple(person.roles),
        person.active,
        person.muted_until,
    )
