"""What is exported of a person is every row that is about them, whatever table it is in, and nothing of others."""

import json
from uuid import UUID

import pytest
from sqlalchemy import JSON, inspect
from sqlmodel import SQLModel

from core.errors import NotFound
from core.ids import random_id
from core.model.nodes import SAVED_ANSWER
from core.store.disclosure import CONDITIONS
from core.store.inbox import speaker
from core.store.tables import (
    ApiKey,
    Audit,
    CardGrant,
    ChatAddress,
    ChatIdentity,
    Clarification,
    IdempotencyKey,
    Inbox,
    Job,
    NodeVersion,
    Person,
    Preference,
    Source,
    Watch,
    WatchFire,
    WatchPending,
    WatchScope,
)
from tests.core.erasure.test_erasing_people import lived
from tests.support.memories import page, place_of, put, rows

OF_NOBODY = {
    "boundary": "when a fact begins or ends",
    "edge_version": "what leads from one document to another",
    "feed": "ids of what changed",
    "job_lane": "turns of a tenant",
    "recall_entry": "what documents are found by",
    "source_sighting": "when a document was looked at",
    "source_version": "words of documents",
    "span": "places in documents",
    "sweep_checkpoint": "how far a tenant was swept",
    "tenant": "the company",
    "token_factor": "what a model's tokens are",
    "used_jti": "numbers that are used up",
    "webhook": "programs, which are told by their own rights",
    "workspace": "a company's place on a platform",
}
"""Tables in which no row is about anybody, and what they hold."""
PEOPLE = {"person_id", "owner_id"}
"""Columns that name a person in every table that has them."""


def mapped():
    return {mapper.local_table.name: mapper.class_ for mapper in SQLModel._sa_registry.mappers}


def test_every_table_is_exported_or_said_to_be_about_nobody():
    exported = {table.__tablename__ for table in CONDITIONS} | {"audit"}
    assert exported | OF_NOBODY.keys() == mapped().keys()
    assert not exported & OF_NOBODY.keys()
    naming = {name for name, table in mapped().items() if PEOPLE & set(inspect(table).columns.keys())}
    assert naming <= exported


def row_of(table, person_id, key_id, watch_id):
    """A row with something in every column, about one person."""
    who = str(person_id)
    named = {
        CardGrant: {"body": {"person_id": who}},
        ChatAddress: {"platform": "local", "workspace": "local", "user_id": who},
        ChatIdentity: {"platform": "local", "workspace": "w2"},
        ApiKey: {"key_id": key_id},
        IdempotencyKey: {"key_id": key_id},
        Watch: {"watch_id": watch_id},
        WatchScope: {"watch_id": watch_id},
        WatchPending: {"watch_id": watch_id},
        WatchFire: {"watch_id": watch_id},
        NodeVersion: {"label": SAVED_ANSWER, "props": {"owner": who}},
        Source: {"readers": [f"person:{who}"]},
        Clarification: {"votes": {who: 1}},
        Job: {"payload": {"person_id": who}},
        Audit: {"actor": f"person:{who}"},
    }
    made = {column.name: _something(column) for column in table.__table__.columns}
    made |= dict.fromkeys(PEOPLE & made.keys(), person_id)
    if "subject_id" in made:
        made["subject_id"] = person_id
    return table(**(made | {"tenant_id": "default"} | named.get(table, {})))


def _something(column):
    if isinstance(column.type, JSON):
        return []
    kinds = {UUID: random_id(), int: 1, bytes: random_id().bytes, bool: False, float: 1.0}
    return kinds.get(column.type.python_type, f"{random_id()}")


def planted(memory, person_id):
    """A row about somebody in every table that can have one; how many there are in each then."""
    key_id, watch_id = random_id(), random_id()
    tables = [table for table in (*CONDITIONS, Audit) if table is not Person]
    with memory._database.write("default") as tx:
        for table in tables:
            tx.session.add(row_of(table, person_id, key_id, watch_id))
    return {table.__tablename__ for table in (*tables, Person)}


