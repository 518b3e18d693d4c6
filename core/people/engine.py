"""Tenants, people, and where each can be written to."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlmodel import col, select

from core.errors import InvalidRequest, NotFound
from core.ids import derived
from core.model.erased import ERASED
from core.model.preferences import Preferences, check, muted_until
from core.model.principals import BOT, OPERATOR, Principal, person_reader, role_names
from core.model.work import Place
from core.people.tenants import TenantView, checked_id, checked_name
from core.store import audit, briefs, disclosure, messages, people
from core.store.database import ANY_TENANT, Database, ReadTx, WriteTx, tenants
from core.store.jobs import insert_once
from core.store.tables import Person, Tenant


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


@dataclass(frozen=True, slots=True)
class IdentityView:
    """A chat user, and who that is. `state`: bound, or unreachable for a `reason`."""

    place: Place
    person_id: UUID
    state: str
    reason: str | None


class PeopleEngine:
    def __init__(self, database: Database, defaults: Preferences) -> None:
        self._database = database
        self._defaults = defaults

    def ensure_tenant(self, tenant_id: str, name: str) -> None:
        """Make a tenant unless it stands. Raises InvalidRequest where a new one cannot be called so."""
        if tenant_id not in self.tenants():
            row = _new(tenant_id, name)
            with self._database.write(tenant_id) as tx:
                insert_once(tx, Tenant, row)

    def add_tenant(self, tenant_id: str, name: str) -> TenantView:
        """Make a tenant. Raises InvalidRequest where it stands, or cannot be called so."""
        row = _new(tenant_id, name)
        with self._database.write(tenant_id) as tx:
            if not insert_once(tx, Tenant, row):
                raise InvalidRequest(f"there is a tenant {tenant_id!r} already; `tenant rename` changes its name")
            audit.record(tx, OPERATOR, "tenant_added", tenant_id)
        return TenantView(tenant_id, row["name"])

    def rename_tenant(self, tenant_id: str, name: str) -> TenantView:
        """Change the name for people; the id stays. Raises NotFound, InvalidRequest."""
        name = checked_name(name)
        with self._database.write(tenant_id) as tx:
            tx.lock()
            row = tx.session.exec(select(Tenant).where(Tenant.tenant_id == tenant_id)).one_or_none()
            if row is None:
                raise NotFound(f"there is no tenant {tenant_id!r}; `tenant list` shows those there are")
            if row.name != name:
                row.name = name
                tx.session.add(row)
                audit.record(tx, OPERATOR, "tenant_renamed", tenant_id)
        return TenantView(tenant_id, name)

    def tenants(self) -> list[str]:
        return tenants(self._database)

    def tenant_views(self) -> list[TenantView]:
        """Every tenant of the database, by id."""
        with self._database.read(ANY_TENANT) as tx:
            rows = tx.session.exec(select(Tenant).order_by(col(Tenant.tenant_id))).all()
        return [TenantView(row.tenant_id, row.name) for row in rows]

    def put(
        self,
        tenant_id: str,
        display_name: str,
        *,
        email: str | None = None,
        zone: str | None = None,
        locale: str | None = None,
        roles: Iterable[str] | None = None,
        actor: str = OPERATOR,
    ) -> UUID:
        """Add or renew a person, known by e-mail, whatever its case, or else by name.

        What is None stays, or begins as UTC, en, member.

        Raises InvalidRequest for an unknown time zone, and for a role that is none.
        """
        if zone is not None and not _is_zone(zone):
            raise InvalidRequest(f"{zone!r} is no time zone: write an IANA name, such as Europe/Berlin")
        held = None if roles is None else role_names(roles)
        with self._database.write(tenant_id) as tx:
            tx.lock()
            person_id = _id_of(tx, email, display_name)
            known = people.get(tx, person_id)
            before = known.model_dump() if known else None
            person = known or Person(
                tenant_id=tenant_id, person_id=person_id, display_name=display_name, roles=["member"], created_at=tx.now
            )
            if person.display_name == ERASED:  # who comes back begins anew
                person.active, person.roles = True, ["member"]
            person.display_name, person.email, person.locale = display_name, email, locale or person.locale
            person.roles = person.roles if held is None else held
            _settle(tx, person, zone or person.zone)
            _audit(tx, actor, person, before)
        return person_id

    def export(self, tenant_id: str, person_id: UUID, actor: str = OPERATOR) -> dict[str, list[dict[str, Any]]]:
        """Every row that is about a person, by table, as far as it is about them. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            _known(tx, person_id)
            audit.record(tx, actor, "person_exported", person_reader(person_id))
        with self._database.read(tenant_id) as read:
            return disclosure.everything_about(read, person_id)

    def set_active(self, tenant_id: str, person_id: UUID, active: bool, actor: str = OPERATOR) -> None:
        """Let a person go, or let them back in: who has left reads nothing and is sent nothing. Raises NotFound.

        Their watches rest meanwhile.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            person = _known(tx, person_id)
            if person.active != active:
                person.active = active
                tx.session.add(person)
                follow = people.resume if active else people.rest
                follow(tx, person_id)
                action = "person_reactivated" if active else "person_deactivated"
                audit.record(tx, actor, action, person_reader(person_id))

    def set_roles(self, tenant_id: str, person_id: UUID, roles: Iterable[str], actor: str = OPERATOR) -> None:
        """Let a person hold these roles and no others. Raises NotFound, and InvalidRequest for a role that is none."""
        held = role_names(roles)
        with self._database.write(tenant_id) as tx:
            tx.lock()
            person = _known(tx, person_id)
            before, person.roles = person.model_dump(), held
            tx.session.add(person)
            _audit(tx, actor, person, before)

    def bind(self, tenant_id: str, person_id: UUID, place: Place, actor: str = OPERATOR) -> None:
        """Say that a chat user is this person, and nobody else any more. Raises NotFound for an unknown one."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            _known(tx, person_id)
            if people.is_at(tx, person_id, place):
                people.regain(tx, place)
                return
            _let_go(tx, actor, place)
            _bind(tx, actor, person_id, place)

    def recognise(self, tenant_id: str, email: str, place: Place) -> UUID | None:
        """Take a chat user for the one active person of their e-mail address, whatever its case, and say who that is.

        None where several have it, or an admin has said that the user is nobody known; whom they have bound, it stays.
        """
        with self._database.write(tenant_id) as tx:
            tx.lock()
            bound = people.identity(tx, place)
            found = [person.person_id for person in people.with_email(tx, email) if person.active]
            if bound is not None:
                return bound.person_id
            if len(found) != 1 or people.is_unbound(tx, place):
                return None
            _bind(tx, BOT, found[0], place)
            return found[0]

    def unbind(self, tenant_id: str, place: Place, actor: str = OPERATOR) -> None:
        """Say that a chat user is nobody known, until they are bound. Raises NotFound where that is so already."""
        with self._database.write(tenant_id) as tx:
            tx.lock()
            if not _let_go(tx, actor, place):
                raise NotFound(f"nobody is bound to the {place.platform} user {place.user_id}")

    def at(self, tenant_id: str, place: Place) -> UUID | None:
        """Who a chat user is."""
        with self._database.read(tenant_id) as tx:
            row = people.identity(tx, place)
        return row.person_id if row else None

    def places(self, tenant_id: str) -> list[IdentityView]:
        """Every chat user that is bound."""
        with self._database.read(tenant_id) as tx:
            rows = people.identities(tx)
        return [IdentityView(people.place_of(row), row.person_id, row.state, row.reason) for row in rows]

    def platforms(self, tenant_id: str, person_id: UUID) -> tuple[str, ...]:
        """Where a person can be written to now, by name, once each."""
        with self._database.read(tenant_id) as tx:
            rows = people.identities(tx)
        return tuple(sorted({row.platform for row in rows if (row.person_id, row.state) == (person_id, people.BOUND)}))

    def departed(self, tenant_id: str, place: Place, reason: str) -> None:
        """A chat user cannot be written to any more: their watches wait for their return."""
        with self._database.write(tenant_id) as tx:
            people.depart(tx, place, reason)

    def returned(self, tenant_id: str, place: Place) -> None:
        """A chat user can be written to again, and their watches go on."""
        with self._database.write(tenant_id) as tx:
            people.regain(tx, place)

    def moved(self, tenant_id: str, place: Place, zone: str | None, locale: str | None) -> None:
        """The platform says where a chat user lives now; a zone that nobody knows is left alone."""
        with self._database.write(tenant_id) as tx:
            row = people.identity(tx, place)
            person = people.get(tx, row.person_id) if row else None
            if person is None:
                return
            person.locale = locale or person.locale
            _settle(tx, person, zone if zone and _is_zone(zone) else person.zone)

    # ── what they choose ──

    def preferences(self, tenant_id: str, person_id: UUID) -> Preferences:
        """What a person has chosen, and the settings' word where they have not."""
        with self._database.read(tenant_id) as tx:
            return self._defaults.chosen(people.preferences(tx, person_id))

    def prefer(self, tx: WriteTx, person_id: UUID, name: str, value: str) -> None:
        """Keep what a person chose. Raises InvalidRequest for a name or value that `CHOICES` does not hold."""
        check(name, value)
        people.prefer(tx, person_id, name, value)
        messages.look_again(tx, person_id)  # before the brief's row, as whoever takes a brief locks them
        briefs.look_again(tx, person_id)

    def mute_for(self, tx: WriteTx, person_id: UUID, choice: str) -> None:
        """Hold every card of a person for one of `MUTE_CHOICES`. Raises InvalidRequest for another, NotFound."""
        _mute(tx, person_id, lambda person: muted_until(tx.now, person.zone, choice))

    def mute(self, tenant_id: str, person_id: UUID, until: int) -> None:
        """Hold a person's cards until a Ts; 0 ends it. Raises NotFound."""
        with self._database.write(tenant_id) as tx:
            _mute(tx, person_id, lambda _: until)

    def all(self, tenant_id: str) -> list[PersonView]:
        with self._database.read(tenant_id) as tx:
            return [_view(person) for person in people.everyone(tx)]

    def get(self, tenant_id: str, person_id: UUID) -> PersonView:
        """Raises NotFound."""
        with self._database.read(tenant_id) as tx:
            return _view(_known(tx, person_id))

    def named(self, tenant_id: str, name: str) -> PersonView:
        """The person of this e-mail address, whatever its case, or of this display name.

        Raises NotFound, and InvalidRequest when several share it.
        """
        with self._database.read(tenant_id) as tx:
            of_address = people.with_email(tx, name)
            of_name = tx.session.exec(
                select(Person).where(Person.tenant_id == tenant_id, col(Person.display_name) == name)
            ).all()
        exact = [person for person in of_address if person.email == name]
        found = exact or list({person.person_id: person for person in (*of_address, *of_name)}.values())
        if not found:
            raise NotFound(f"there is no person named {name!r}")
        if len(found) > 1:
            raise InvalidRequest(f"{name!r} names {len(found)} people: use the e-mail address, as it was added")
        return _view(found[0])

    def erased(self, tenant_id: str, name: str) -> UUID | None:
        """Who was erased and had been added by this e-mail address or, without one, name: their id is made of it."""
        with self._database.read(tenant_id) as tx:
            person = people.get(tx, derived("person", tenant_id, name))
        return person.person_id if person and person.display_name == ERASED else None

    def principal(self, tenant_id: str, person_id: UUID) -> Principal:
        """The person with the roles they hold now. Raises NotFound for one who is unknown or no longer active."""
        person = self.get(tenant_id, person_id)
        if not person.active:
            raise NotFound(f"there is no person {person_id}")
        return Principal(tenant_id, person_id, frozenset(person.roles))


