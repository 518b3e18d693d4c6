"""Every column that can hold words, or say who somebody is, and what an erasure does with it.

A column that is new fails here until somebody has decided. Where it is destroyed, this is tried: a canary in each.
"""

from collections import Counter
from typing import Any, get_args, get_origin
from uuid import UUID, uuid5

import pytest
from sqlalchemy import Boolean, Float, Integer, LargeBinary, Uuid
from sqlmodel import SQLModel

from core.errors import UnknownKey
from core.model.nodes import SAVED_ANSWER, SECTION
from core.model.watching import ScopeType, TargetKind
from core.model.work import Place
from core.store import tables
from core.store.inbox import speaker
from tests.support.memories import NOW, add_person, dump, page, place_of, put, source_id

ID = "an id: it says nothing to whom nobody has told whose it is"
CODE = "one of a closed list, or a name that the program gives"
OPERATOR = "what whoever runs the bot calls their own things; they take it out themselves"
WITH_SOURCE = "destroyed with the document"
WITH_PERSON = "destroyed with the person"
WITH_EITHER = "destroyed with the document, and with the person"
UNKEYED = "a hash whose key is destroyed: nobody can guess at what it is of"
SCOPED = "ids and labels; of a query, whose words it would be, destroyed with the person"
REASON = "why it was erased, in the operator's words: the report would be worth nothing without"
KEPT_OUT = "the address of a document that was erased, so that it is not taken in again"
PLATFORM = "which platform and workspace it goes to: where everybody of it is"
OF_IDENTITY = "the place of a chat identity, destroyed with that"
ONCE_REDACTED = "needed to redact the platform's copy, and destroyed with that; at once where there is none"

FATES: dict[str, dict[str, str]] = {
    "api_key": {WITH_PERSON: "name key_hash roles", ID: "key_id person_id"},
    "audit": {ID: "audit_id actor target", CODE: "action outcome detail"},
    "boundary": {CODE: "ref_type label", ID: "ref_id"},
    "brief": {WITH_PERSON: "period slot", ID: "person_id"},
    "card_grant": {ID: "fingerprint body"},
    "card_message": {
        WITH_EITHER: "card fingerprint",
        WITH_PERSON: "subject",
        ONCE_REDACTED: "place message_ref",
        PLATFORM: "platform workspace",
        ID: "message_id person_id nonce source_ids shown",
        CODE: "kind state reason",
    },
    "chat_address": {WITH_PERSON: "detail", OF_IDENTITY: "platform workspace user_id"},
    "chat_identity": {WITH_PERSON: "platform workspace user_id state reason", ID: "person_id"},
    "clarification": {
        WITH_SOURCE: "question options",
        ID: "clarification_id node_id votes asked audience settled_by",
        CODE: "prop state",
    },
    "edge_version": {ID: "edge_id from_id to_id source_id", CODE: "label"},
    "erasure": {ID: "erasure_id actor subject_id report", CODE: "subject_type", REASON: "reason"},
    "feed": {ID: "ref_id", CODE: "ref_type label change"},
    "idempotency_key": {WITH_PERSON: "name content said", ID: "key_id"},
    "inbox": {WITH_PERSON: "event_id speaker place body kind state result", ID: "person_id"},
    "job": {ID: "job_id payload", CODE: "kind audience state lease_owner error"},
    "job_lane": {CODE: "kind"},
    "last_shown": {ID: "person_id ref_id"},
    "local_message": {WITH_EITHER: "body", ID: "message_id person_id delivery_key", CODE: "author"},
    "node_version": {
        WITH_EITHER: "props",
        WITH_SOURCE: "key",
        ID: "node_id source_id provenance readers",
        CODE: "label",
    },
    "notify_delivery": {ID: "fire_id person_id message_id", CODE: "kind state reason cadence"},
    "person": {WITH_PERSON: "display_name email zone locale roles", ID: "person_id"},
    "preference": {WITH_PERSON: "name value", ID: "person_id"},
    "recall_entry": {WITH_SOURCE: "model text_hash dense terms", ID: "node_id source_id"},
    "source": {WITH_SOURCE: "name readers hash_key source_set", ID: "source_id", KEPT_OUT: "uri"},
    "source_sighting": {ID: "source_id"},
    "source_version": {WITH_SOURCE: "text", UNKEYED: "text_hash", ID: "source_id", CODE: "media_type"},
    "span": {WITH_SOURCE: "path", UNKEYED: "text_hash", ID: "source_id", CODE: "kind"},
    "spooled": {WITH_EITHER: "content", ID: "ref person_id source_ids"},
    "sweep_checkpoint": {},
    "tenant": {OPERATOR: "name", CODE: "embed_model"},
    "thread_event": {
        WITH_EITHER: "content",
        WITH_PERSON: "event_id calls answers compacted role kind retention",
        ID: "ref thread_id person_id source_ids",
    },
    "token_factor": {CODE: "model"},
    "trace": {WITH_EITHER: "body", ID: "trace_id person_id key_id", CODE: "kind"},
    "used_jti": {ID: "jti"},
    "watch": {
        WITH_EITHER: "name",
        SCOPED: "scope_refs dedup_key result_fingerprint",
        ID: "watch_id owner_id target",
        CODE: "scope_type events cadence suspended",
    },
    "watch_fire": {ID: "fire_id watch_id events job_id", CODE: "target_kind status reason"},
    "watch_mute": {ID: "watch_id person_id"},
    "watch_pending": {WITH_PERSON: "kind ref_type", ID: "watch_id ref_id"},
    "watch_scope": {SCOPED: "scope_ref", ID: "watch_id", CODE: "scope_type"},
    "webhook": {OPERATOR: "name url roles", ID: "webhook_id secret_hash", CODE: "reason"},
    "workspace": {OPERATOR: "platform workspace name detail", CODE: "state reason"},
}
TABLES = {table.__tablename__: table for table in (getattr(tables, name) for name in tables.__all__)}
NUMBERS = (Integer, Float, Boolean)


