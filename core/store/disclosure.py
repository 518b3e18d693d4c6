"""Every row that is about one person, for them to see: what a table of conditions finds, and nothing of others.

A row that several people are in, as a clarification is, is told as far as it is about this one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, cast, or_, tuple_
from sqlmodel import SQLModel, col, select

from core.model.nodes import SAVED_ANSWER
from core.model.principals import person_reader
from core.store import audit
from core.store.database import ReadTx
from core.store.erasing import places_of
from core.store.inbox import speaker
from core.store.tables import (
    ApiKey,
    Brief,
    CardGrant,
    CardMessage,
    ChatAddress,
    ChatIdentity,
    Clarification,
    Erasure,
    IdempotencyKey,
    Inbox,
    Job,
    LastShown,
    LocalMessage,
    NodeVersion,
    NotifyDelivery,
    Person,
    Preference,
    Source,
    Spooled,
    ThreadEvent,
    Trace,
    Watch,
    WatchFire,
    WatchMute,
    WatchPending,
    WatchScope,
)

Row = dict[str, Any]
Condition = Callable[[ReadTx, UUID], ColumnElement[bool]]

_SECRET = {"key_hash", "hash_key", "nonce"}
"""Of no use to whom a row is about, and of some to whoever steals the export."""


def _by(column: Any) -> Condition:
    return lambda _tx, person_id: col(column) == person_id


def _of_watches(column: Any) -> Condition:
    theirs = select(Watch.watch_id)
    return lambda tx, person_id: col(column).in_(
        theirs.where(Watch.tenant_id == tx.tenant_id, Watch.owner_id == person_id)
    )


def _of_keys(tx: ReadTx, person_id: UUID) -> ColumnElement[bool]:
    theirs = select(ApiKey.key_id).where(ApiKey.tenant_id == tx.tenant_id, ApiKey.person_id == person_id)
    return col(IdempotencyKey.key_id).in_(theirs)


def _naming(*columns: Any) -> Condition:
    return lambda _tx, person_id: or_(*(cast(col(column), String).contains(str(person_id)) for column in columns))


def _addresses(tx: ReadTx, person_id: UUID) -> ColumnElement[bool]:
    places = [(place.platform, place.workspace, place.user_id) for place in places_of(tx, person_id)]
    return tuple_(col(ChatAddress.platform), col(ChatAddress.workspace), col(ChatAddress.user_id)).in_(places)


def _said(tx: ReadTx, person_id: UUID) -> ColumnElement[bool]:
    """Also before anybody knew who they were."""
    there = [speaker(place) for place in places_of(tx, person_id)]
    unknown = and_(col(Inbox.person_id).is_(None), col(Inbox.speaker).in_(there))
    return or_(col(Inbox.person_id) == person_id, unknown)


def _answers(tx: ReadTx, person_id: UUID) -> ColumnElement[bool]:
    return and_(col(NodeVersion.label) == SAVED_ANSWER, _naming(NodeVersion.props)(tx, person_id))


CONDITIONS: Mapping[type[SQLModel], Condition] = {
    Person: _by(Person.person_id),
    Preference: _by(Preference.person_id),
    Brief: _by(Brief.person_id),
    ChatIdentity: _by(ChatIdentity.person_id),
    ChatAddress: _addresses,
    ApiKey: _by(ApiKey.person_id),
    IdempotencyKey: _of_keys,
    Watch: lambda tx, person_id: or_(col(Watch.owner_id) == person_id, _naming(Watch.target)(tx, person_id)),
    WatchScope: _of_watches(WatchScope.watch_id),
    WatchPending: _of_watches(WatchPending.watch_id),
    WatchFire: _of_watches(WatchFire.watch_id),
    WatchMute: _by(WatchMute.person_id),
    NotifyDelivery: _by(NotifyDelivery.person_id),
    CardMessage: _by(CardMessage.person_id),
    CardGrant: _naming(CardGrant.body),
    LastShown: _by(LastShown.person_id),
    LocalMessage: _by(LocalMessage.person_id),
    Inbox: _said,
    ThreadEvent: _by(ThreadEvent.person_id),
    Spooled: _by(Spooled.person_id),
    Trace: _by(Trace.person_id),
    NodeVersion: _answers,
    Clarification: _naming(Clarification.audience, Clarification.votes, Clarification.asked, Clarification.settled_by),
    Source: _naming(Source.readers),
    Job: _naming(Job.payload),
    Erasure: lambda _, person_id: or_(
        col(Erasure.subject_id) == person_id, col(Erasure.actor) == person_reader(person_id)
    ),
}
"""By table, which of its rows are about a person."""


def _vote(row: Row, person_id: UUID) -> Row:
    theirs, names = str(person_id), ("tx_start", "tx_end", "node_id", "question", "state")
    told = {name: row[name] for name in ("clarification_id", *names)}
    if theirs in row["votes"]:
        told["vote"] = row["votes"][theirs]
    return told | {"was_asked": theirs in row["asked"], "settled_it": row["settled_by"] == person_reader(person_id)}


def _told_by_watch(row: Row, person_id: UUID) -> Row:
    """What somebody else lets them be told of: neither who that is, nor who else is told."""
    if row["owner_id"] == person_id:
        return row
    return {name: row[name] for name in ("watch_id", "name", "scope_type", "scope_refs", "events", "created_at")}


def _may_read(row: Row, _: UUID) -> Row:
    return {"source_id": row["source_id"], "uri": row["uri"]}


_OWN_PART: Mapping[type[SQLModel], Callable[[Row, UUID], Row]] = {
    Clarification: _vote,
    Watch: _told_by_watch,
    Source: _may_read,
}
"""Of rows that are about others too, what is told."""


def everything_about(tx: ReadTx, person_id: UUID) -> dict[str, list[Row]]:
    """Rows by the name of their table; what is in them goes into JSON as it is, but for ids."""
    found = {str(table.__tablename__): list(_rows(tx, table, person_id)) for table in CONDITIONS}
    return found | {"audit": [asdict(entry) for entry in audit.about(tx, person_id)]}


def _rows(tx: ReadTx, table: Any, person_id: UUID) -> Iterator[Row]:
    those = select(table).where(table.tenant_id == tx.tenant_id, CONDITIONS[table](tx, person_id))
    for row in tx.session.exec(those.order_by(*table.__table__.primary_key.columns)):
        whole = {column.name: getattr(row, column.name) for column in table.__table__.columns}
        told = _OWN_PART[table](whole, person_id) if table in _OWN_PART else whole
        yield {name: _plain(value) for name, value in told.items() if name not in _SECRET}


def _plain(value: Any) -> Any:
    """Words as text, a hash as digits."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.hex()