def _new(tenant_id: str, name: str) -> dict[str, Any]:
    return {"tenant_id": checked_id(tenant_id), "name": checked_name(name), "last_tx": 0}


def _id_of(tx: ReadTx, email: str | None, display_name: str) -> UUID:
    """The id of whoever has the address already, however it is written, or else the one made of it."""
    made = derived("person", tx.tenant_id, email or display_name)
    known = {person.person_id for person in people.with_email(tx, email)} if email else set()
    return known.pop() if len(known) == 1 else made


def _known(tx: ReadTx, person_id: UUID) -> Person:
    person = people.get(tx, person_id)
    if person is None:
        raise NotFound(f"there is no person {person_id}")
    return person


def _audit(tx: WriteTx, actor: str, person: Person, before: Mapping[str, Any] | None) -> None:
    """What became of a person; `before`: their row as it was, None for somebody new. The values stay out of it."""
    target = person_reader(person.person_id)
    if before is None:
        audit.record(tx, actor, "person_added", target, detail={"roles": person.roles})
        return
    changed = [name for name in ("display_name", "email", "zone", "locale") if getattr(person, name) != before[name]]
    if changed:
        audit.record(tx, actor, "person_changed", target, detail={"fields": changed})
    if person.roles != before["roles"]:
        audit.record(tx, actor, "roles_changed", target, detail={"was": before["roles"], "is": person.roles})


