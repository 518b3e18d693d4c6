"""Taking words out of rows, in place, in every version: the one thing that is ever changed in what was written.

Coordinates, hashes and tombstones stay. A card, a trace or an answer is found by the ids that its JSON names.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, String, and_, cast, delete, literal, or_, update
from sqlmodel import SQLModel, col, select

from core.model.card_states import CardEvent, CardState, step
from core.model.erased import ERASED, options_without_words, trace_without_words
from core.model.nodes import DOCUMENT, SAVED_ANSWER, SECTION
from core.model.watching import ScopeType, TargetKind
from core.model.work import Place
from core.store import messages
from core.store.database import ReadTx, WriteTx, batches
from core.store.inbox import speaker
from core.store.tables import (
    ApiKey,
    Brief,
    CardMessage,
    ChatAddress,
    ChatIdentity,
    Clarification,
    IdempotencyKey,
    Inbox,
    Job,
    LastShown,
    LocalMessage,
    NodeVersion,
    Person,
    Preference,
    RecallEntry,
    Source,
    SourceVersion,
    Span,
    Spooled,
    ThreadEvent,
    Trace,
    Watch,
    WatchMute,
    WatchPending,
    WatchScope,
)

_WITHDRAWN = {CardState.PENDING, CardState.FAILED, CardState.PARKED}
"""States of a card that nobody has seen: it is not sent any more."""
_SHOWN = {CardState.SENDING, CardState.UNKNOWN, CardState.SENT}
"""States in which a platform may show the card."""


# ── a source ──


def source(tx: WriteTx, row: Source) -> Counter[str]:
    """Destroy a source's text, its key, what it is found by, and what its nodes say; how many rows of each."""
    of_source = {"tenant_id": tx.tenant_id, "source_id": row.source_id}
    done = Counter(
        versions=_set(tx, SourceVersion, of_source, text=""),
        spans=_set(tx, Span, of_source, path=[]),
        nodes=_set(tx, NodeVersion, of_source, col(NodeVersion.label) != DOCUMENT, key="", props={})
        + _bare_documents(tx, row.source_id),
        recall_entries=_delete(tx, RecallEntry, of_source),
    )
    row.name, row.hash_key, row.readers, row.source_set, row.erased_tx = "", b"", [], None, tx.tx
    tx.session.add(row)
    return done


def things_of(tx: ReadTx, source_id: UUID) -> set[str]:
    """The ids of what people watch of a source: itself, its document, its sections, and questions that go with it."""
    rows = select(NodeVersion.node_id).where(
        NodeVersion.tenant_id == tx.tenant_id,
        NodeVersion.source_id == source_id,
        col(NodeVersion.label).in_((DOCUMENT, SECTION)),
    )
    asked = select(Clarification.clarification_id).where(
        Clarification.tenant_id == tx.tenant_id,
        or_(_is_about(tx, source_id), _names(Clarification.options, source_id)),
    )
    return {str(source_id), *map(str, tx.session.exec(rows.distinct())), *map(str, tx.session.exec(asked.distinct()))}


def watches_on(tx: WriteTx, things: Collection[str]) -> list[Watch]:
    """Watches of people on any of these; one that has a saved answer checked is called as its owner asked."""
    found: dict[UUID, Watch] = {}
    for batch in batches(things):
        scoped = select(WatchScope.watch_id).where(
            WatchScope.tenant_id == tx.tenant_id, col(WatchScope.scope_ref).in_(batch)
        )
        rows = select(Watch).where(Watch.tenant_id == tx.tenant_id, col(Watch.watch_id).in_(scoped))
        theirs = (watch for watch in tx.session.exec(rows) if watch.target["kind"] != TargetKind.INTERNAL)
        found |= {watch.watch_id: watch for watch in theirs}
    return list(found.values())


def clarifications(tx: WriteTx, source_id: UUID) -> int:
    """Take the question, and the options from a source, out of every clarification; of one about it, all.

    How many rows.
    """
    about = _is_about(tx, source_id)
    rows = select(Clarification, about).where(
        Clarification.tenant_id == tx.tenant_id, or_(about, _names(Clarification.options, source_id))
    )
    found = tx.session.exec(rows).all()
    for row, whole in found:
        row.question = ERASED
        row.options = options_without_words(row.options, None if whole else source_id)
        tx.session.add(row)
    return len(found)