def test_a_row_about_them_is_found_in_every_table_and_one_about_another_in_none(memory, ada, bob):
    assert planted(memory, ada.person_id) == planted(memory, bob.person_id)
    for who, other in ((ada, bob), (bob, ada)):
        found = memory.people.export("default", who.person_id)
        assert {name for name, told in found.items() if not told} == set()
        assert str(other.person_id) not in json.dumps(found, default=str)
        assert {len(told) for name, told in found.items() if name not in {"chat_identity", "audit"}} == {1}


def test_what_somebody_lived_through_is_told_and_what_another_did_is_not(memory, ada, bob):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    for who in (ada, bob):
        lived(memory, who)
    found = memory.people.export("default", ada.person_id)
    told = json.dumps(found, default=str)
    assert "What may a meal of Quentin cost at most?" in told
    assert str(bob.person_id) not in told
    assert found["person"][0]["display_name"] == "Ada"
    for name, table in mapped().items():
        naming = [row for row in rows(memory, table) if str(ada.person_id) in str(vars(row))]
        assert len(naming) <= len(found.get(name, ())), f"what {name} says of her"


def test_of_what_several_are_in_only_their_own_part_is_told(memory, ada, bob):
    both = {str(ada.person_id): 1, str(bob.person_id): 2}
    shared = [
        Clarification(clarification_id=random_id(), tx_start=1, tx_end=2, node_id=random_id(), question="Which?",
                      votes=both, asked=[*both], audience=[*both], options=[], settled_by=f"person:{bob.person_id}"),
        Source(source_id=random_id(), uri="hers.md", name="n", readers=[f"person:{one}" for one in both],
               hash_key=b"k", checked_at=0),
        Watch(watch_id=random_id(), owner_id=bob.person_id, name="Prices", scope_type="entity", scope_refs=[],
              events=[], target={"person_ids": [*both]}, debounce_secs=0, dedup_key="d", created_tx=1, created_at=1),
    ]  # fmt: skip
    with memory._database.write("default") as tx:
        for row in shared:
            row.tenant_id = "default"
            tx.session.add(row)
    found = memory.people.export("default", ada.person_id)
    assert str(bob.person_id) not in json.dumps(found, default=str)
    [vote] = found["clarification"]
    assert (vote["vote"], vote["was_asked"], vote["settled_it"]) == (1, True, False)
    assert [one["uri"] for one in found["source"]] == ["hers.md"]
    assert [one["name"] for one in found["watch"]] == ["Prices"]


def test_no_secret_is_told(memory, ada):
    made = memory.api_keys.create("default", "importer", person_id=ada.person_id)
    [key] = rows(memory, ApiKey)
    memory.messages.post("default", ada.person_id, place_of(ada.person_id), "s", "notice", lambda nonce: {"n": 1})
    told = json.dumps(memory.people.export("default", ada.person_id), default=str)
    assert str(made.key_id) in told
    assert key.key_hash.hex() not in told
    assert '"nonce"' not in told


def test_what_they_said_before_they_were_known_is_theirs(memory, ada, bob):
    stranger = {"tenant_id": "default", "person_id": None, "kind": "question", "created_at": 1, "place": {}}
    with memory._database.write("default") as tx:
        for who in (ada, bob):
            theirs = {"speaker": speaker(place_of(who.person_id)), "body": {"text": f"I am {who.person_id}"}}
            tx.session.add(Inbox(event_id=f"e {who.person_id}", **stranger, **theirs))
    told = [row["body"]["text"] for row in memory.people.export("default", ada.person_id)["inbox"]]
    assert told == [f"I am {ada.person_id}"]


def test_of_another_tenant_nothing_is_told_and_an_export_is_written_down(memory, ada):
    memory.people.ensure_tenant("second", "Second")
    with memory._database.write("second") as tx:
        tx.session.add(Preference(tenant_id="second", person_id=ada.person_id, name="brief_day", value="friday"))
    told = memory.people.export("default", ada.person_id)
    assert (len(told["person"]), told["preference"]) == (1, [])
    assert [row.action for row in rows(memory, Audit)].count("person_exported") == 1
    with pytest.raises(NotFound):
        memory.people.export("default", random_id())