def _bind(tx: WriteTx, actor: str, person_id: UUID, place: Place) -> None:
    people.bind(tx, person_id, place)
    people.follow(tx, person_id)
    people.resume(tx, person_id)
    audit.record(tx, actor, "chat_bound", person_reader(person_id), detail=_where(place))


def _let_go(tx: WriteTx, actor: str, place: Place) -> bool:
    """A user is nobody known from now on; False where that is so already."""
    person_id = people.let_go(tx, place)
    if person_id is not None:
        audit.record(tx, actor, "chat_unbound", person_reader(person_id), detail=_where(place))
    return person_id is not None


def _where(place: Place) -> dict[str, str]:
    """What of a place the audit may keep for ever: not the user, whom an erasure could not take out again."""
    return {"platform": place.platform, "workspace": place.workspace}


def _mute(tx: WriteTx, person_id: UUID, until: Callable[[Person], int]) -> None:
    person = _known(tx, person_id)
    person.muted_until = until(person)
    tx.session.add(person)
    messages.look_again(tx, person_id)


def _settle(tx: WriteTx, person: Person, zone: str) -> None:
    """Let a person live in a zone: their brief comes by the clocks there."""
    moves = person.zone != zone
    person.zone = zone
    tx.session.add(person)
    if moves:
        briefs.look_again(tx, person.person_id)


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


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