def _is_about(tx: ReadTx, source_id: UUID) -> ColumnElement[bool]:
    """Of a clarification: it is about something of a source, or somebody asked it about a record that rested on it."""
    node_id, nodes = (
        col(Clarification.node_id),
        select(NodeVersion.node_id).where(NodeVersion.tenant_id == tx.tenant_id),
    )
    resting = nodes.where(col(NodeVersion.source_id).is_(None), _names(NodeVersion.provenance, source_id))
    asked = and_(col(Clarification.prop).is_(None), node_id.in_(resting))
    return or_(node_id.in_(nodes.where(NodeVersion.source_id == source_id)), asked)


def records_from(tx: WriteTx, source_id: UUID) -> list[NodeVersion]:
    """Take out what every version of a record that rests on a source says; these versions."""
    rows = select(NodeVersion).where(
        NodeVersion.tenant_id == tx.tenant_id,
        col(NodeVersion.source_id).is_(None),
        _names(NodeVersion.provenance, source_id),
    )
    found = list(tx.session.exec(rows))
    for row in found:
        row.key, row.props = "", {}
        tx.session.add(row)
    return found


def answers_citing(tx: WriteTx, source_id: UUID) -> list[NodeVersion]:
    """Every version of every saved answer that rests on a source."""
    return _answers(tx, _names(NodeVersion.props, source_id))


def traces_from(tx: WriteTx, source_id: UUID) -> int:
    """Take the words out of every trace that names a source; how many."""
    return _emptied(tx, _names(Trace.body, source_id))


def said_of(tx: WriteTx, source_id: UUID) -> Counter[str]:
    """Take the words out of everything in a conversation that may hold some of a source; how many rows."""
    theirs = {"tenant_id": tx.tenant_id}
    return Counter(
        threads=_set(tx, ThreadEvent, theirs, _names(ThreadEvent.source_ids, source_id), content=b"", revoked=True),
        spool=_delete(tx, Spooled, theirs, _names(Spooled.source_ids, source_id)),
    )


def cards_quoting(tx: WriteTx, source_id: UUID, things: Collection[str], watches: Collection[Watch]) -> list[UUID]:
    """Cards that quote a source, or list something of it by its title."""
    quoting = select(CardMessage.message_id).where(
        CardMessage.tenant_id == tx.tenant_id, _names(CardMessage.source_ids, source_id)
    )
    ids = {*things, *(str(watch.watch_id) for watch in watches)}
    names = {watch.name for watch in watches}
    return [*tx.session.exec(quoting), *_listing(tx, ids, names)]


def _listing(tx: ReadTx, ids: Collection[str], names: Collection[str]) -> Iterator[UUID]:
    """Cards from no source in particular, which may list anything."""
    rows = select(CardMessage.message_id, CardMessage.card).where(
        CardMessage.tenant_id == tx.tenant_id, cast(col(CardMessage.source_ids), String) == "[]"
    )
    for message_id, card in tx.session.exec(rows.execution_options(yield_per=1000)):
        if any(text in ids or any(name in text for name in names) for text in _texts(card)):
            yield message_id