def speaking(table: str) -> set[str]:
    """The columns of a table that could say something; of which tenant a row is, says nothing of anybody."""
    columns = SQLModel.metadata.tables[table].columns
    return {one.name for one in columns if one.name != "tenant_id" and not isinstance(one.type, NUMBERS)}


@pytest.mark.parametrize("table", sorted(SQLModel.metadata.tables))
def test_somebody_has_decided_what_becomes_of_every_column(table):
    decided = Counter(name for columns in FATES.get(table, {}).values() for name in columns.split())
    assert dict(decided) == dict.fromkeys(speaking(table), 1)


def canary(table: str, column: str) -> str:
    return f"<{table} {column}>"


def destroyed(*fates: str) -> set[str]:
    return {
        canary(table, column)
        for table, columns in FATES.items()
        for fate, names in columns.items()
        if fate in fates
        for column in names.split()
    }


def filled(table: str, **given: Any) -> SQLModel:
    """A row with a canary in every column that has words, but for those that are given."""
    values = {column.name: _value(table, column) for column in SQLModel.metadata.tables[table].columns}
    return TABLES[table](**{**values, "tenant_id": "default", **given})


def _value(table: str, column: Any) -> Any:
    words, annotation = canary(table, column.name), TABLES[table].model_fields[column.name].annotation
    kinds = {get_origin(one) or one for one in (annotation, *get_args(annotation))}
    if isinstance(column.type, Uuid):
        return uuid5(UUID(int=0), words)
    if isinstance(column.type, LargeBinary):
        return words.encode()
    if isinstance(column.type, NUMBERS):
        return 0
    return {"words": words} if dict in kinds else [words] if list in kinds else words


def plant(memory, rows):
    with memory._database.write("default") as tx:
        for row in rows:
            tx.session.merge(row)


HERS = Place(*(canary("chat_identity", name) for name in ("platform", "workspace", "user_id")))
DEVICE = UUID(int=5)


def of_a_person(memory, person_id):
    """A row of theirs in every table that has any."""
    there = {"platform": HERS.platform, "workspace": HERS.workspace, "user_id": HERS.user_id}
    watch, target = UUID(int=6), {"kind": TargetKind.PERSON, "person_id": str(person_id)}
    query = {"scope_type": ScopeType.QUERY, "target": target, "owner_id": person_id}
    answer = {
        "owner": str(person_id), "question": canary("node_version", "props"), "answerText": "", "claims": [],
        "status": "current", "severity": None, "supersededBy": None,
    }  # fmt: skip
    theirs = ("brief", "preference", "thread_event", "spooled", "last_shown", "notify_delivery", "watch_mute")
    yield from (filled(table, person_id=person_id) for table in theirs)
    yield filled("person", person_id=person_id)
    yield filled("api_key", key_id=DEVICE, person_id=person_id)
    yield filled("idempotency_key", key_id=DEVICE)
    yield filled("chat_identity", person_id=person_id, **there)
    yield filled("chat_address", **there)
    yield filled("inbox", person_id=person_id)
    yield filled("inbox", event_id="early", person_id=None, speaker=speaker(HERS))
    yield filled("card_message", person_id=person_id, state="failed", source_ids=[], shown=[])
    yield filled("local_message", person_id=person_id, author="person")
    yield filled("trace", person_id=person_id, body={"question": canary("trace", "body")})
    yield filled("watch", watch_id=watch, **query)
    yield filled("watch_scope", watch_id=watch, scope_type=ScopeType.QUERY)
    yield filled("watch_pending", watch_id=watch)
    yield filled("node_version", label=SAVED_ANSWER, props=answer, source_id=None, valid_end=NOW, tx_end=NOW)


