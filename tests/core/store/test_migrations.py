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
from sqlmodel import Session, SQLModel

from core.errors import StoreUnavailable
from core.jobs.kinds import Audience, JobKind
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


def test_jobs_that_waited_before_there_were_turns_are_leased(empty, clock):
    step(empty, "0009")
    job = {"kind": "check:answer", "audience": "internal", "payload": {}, "lease_owner": None, "lease_until": 0}
    job |= {"attempts": 0, "error": None, "created_at": 0, "state": "ready"}
    for tenant, not_before in (("soon", 5), ("later", clock.now() + 5)):
        put_old(empty, "tenant", {"tenant_id": tenant, "name": tenant, "last_tx": 0})
        put_old(empty, "job", job | {"tenant_id": tenant, "job_id": UUID(int=1), "not_before": not_before})
        put_old(
            empty, "job", job | {"tenant_id": tenant, "job_id": UUID(int=2), "not_before": not_before, "state": "done"}
        )
    with closing(open_memory(empty.url.render_as_string(hide_password=False), clock)) as memory:
        kinds = [JobKind.CHECK_ANSWER]
        assert [one.tenant_id for one in memory.jobs.lease(Audience.INTERNAL, kinds, "me", 9)] == ["soon"]
        clock.advance(5)
        assert [one.tenant_id for one in memory.jobs.lease(Audience.INTERNAL, kinds, "me", 9)] == ["later"]


def of_tenants(database, table, *columns):
    """Some columns of the one row that each tenant has."""
    with database.engine.connect() as connection:
        there = Table(table, MetaData(), autoload_with=connection)
        rows = connection.execute(select(there.c.tenant_id, *(there.c[name] for name in columns))).all()
    assert len({tenant for tenant, *_ in rows}) == len(rows)
    return {tenant: tuple(values) for tenant, *values in rows}


def test_briefs_that_stand_are_weekly_and_so_are_their_jobs_and_back_again(empty):
    step(empty, "0013")
    brief = {"person_id": UUID(int=1), "cursor_tx": 3, "week": "2026-W49", "sent_at": 4, "next_due_at": 5}
    job = {"kind": "notify:brief", "audience": "clarify", "lease_owner": None, "lease_until": 0, "not_before": 0}
    job |= {"attempts": 0, "error": None, "created_at": 0, "state": "ready", "job_id": UUID(int=1)}
    said = {"person_id": str(UUID(int=1)), "week": "2026-W49"}
    put_old(empty, "tenant", {"name": "", "last_tx": 3})
    put_old(empty, "brief", brief)
    put_old(empty, "job", job | {"payload": said})

    step(empty, "0014")
    assert of_tenants(empty, "brief", "period", "slot", "cursor_tx") == {"default": ("weekly", "2026-W49", 3)}
    [(now,)] = of_tenants(empty, "job", "payload").values()
    assert now == {"person_id": str(UUID(int=1)), "period": "weekly", "slot": "2026-W49"}

    for period, slot in (("daily", "2026-12-07"), ("hourly", "2026-12-07T09:00Z")):
        put_old(empty, "brief", paced(brief, period, slot))
        put_old(empty, "job", job | {"job_id": UUID(int=len(slot)), "payload": now | {"period": period, "slot": slot}})
    step(empty, "0013", command.downgrade)
    assert of_tenants(empty, "brief", "week", "cursor_tx") == {"default": ("2026-W49", 3)}
    assert of_tenants(empty, "job", "payload") == {"default": (said,)}


def paced(brief, period, slot):
    return {name: value for name, value in brief.items() if name != "week"} | {"period": period, "slot": slot}


# ── rows of every table, there and back ──

REVISIONS = [script.revision for script in ScriptDirectory.from_config(migrate._config()).walk_revisions()][::-1]
PLACE = {"platform": "local", "workspace": "local", "user_id": "u", "conversation": {}}
"""Any JSON that stands in a row: migrations read it in the places that cards and events have."""


# Only the newest steps are walked one by one: an older one never changes again, and is on the way from its day to ours.


MADE_UP_FOR = {"0001": ("card_message", "inbox")}
"""Tables of which 0004 changes rows of that time for good: what was there before reads them too."""


NEVER_USED = {("chat_identity", "conversation")}
"""JSON columns that never held anything, and are gone by now."""


def back(database, revision):
    config = migrate._config()
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def reflected(database):
    """Every table as it is by now, but alembic's own."""
    metadata = MetaData()
    metadata.reflect(database.engine)
    return {table.name: table for table in metadata.sorted_tables if table.name != "alembic_version"}


def example(column, sqlite):
    """A value of a column's type; ids are alike everywhere, so that rows belong together."""
    kind = str(column.type)
    if (column.table.name, column.name) in NEVER_USED:
        return {}
    if column.name == "tenant_id":
        return "default"
    if kind.startswith(("UUID", "CHAR")):
        return UUID(int=7).hex if sqlite else UUID(int=7)
    if kind.startswith("JSON"):
        return PLACE
    if kind in {"BLOB", "BYTEA"}:
        return b"bytes"
    return "m" if kind.startswith(("VARCHAR", "TEXT")) else 1 if "INT" in kind else column.type.python_type(1)


def fill(database):
    """A row in every table."""
    with database.engine.begin() as connection:
        for table in reflected(database).values():
            row = {column.name: example(column, database.is_sqlite) for column in table.columns}
            connection.execute(insert(table), row)


def contents(database):
    with database.engine.connect() as connection:
        return {
            name: [dict(row) for row in connection.execute(select(table)).mappings()]
            for name, table in reflected(database).items()
        }


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_row_in_every_table_of_a_revision_is_there_today_and_back_then(empty, revision):
    step(empty, revision)
    fill(empty)
    before = contents(empty)
    assert all(len(rows) == 1 for rows in before.values())
    migrate.upgrade(empty)
    after = contents(empty)
    assert {name: len(after[name]) for name in before} == dict.fromkeys(before, 1)
    with Session(empty.engine) as session:
        for mapper in SQLModel._sa_registry.mappers:
            session.exec(select(mapper.class_)).all()  # today's models read what was written then
    back(empty, revision)
    stays = MADE_UP_FOR.get(revision, ())
    assert contents(empty) == before | {name: contents(empty)[name] for name in stays}


@pytest.mark.parametrize("revision", REVISIONS[-5:])
def test_one_step_back_and_forward_leaves_the_rows_of_a_revision_readable_and_its_tables_as_they_were(empty, revision):
    step(empty, revision)
    fill(empty)
    tables, lengths = shape(empty), {name: len(rows) for name, rows in contents(empty).items()}
    back(empty, "-1")
    older = contents(empty)
    step(empty, revision)
    assert shape(empty) == tables
    newer = {name: len(rows) for name, rows in contents(empty).items()}
    assert newer == {name: length if name in older else 0 for name, length in lengths.items()}


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