def _texts(value: Any) -> Iterator[str]:
    """Every text within a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def unname(tx: WriteTx, watches: Collection[Watch]) -> int:
    """Take away what watches are called after; how many."""
    for watch in watches:
        watch.name = ERASED
        tx.session.add(watch)
    return len(watches)


# ── a person ──


def person(tx: WriteTx, row: Person) -> Counter[str]:
    """Destroy what a person is called, where they are found and what they chose.

    These, then their cards, then their doings: in this order whoever else has several of them locks them.
    """
    row.display_name, row.email, row.zone, row.locale = ERASED, None, "UTC", "en"
    row.roles, row.active = [], False
    tx.session.add(row)
    tx.session.flush()
    theirs = {"tenant_id": tx.tenant_id, "person_id": row.person_id}
    return Counter(chat_identities=_delete(tx, ChatIdentity, theirs), preferences=_delete(tx, Preference, theirs))


def places_of(tx: ReadTx, person_id: UUID) -> list[Place]:
    """Where a person is found; before they were known there, a stranger spoke to the bot."""
    rows = select(ChatIdentity).where(ChatIdentity.tenant_id == tx.tenant_id, ChatIdentity.person_id == person_id)
    return [Place(row.platform, row.workspace, row.user_id) for row in tx.session.exec(rows)]


def doings(tx: WriteTx, person_id: UUID, places: Iterable[Place]) -> Counter[str]:
    """Destroy what a person said, also before they were known, and end what waits to be done for them."""
    theirs = {"tenant_id": tx.tenant_id, "person_id": person_id}
    unknown = {"tenant_id": tx.tenant_id, "person_id": None}
    places = list(places)
    there = col(Inbox.speaker).in_([speaker(place) for place in places])
    return Counter(
        requests=_delete(tx, IdempotencyKey, {"tenant_id": tx.tenant_id}, _of_their_keys(tx, person_id)),
        api_keys=_delete(tx, ApiKey, theirs),
        chat_addresses=sum(_delete(tx, ChatAddress, _key_of(tx, place)) for place in places),
        preferences=sum(_delete(tx, table, theirs) for table in (Brief, LastShown, WatchMute)),
        events=_delete(tx, Inbox, theirs) + _delete(tx, Inbox, unknown, there),
        local_messages=_delete(tx, LocalMessage, theirs, col(LocalMessage.author) == "person"),
        threads=_delete(tx, ThreadEvent, theirs),
        spool=_delete(tx, Spooled, theirs),
        jobs=_cancel(tx, person_id),
    )


def _of_their_keys(tx: ReadTx, person_id: UUID) -> ColumnElement[bool]:
    keys = select(ApiKey.key_id).where(ApiKey.tenant_id == tx.tenant_id, ApiKey.person_id == person_id)
    return col(IdempotencyKey.key_id).in_(keys)


def _key_of(tx: ReadTx, place: Place) -> dict[str, Any]:
    key = {"platform": place.platform, "workspace": place.workspace, "user_id": place.user_id}
    return {"tenant_id": tx.tenant_id} | key


def watches_of(tx: WriteTx, person_id: UUID) -> int:
    """End a person's watches and take their words out, names and queries; how many."""
    rows = tx.session.exec(select(Watch).where(Watch.tenant_id == tx.tenant_id, Watch.owner_id == person_id)).all()
    for watch in rows:
        watch.enabled = False
        if watch.scope_type == ScopeType.QUERY:
            watch.scope_refs, watch.dedup_key, watch.result_fingerprint = [], f"erased:{watch.watch_id}", None
    of_tenant = {"tenant_id": tx.tenant_id}
    for batch in batches(rows):
        _delete(tx, WatchPending, of_tenant, col(WatchPending.watch_id).in_([watch.watch_id for watch in batch]))
        # What others are on stays, by ids and labels: who comes back may watch it again.
        queries = [watch.watch_id for watch in batch if watch.scope_type == ScopeType.QUERY]
        _delete(tx, WatchScope, of_tenant, col(WatchScope.watch_id).in_(queries))
    return unname(tx, rows)


def answers_of(tx: WriteTx, person_id: UUID) -> list[NodeVersion]:
    """Every version of every answer that a person saved."""
    return [row for row in _answers(tx, _names(NodeVersion.props, person_id)) if row.props["owner"] == str(person_id)]


def traces_of(tx: WriteTx, person_id: UUID) -> int:
    return _emptied(tx, col(Trace.person_id) == person_id)


def traces_saying(tx: WriteTx, ref: UUID, person_ids: Collection[UUID]) -> int:
    """Take the words out of every trace of these whose question holds an event's; how many."""
    return _emptied(tx, and_(col(Trace.person_id).in_(person_ids), _names(Trace.body, ref)))


def cards_to(tx: WriteTx, person_ids: Collection[UUID]) -> list[UUID]:
    """Every card to these, locked."""
    rows = select(CardMessage.message_id).where(
        CardMessage.tenant_id == tx.tenant_id, col(CardMessage.person_id).in_(person_ids)
    )
    return list(tx.session.exec(rows.order_by(col(CardMessage.message_id)).with_for_update()))


def nowhere(tx: WriteTx, cards: Iterable[UUID]) -> None:
    """Take out of cards where their person was found.

    Of one that a platform may show, its subject alone: whoever redacts it there needs the place, and ends it.
    """
    of_tenant, named = {"tenant_id": tx.tenant_id}, [messages.FIRES, messages.BRIEF, messages.ASKS, messages.RESTS]
    of_an_event = and_(*(~col(CardMessage.subject).startswith(begins) for begins in named))
    unshown = col(CardMessage.state).not_in(_SHOWN)
    place = {"platform": "", "workspace": "", "user_id": ""}
    for batch in batches(cards):
        theirs = col(CardMessage.message_id).in_(batch)
        anonymous = literal("erased:") + cast(col(CardMessage.message_id), String)
        _set(tx, CardMessage, of_tenant, theirs, of_an_event, subject=anonymous)
        _set(tx, CardMessage, of_tenant, theirs, unshown, place=place, message_ref=None)


