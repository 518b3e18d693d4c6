"""What a database says of rights, also one whose tables are older: what they have no word for was never said in it."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import inspect, select
from sqlalchemy.engine import Connection
from sqlmodel import SQLModel

from core.model.standing import Right, Rights, Taken
from core.store import audit
from core.store.database import Database
from core.store.faults import translated
from core.store.people import UNBOUND
from core.store.tables import ApiKey, ChatIdentity, Person, Source, Webhook

_GOOD = frozenset({"good"})
_NOTHING: frozenset[str] = frozenset()
_IF_SAID = {Taken.ROLES, Taken.READERS}
"""A memory that was set up anew has people and documents of the same ids, of whom nobody has taken anything."""


def rights(database: Database) -> Rights:
    """Everything that is allowed in it. Raises StoreUnavailable."""
    with translated(database.url), database.engine.connect() as connection:
        return dict(_found(connection))


def limits(database: Database) -> Rights:
    """What is still allowed of what this database knows, where it can have been taken away. Raises StoreUnavailable."""
    with translated(database.url), database.engine.connect() as connection:
        said = {Right(*entry) for entry in _said(connection)}
        found = {
            right: admitted for right, admitted in _found(connection) if right.kind not in _IF_SAID or right in said
        }
    return dict.fromkeys((right for right in said if right.kind is Taken.WEBHOOK), _NOTHING) | found


def _said(connection: Connection) -> Iterator[tuple[str, Taken, tuple[str, ...]]]:
    for tenant_id, action, target in audit.targets(connection, (*_IF_SAID, Taken.WEBHOOK)):
        kind, _, subject_id = target.partition(":")
        yield tenant_id, Taken(action), (kind, subject_id)


def _found(connection: Connection) -> Iterator[tuple[Right, frozenset[str]]]:
    for tenant, key_id, revoked_at in _rows(connection, ApiKey, "key_id", "revoked_at"):
        yield Right(tenant, Taken.KEY, ("key", str(key_id))), _NOTHING if revoked_at else _GOOD
    for tenant, person_id, active, roles in _rows(connection, Person, "person_id", "active", "roles"):
        yield Right(tenant, Taken.PERSON, ("person", str(person_id))), _GOOD if active else _NOTHING
        yield Right(tenant, Taken.ROLES, ("person", str(person_id))), frozenset(roles)
    for tenant, *user, person_id, state in _rows(
        connection, ChatIdentity, "platform", "workspace", "user_id", "person_id", "state"
    ):
        bound = _NOTHING if state == UNBOUND else frozenset({str(person_id)})
        yield Right(tenant, Taken.USER, tuple(user)), bound
    for tenant, source_id, readers in _rows(connection, Source, "source_id", "readers"):
        yield Right(tenant, Taken.READERS, ("source", str(source_id))), frozenset(readers)
    for tenant, webhook_id in _rows(connection, Webhook, "webhook_id"):
        yield Right(tenant, Taken.WEBHOOK, ("webhook", str(webhook_id))), _GOOD


def _rows(connection: Connection, table: type[SQLModel], *names: str) -> list[Any]:
    """The tenant and these columns of each row; no row of a table that has them not."""
    asked, columns = inspect(connection), SQLModel.metadata.tables[str(table.__tablename__)].columns
    wanted = ("tenant_id", *names)
    if not asked.has_table(str(table.__tablename__)):
        return []
    if not {*wanted} <= {column["name"] for column in asked.get_columns(str(table.__tablename__))}:
        return []
    return list(connection.execute(select(*(columns[name] for name in wanted))))