def of_a_source(source):
    """A row in every table that has words of it."""
    sid, message, watch = str(source), UUID(int=7), UUID(int=8)
    option = {"value": canary("clarification", "options"), "provenance": [[sid, 1, 0, 1]]}
    said = {"question": canary("trace", "body"), "coordinates": [[sid, 1, 0, 1]]}
    yield filled("source_version", source_id=source)
    yield filled("span", source_id=source)
    yield filled("node_version", source_id=source, label=SECTION, valid_end=NOW, tx_end=NOW)
    yield filled("recall_entry", source_id=source)
    yield filled("clarification", options=[option])
    yield filled("thread_event", source_ids=[sid])
    yield filled("spooled", source_ids=[sid])
    yield filled("card_message", message_id=message, state="failed", source_ids=[sid], shown=[])
    yield filled("local_message", delivery_key=str(message))
    yield filled("trace", body=said)
    yield filled("watch", watch_id=watch, scope_type=ScopeType.SOURCE, target={"kind": TargetKind.PERSON})
    yield filled("watch_scope", watch_id=watch, scope_ref=sid)


def test_nothing_is_left_in_any_column_that_is_destroyed_with_a_person(memory):
    person_id = add_person(memory, "Quentin").person_id
    plant(memory, of_a_person(memory, person_id))
    gone = destroyed(WITH_PERSON, WITH_EITHER, SCOPED, ONCE_REDACTED)
    assert {words for words in gone if words not in dump(memory)} == set(), "else this would prove nothing"
    memory.erase(person_id, "left")
    assert {words for words in gone if words in dump(memory)} == set()


def test_nothing_is_left_in_any_column_that_is_destroyed_with_a_source(memory):
    put(memory, "a.md", page("A", {"B": "A meal may cost at most 40 EUR."}))
    source = source_id("a.md")
    named = {name: canary("source", name) for name in ("name", "source_set")}
    plant(memory, [*of_a_source(source), filled("source", source_id=source, uri="a.md", **named)])
    gone = destroyed(WITH_SOURCE, WITH_EITHER)
    assert {words for words in gone if words not in dump(memory)} == set(), "else this would prove nothing"
    memory.erase(source, "asked for")
    assert {words for words in gone if words in dump(memory)} == set()


def test_of_a_card_that_a_platform_shows_the_place_is_left_until_it_is_redacted(memory):
    quentin = add_person(memory, "Quentin", bound=False).person_id
    ways = {"message_ref": canary("card_message", "message_ref"), "card": {"words": "w"}}
    shown = {"place": {"platform": "slack", "workspace": "T1", "user_id": "U0QUENTIN"}, **ways}
    message_id = UUID(int=9)
    plant(memory, [filled("card_message", message_id=message_id, person_id=quentin, state="sent", shown=[], **shown)])
    memory.erase(quentin, "left")
    assert ("U0QUENTIN" in dump(memory), ways["message_ref"] in dump(memory)) == (True, True)
    memory.outcomes.redact("default", message_id)
    memory.outcomes.updated(memory.outcomes.updating("default", message_id, lambda left: left))
    assert ("U0QUENTIN" in dump(memory), ways["message_ref"] in dump(memory)) == (False, False)


def test_a_key_of_somebody_who_was_erased_is_unknown_even_if_they_come_back(memory):
    quentin = add_person(memory, "Quentin")
    secret = memory.api_keys.create("default", "laptop", person_id=quentin.person_id).secret
    memory.erase(quentin.person_id, "left")
    add_person(memory, "Quentin")
    with pytest.raises(UnknownKey):
        memory.api_keys.principal_of(secret)
    assert memory.api_keys.all("default") == []


def test_keys_of_others_and_of_nobody_stay(memory):
    quentin, bob = add_person(memory, "Quentin"), add_person(memory, "Bob")
    of_bob = memory.api_keys.create("default", "his", person_id=bob.person_id).secret
    of_nobody = memory.api_keys.create("default", "a program", ["member"]).secret
    memory.erase(quentin.person_id, "left")
    assert memory.api_keys.principal_of(of_bob).person_id == bob.person_id
    assert memory.api_keys.principal_of(of_nobody).person is None


def test_what_they_said_is_named_after_them_and_gone(memory):
    """The id of an event begins with the platform's id of whoever said it."""
    quentin = add_person(memory, "Quentin")
    memory.inbound.receive("default", place_of(quentin.person_id), "e1", "question", {"text": "cinnamon"})
    assert memory.erase(quentin.person_id, "left").surfaces["events"] == 1
    assert "cinnamon" not in dump(memory)
    assert memory.inbound.lease() == []