def _cancel(tx: WriteTx, person_id: UUID) -> int:
    """End what waits to be done for a person."""
    rows = update(Job).where(
        col(Job.tenant_id) == tx.tenant_id, col(Job.state) == "ready", _names(Job.payload, person_id)
    )
    return tx.session.connection().execute(rows.values(state="done")).rowcount


# ── cards, whoever's they are ──


def empty(tx: WriteTx, message_ids: Iterable[UUID]) -> list[UUID]:
    """Empty cards; which of them a platform may show."""
    shown: list[UUID] = []
    for message in _filled(tx, message_ids):
        message.card, message.fingerprint, message.revision = {}, "", message.revision + 1
        tx.session.add(message)
        if message.state in _SHOWN:
            shown.append(message.message_id)
        elif message.state in _WITHDRAWN:
            message.state, message.reason = step(CardState(message.state), CardEvent.SKIP), "erased"
            messages.leave_to_next(tx, message.message_id, "erased")
    return shown


def _filled(tx: WriteTx, message_ids: Iterable[UUID]) -> Iterator[CardMessage]:
    """Those of these cards that say something, locked; many at a time, since every other writer waits."""
    for batch in batches(sorted(set(message_ids))):
        rows = select(CardMessage).where(CardMessage.tenant_id == tx.tenant_id, col(CardMessage.message_id).in_(batch))
        found = tx.session.exec(rows.order_by(col(CardMessage.message_id)).with_for_update())
        yield from (message for message in found.all() if message.card)


def local_copies(tx: WriteTx, message_ids: Iterable[UUID]) -> int:
    """Empty what stands of these cards in the inboxes that this database keeps itself; how many."""
    keys = batches(map(str, message_ids))
    of_tenant, emptied = {"tenant_id": tx.tenant_id}, {"body": {}, "revision": col(LocalMessage.revision) + 1}
    key = col(LocalMessage.delivery_key)
    return sum(_set(tx, LocalMessage, of_tenant, key.in_(batch), **emptied) for batch in keys)


# ── rows ──


def _names(column: Any, one: UUID) -> ColumnElement[bool]:
    """Whether a JSON column names an id."""
    return cast(col(column), String).contains(str(one))


def _answers(tx: WriteTx, those: ColumnElement[bool]) -> list[NodeVersion]:
    rows = select(NodeVersion).where(
        NodeVersion.tenant_id == tx.tenant_id, col(NodeVersion.label) == SAVED_ANSWER, those
    )
    return list(tx.session.exec(rows))


def _emptied(tx: WriteTx, those: ColumnElement[bool]) -> int:
    rows = tx.session.exec(select(Trace).where(Trace.tenant_id == tx.tenant_id, those)).all()
    for trace in rows:
        trace.body = trace_without_words(trace.body)
        tx.session.add(trace)
    return len(rows)


def _bare_documents(tx: WriteTx, source_id: UUID) -> int:
    """Leave to each version of a document's own node which version of the text it stood for."""
    rows = select(NodeVersion).where(
        NodeVersion.tenant_id == tx.tenant_id, NodeVersion.source_id == source_id, col(NodeVersion.label) == DOCUMENT
    )
    found = tx.session.exec(rows).all()
    for row in found:
        row.key, row.props = "", {name: value for name, value in row.props.items() if name == "version_tx"}
        tx.session.add(row)
    return len(found)


def _where(table: type[SQLModel], columns: dict[str, Any]) -> ColumnElement[bool]:
    return and_(*(col(getattr(table, name)) == value for name, value in columns.items()))


def _set(
    tx: WriteTx, table: type[SQLModel], columns: dict[str, Any], *those: ColumnElement[bool], **values: Any
) -> int:
    rows = update(table).where(_where(table, columns), *those).values(**values)
    return tx.session.connection().execute(rows).rowcount


def _delete(tx: WriteTx, table: type[SQLModel], columns: dict[str, Any], *those: ColumnElement[bool]) -> int:
    return tx.session.connection().execute(delete(table).where(_where(table, columns), *those)).rowcount
