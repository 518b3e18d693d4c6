"""What the migrations make is what the models say, on both databases, from scratch and step by step."""

from contextlib import closing
from uuid import UUID

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import MetaData, Table, Uuid, bindparam, insert, inspect, select
from sqlalchemy import text as sql
from sqlmodel import SQLModel

from core.errors import StoreUnavailable
from core.model.work import Place, Rewritten
from core.store import migrate
from core.store.database import Database
from tests.support.memories import open_memory
from tests.support.posting import ids


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request, clock, tmp_path):
    """A database without a table."""
    if request.param == "sqlite":
        database = Database(f"sqlite:///{tmp_path / 'empty.db'}", clock)
        yield database
        database.close()
        return
    with request.getfixturevalue("postgres").database() as url:
        database = Database(url, clock)
        yield database
        database.close()


def shape(database):
    """Every table with its columns, keys and indexes, in words that compare."""
    inspected = inspect(database.engine)
    return {
        table: (
            sorted((c["name"], str(c["type"]), c["nullable"]) for c in inspected.get_columns(table)),
            inspected.get_pk_constraint(table)["constrained_columns"],
            sorted(spelt(index) for index in inspected.get_indexes(table)),
            sorted(str(u["column_names"]) for u in inspected.get_unique_constraints(table)),
        )
        for table in inspected.get_table_names()
        if table != "alembic_version"
    }


def spelt(index):
    """An index with its condition, where it has one."""
    options = {name: str(value) for name, value in index.pop("dialect_options", {}).items()}
    return str(sorted((index | options).items()))


def step(database, revision, way=command.upgrade):
    config = migrate._config()
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        way(config, revision)


def test_the_migrations_make_what_the_models_say(empty):
    migrate.upgrade(empty)
    with empty.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []


def test_step_by_step_ends_where_from_scratch_does(empty):
    for script in reversed(list(ScriptDirectory.from_config(migrate._config()).walk_revisions())):
        step(empty, script.revision)
    stepped = shape(empty)
    with empty.engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
        connection.execute(sql("DROP TABLE alembic_version"))
    migrate.upgrade(empty)
    assert shape(empty) == stepped


def test_what_was_written_before_there_were_workspaces_is_worked_on_and_updated(empty, clock):
    step(empty, "0001")
    ada, sent, asked = UUID(int=1), UUID(int=2), f"{UUID(int=1)}:e1"
    old_place = {"workspace": "local", "user_id": str(ada), "conversation": {}}
    card = {"message_id": sent, "person_id": ada, "subject": "event:e0", "kind": "answer", "platform": "local"}
    card |= {
        "place": old_place,
        "nonce": "n1",
        "fingerprint": "",
        "card": {"words": "old"},
        "source_ids": [],
        "shown": [],
    }
    card |= {"state": "sent", "message_ref": "r1", "fence": 1, "lease_until": 0, "attempts": 1, "not_before": 0}
    event = {"event_id": asked, "person_id": ada, "kind": "question", "body": {"text": "?"}, "state": "ready"}
    event |= {"lease_until": 0, "not_before": 0, "attempts": 0, "created_at": 0}
    put_old(empty, "tenant", {"name": "Default", "last_tx": 0})
    put_old(empty, "card_message", card | {"created_at": 0, "sent_at": 0})
    put_old(empty, "inbox", event)

    with closing(open_memory(empty.url.render_as_string(hide_password=False), clock)) as memory:
        place = Place("local", "local", str(ada))
        assert [one.place for one in memory.inbound.lease()] == [place]
        assert memory.local.history("default", ada)[1] == {"e1"}
        assert not memory.inbound.receive("default", place, "e1", "question", {}), "a repeat of it is one"
        shown = memory.messages.rewrite("default", sent, lambda _, __: Rewritten({"words": "new"}))
        assert (shown.place, ids(memory.outcomes.outdated())) == (place, [sent])


def test_entries_that_stand_are_of_their_tenants_model_and_back_again(empty):
    step(empty, "0006")
    entry = {"node_id": UUID(int=1), "source_id": UUID(int=2), "text_hash": b"h", "dense": b"v", "added_tx": 3}
    models = {"default": ("m", 9), "blind": (None, None), "fresh": (None, None)}
    for tenant, (model, dim) in models.items():
        tenant_row = {"tenant_id": tenant, "name": "", "last_tx": 3, "embed_model": model, "embed_dim": dim}
        put_old(empty, "tenant", tenant_row)
        if tenant != "fresh":
            put_old(empty, "recall_entry", entry | {"tenant_id": tenant, "terms": {"word": 2}})
    before = of_tenants(empty, "recall_entry", "terms", "dense", "added_tx")

    step(empty, "0007")
    assert of_tenants(empty, "recall_entry", "model") == {"default": ("m",), "blind": ("",)}
    assert of_tenants(empty, "recall_entry", "terms", "dense", "added_tx") == before
    moved = of_tenants(empty, "tenant", "embed_model", "embed_dim")
    assert moved == {"default": ("m", 9), "blind": ("", 0), "fresh": (None, None)}

    put_old(empty, "recall_entry", entry | {"tenant_id": "default", "terms": {}, "model": "half done"})
    step(empty, "0006", command.downgrade)
    assert of_tenants(empty, "recall_entry", "terms", "dense", "added_tx") == before
    assert of_tenants(empty, "tenant", "embed_model", "embed_dim") == models


def of_tenants(database, table, *columns):
    """Some columns of the one row that each tenant has."""
    with database.engine.connect() as connection:
        there = Table(table, MetaData(), autoload_with=connection)
        rows = connection.execute(select(there.c.tenant_id, *(there.c[name] for name in columns))).all()
    assert len({tenant for tenant, *_ in rows}) == len(rows)
    return {tenant: tuple(values) for tenant, *values in rows}


def put_old(database, table, row):
    """Write a row into a table as it is by now."""
    with database.engine.begin() as connection:
        there = Table(table, MetaData(), autoload_with=connection)
        types = {name: Uuid() for name in row if isinstance(row[name], UUID)}
        row = {"tenant_id": "default"} | row
        values = {name: bindparam(name, type_=types.get(name)) for name in row}
        connection.execute(insert(there).values(**values), row)


def test_upgrading_again_changes_nothing(empty):
    migrate.upgrade(empty)
    before = shape(empty)
    migrate.upgrade(empty)
    assert shape(empty) == before


def test_every_primary_key_leads_with_the_tenant(empty):
    migrate.upgrade(empty)
    inspected = inspect(empty.engine)
    keys = {table: inspected.get_pk_constraint(table)["constrained_columns"][0] for table in shape(empty)}
    assert set(keys.values()) == {"tenant_id"}


def test_a_database_of_a_newer_program_is_left_alone(empty):
    migrate.upgrade(empty)
    with empty.engine.begin() as connection:
        connection.execute(sql("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreUnavailable, match="newer clarify-bot"):
        migrate.upgrade(empty)


def test_a_memory_opened_on_an_empty_database_works_at_once(empty, clock):
    url = empty.url.render_as_string(hide_password=False)
    memory = open_memory(url, clock)
    memory.people.ensure_tenant("default", "Default")
    assert memory.status("default").documents == 0
    memory.close()
