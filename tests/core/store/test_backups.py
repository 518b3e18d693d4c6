"""A backup is one moment of the whole database, in one checked file, and comes back into either kind of database."""

import json
import sqlite3
import threading
from contextlib import closing
from itertools import count

import psycopg
import pytest
from sqlmodel import SQLModel, select

from core import maintenance
from core.errors import Erased, InvalidRequest, StoreUnavailable
from core.graph.records import Record
from core.ids import random_id
from core.maintenance import backup, restore
from core.store import drafts
from core.store.drafts import draft_beside
from core.store.migrate import upgrade
from core.store.tables import Feed, NodeVersion, Source, SourceVersion, Tenant
from tests.core.erasure.test_erasing_people import lived
from tests.support.connections import keeping_none
from tests.support.memories import add_person, dump, open_memory, page, put, rows
from tests.support.room import room_for


@pytest.fixture(autouse=True)
def _no_other_sessions(postgres_database):
    with keeping_none():
        yield


@pytest.fixture
def lived_in(memory, ada):
    """A memory in which something happened."""
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR."}))
    memory.put_node(Record(random_id(), "RULE", {"none": None, "half": 0.1}, readers=("everyone",)))
    lived(memory, ada)
    return memory


@pytest.fixture
def made(lived_in, database_url, tmp_path, clock):
    backup(database_url, tmp_path / "b.backup", clock=clock)
    return tmp_path / "b.backup"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request, tmp_path):
    """Another database, that was never set up."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'other' / 'memory.db'}"
        return
    with request.getfixturevalue("postgres").database() as url:
        yield url


def leftovers(folder):
    return [file.name for file in folder.iterdir() if "draft" in file.name]


def test_what_was_backed_up_comes_back_row_by_row_into_either_database(lived_in, made, empty_url, clock, tmp_path):
    (tmp_path / "other").mkdir()
    restored = restore(empty_url, made, clock=clock)
    with closing(open_memory(empty_url, clock)) as memory:
        assert everything(memory) == everything(lived_in)
        assert "40 EUR" in dump(memory), "else this would prove nothing"
    counted = {table.name: len(rows(lived_in, _mapped(table), None)) for table in SQLModel.metadata.sorted_tables}
    assert {name: digest.rows for name, digest in restored.manifest.tables.items() if name in counted} == counted
    assert not leftovers(tmp_path) + leftovers(tmp_path / "other")


def everything(memory):
    """Every row of every table, whatever order a database keeps them, and the members of its JSON, in."""
    with memory._database.engine.connect() as connection:
        tables = SQLModel.metadata.sorted_tables
        found = ((table.name, connection.execute(select(table))) for table in tables)
        return {name: sorted(json.dumps([*row], sort_keys=True, default=repr) for row in rows) for name, rows in found}


def _mapped(table):
    return next(m.class_ for m in SQLModel._sa_registry.mappers if m.local_table is table)


def test_a_backup_of_a_database_that_is_being_written_is_one_moment_of_it(memory, database_url, tmp_path, clock):
    """Each document is one transaction: of each there is all or nothing, and none that came after what is missing."""
    numbers, stop, begun = count(), threading.Event(), threading.Event()

    def write():
        while not stop.is_set():
            number = next(numbers)
            memory.ingest(f"{number}.md", page(f"Page {number}", {"Meals": f"{number} EUR."}), readers=["everyone"])
            begun.set()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        assert begun.wait(30)
        files = [tmp_path / f"{number}.backup" for number in range(3)]
        for file in files:
            backup(database_url, file, clock=clock)
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    held = [_documents(file, tmp_path, clock) for file in files]
    assert held[0]
    assert held == sorted(held, key=len)
    assert set(held[0]) <= set(held[-1]) <= {source.uri for source in rows(memory, Source)}


def _documents(file, tmp_path, clock):
    """The documents of a backup, each of them whole."""
    url = f"sqlite:///{tmp_path / file.stem}.db"
    restore(url, file, clock=clock)
    with closing(open_memory(url, clock)) as memory:
        told = {row.tx for row in rows(memory, Feed)}
        versions = rows(memory, SourceVersion)
        assert {row.tx_start for row in rows(memory, NodeVersion)} == told == {row.version_tx for row in versions}
        assert [row.last_tx for row in rows(memory, Tenant)] == [max(told)]
        assert {row.source_id for row in versions} == {row.source_id for row in rows(memory, Source)}
        memory.sweep()
        return sorted(row.uri for row in rows(memory, Source))


def test_a_file_that_is_there_is_replaced_only_when_that_is_said(made, database_url, clock):
    before = made.read_bytes()
    with pytest.raises(InvalidRequest, match=r"is there already: .*--replace"):
        backup(database_url, made, clock=clock)
    assert made.read_bytes() == before
    clock.advance(1)
    backup(database_url, made, replace=True, clock=clock)
    assert made.read_bytes() != before


def test_half_a_backup_has_no_name_and_leaves_the_one_before(made, database_url, clock, tmp_path, monkeypatch):
    before = made.read_bytes()

    def full(*_):
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(maintenance.backups, "_seal", full)
    for out, replace in ((made, True), (tmp_path / "c.backup", False)):
        with pytest.raises(StoreUnavailable):
            backup(database_url, out, replace=replace, clock=clock)
    assert (made.read_bytes(), (tmp_path / "c.backup").exists(), leftovers(tmp_path)) == (before, False, [])


def test_only_its_owner_may_read_a_backup(made):
    assert made.stat().st_mode & 0o777 == 0o600


def test_a_database_that_holds_something_is_replaced_only_when_that_is_said(made, memory, database_url, clock):
    add_person(memory, "Later")
    memory.close()
    with pytest.raises(InvalidRequest, match=r"holds something already.*--replace"):
        restore(database_url, made, clock=clock)
    with closing(open_memory(database_url, clock)) as again:
        assert "Later" in dump(again)
    restore(database_url, made, replace=True, clock=clock)
    with closing(open_memory(database_url, clock)) as again:
        assert "Later" not in dump(again)
        assert "Ada" in dump(again)


def test_a_database_in_use_is_not_replaced(made, memory, database_url, clock):
    add_person(memory, "Later")
    with memory._database.engine.connect() as held:
        held.exec_driver_sql("SELECT 1")
        with pytest.raises(StoreUnavailable, match="stop the bot"):
            restore(database_url, made, replace=True, clock=clock)
    assert "Later" in dump(memory)


@pytest.fixture
def as_another_role(postgres, postgres_url):
    """The database as a role reaches it that is not told what others do there."""
    postgres.execute("CREATE ROLE restorer LOGIN")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("GRANT ALL ON ALL TABLES IN SCHEMA public TO restorer")
    yield f"{postgres_url}&options=-crole%3Drestorer"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY restorer")
    postgres.execute("DROP ROLE restorer")


def test_a_bot_of_another_role_is_somebody_too(postgres_url, as_another_role, tmp_path, clock):
    with closing(open_memory(postgres_url, clock)) as memory:
        add_person(memory, "Later")
        backup(postgres_url, tmp_path / "b.backup", clock=clock)
        with memory._database.engine.connect() as held:
            held.exec_driver_sql("SELECT 1")
            with pytest.raises(StoreUnavailable, match="stop the bot"):
                restore(as_another_role, tmp_path / "b.backup", replace=True, clock=clock)
        assert "Later" in dump(memory)


def changed_row(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE person SET display_name = 'Mallory'")


def cut_short(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flipped(file):
    """Within the text of a page, where no structure of the file is."""
    data = file.read_bytes()
    at = data.rindex(b"40 EUR")
    file.write_bytes(data[:at] + b"90" + data[at + 2 :])


def of_words(file):
    file.write_bytes(b"once upon a time " * 1000)


def of_nothing(file):
    file.write_bytes(b"")


def of_another_program(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE things (name TEXT)")


def of_a_later_version(file):
    _sealed_as(file, "9999")


def without_a_readable_manifest(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE backup_manifest SET body = '[]'")


def _sealed_as(file, revision):
    """As a program would have sealed it whose newest migration this is."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        body = json.loads(connection.execute("SELECT body FROM backup_manifest").fetchone()[0])
        digest = maintenance.backups._digest(connection, "alembic_version")
        body["revision"], body["tables"]["alembic_version"]["digest"] = revision, digest.digest
        connection.execute("UPDATE backup_manifest SET body = ?", (json.dumps(body),))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (changed_row, "was changed since it was made"),
        (flipped, "was changed since it was made"),
        (cut_short, "damaged"),
        (of_words, "damaged, or no backup"),
        (of_nothing, "no backup of clarify-bot"),
        (of_another_program, "no backup of clarify-bot"),
        (of_a_later_version, "made by a newer clarify-bot"),
        (without_a_readable_manifest, "manifest cannot be read"),
    ],
)
def test_a_file_that_is_not_whole_is_refused_and_nothing_is_touched(spoil, said, made, memory, database_url, clock):
    add_person(memory, "Later")
    before = dump(memory)
    memory.close()
    spoil(made)
    with pytest.raises(InvalidRequest, match=said) as refused:
        restore(database_url, made, replace=True, clock=clock)
    assert made.name in str(refused.value)
    with closing(open_memory(database_url, clock)) as again:
        assert dump(again) == before


def test_a_backup_of_an_older_version_is_brought_up_to_date(sqlite_url, tmp_path, clock, made):
    """Of SQLite a backup can be taken of tables that this program would first bring up to date."""
    with closing(maintenance.Database(sqlite_url, clock)) as database:
        upgrade(database)
    old = tmp_path / "old.db"
    _older(old)
    backup(f"sqlite:///{old}", tmp_path / "old.backup", clock=clock)
    restored = restore(f"sqlite:///{tmp_path / 'new.db'}", tmp_path / "old.backup", clock=clock)
    assert restored.manifest.revision == "0005"
    assert maintenance.inspect_tables(f"sqlite:///{tmp_path / 'new.db'}")[0] == "current"


def _older(file):
    from alembic import command

    from core.store.migrate import _config

    with closing(maintenance.Database(f"sqlite:///{file}", None)) as database, database.engine.begin() as connection:
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")


def overwritten(file):
    file.write_bytes(b"once upon a time " * 1000)


def root_page_of(table):
    """Only this page is lost: everything else can still be read."""

    def lose(file):
        with closing(sqlite3.connect(file)) as connection:
            root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
            size = connection.execute("PRAGMA page_size").fetchone()[0]
        data = bytearray(file.read_bytes())
        data[(root - 1) * size : root * size] = b"\xab" * size
        file.write_bytes(data)

    lose.__name__ = f"root_page_of_{table}"
    return lose


def words_for_json(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE person SET roles = 'once upon a time'")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("spoil", [overwritten, root_page_of("erasure"), root_page_of("api_key"), words_for_json])
def test_a_database_that_cannot_say_what_was_erased_is_not_replaced_until_it_is_out_of_the_way(
    spoil, made, memory, sqlite_url, clock, tmp_path
):
    key = memory.api_keys.create("default", "portal", ["member"])
    memory.api_keys.revoke("default", key.key_id)
    memory.close()
    file = tmp_path / "memory.db"
    spoil(file)
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable, match=r"what was erased and revoked .* cannot be read.*move its files away"):
        restore(sqlite_url, made, replace=True, clock=clock)
    assert file.read_bytes() == before
    file.rename(tmp_path / "damaged.db")
    (tmp_path / "memory.db-wal").write_bytes(b"left over")
    restore(sqlite_url, made, clock=clock)
    assert "Ada" in _dumped(sqlite_url, clock)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_database_without_a_table_of_erasures_has_erased_nothing(made, database_url, clock, tmp_path):
    _older(tmp_path / "old.db")
    restored = restore(f"sqlite:///{tmp_path / 'old.db'}", made, replace=True, clock=clock)
    assert (restored.erased_again, restored.taken_again) == ((), ())


def test_what_was_erased_since_is_named_when_the_words_come_back(made, memory, ada, database_url, clock):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 50 EUR."}))
    erased = memory.erase(memory.documents.named("default", "travel.md"), "asked by mail")
    memory.close()
    restored = restore(database_url, made, replace=True, clock=clock)
    [named] = restored.erased_again
    assert (named.tenant_id, named.subject_id, named.reason) == ("default", erased.subject_id, "asked by mail")


def test_an_erased_word_is_in_no_backup_that_is_taken_afterwards(lived_in, database_url, tmp_path, clock):
    lived_in.erase(lived_in.documents.named("default", "travel.md"), "asked by mail")
    backup(database_url, tmp_path / "after.backup", clock=clock)
    assert b"may cost 40 EUR" not in (tmp_path / "after.backup").read_bytes()


def test_a_database_that_was_never_set_up_is_not_backed_up(empty_url, tmp_path, clock):
    (tmp_path / "other").mkdir()
    with pytest.raises(StoreUnavailable, match="never set up"):
        backup(empty_url, tmp_path / "b.backup", clock=clock)
    assert leftovers(tmp_path) == []


def a_settings_file(folder):
    (folder / "there").write_text("[http]\nport = 8080\n")


def a_folder(folder):
    (folder / "there").mkdir()


def another_programs(folder):
    (folder / "there").touch()
    of_another_program(folder / "there")


@pytest.mark.parametrize("make", [a_settings_file, a_folder, another_programs])
def test_what_is_no_backup_is_not_replaced_by_one(make, lived_in, database_url, tmp_path, clock):
    make(tmp_path)
    there = tmp_path / "there"
    before = there.read_bytes() if there.is_file() else None
    with pytest.raises(InvalidRequest, match="is no backup of clarify-bot, and is not replaced"):
        backup(database_url, there, replace=True, clock=clock)
    assert (there.read_bytes() if there.is_file() else None) == before
    assert not leftovers(tmp_path)


@pytest.mark.parametrize("name", ["memory.db", "link.db"])
def test_a_backup_never_takes_the_place_of_the_database(name, lived_in, tmp_path, sqlite_url, clock):
    (tmp_path / "link.db").symlink_to("memory.db")
    with pytest.raises(InvalidRequest, match="is the database itself"):
        backup(sqlite_url, tmp_path / name, replace=True, clock=clock)
    assert (tmp_path / "link.db").is_symlink()


def test_a_database_that_a_link_leads_to_is_replaced_where_it_is(made, sqlite_url, tmp_path, clock):
    (tmp_path / "other").mkdir()
    link = tmp_path / "link.db"
    link.symlink_to("other/real.db")
    restore(f"sqlite:///{link}", made, clock=clock)
    assert link.is_symlink()
    with closing(open_memory(f"sqlite:///{link}", clock)) as again:
        assert "Ada" in dump(again)
    restore(f"sqlite:///{link}", made, replace=True, clock=clock)
    assert link.is_symlink()
    assert (tmp_path / "other" / "real.db").stat().st_mode & 0o777 == 0o600


class Killed(BaseException):
    """As good as SIGKILL for what must not be done in two steps."""


def test_killed_in_the_midst_of_restoring_the_database_is_the_old_one_or_without_what_was_erased(
    made, memory, database_url, clock, monkeypatch
):
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost at most 50 EUR."}))
    memory.erase(memory.documents.named("default", "travel.md"), "asked by mail")
    memory.close()
    before = _dumped(database_url, clock)
    for step in ("move_into_place", "pour_back"):
        done = getattr(maintenance.backups, step)
        monkeypatch.setattr(maintenance.backups, step, lambda *args, done=done: (done(*args), _die()))
    for step in ("open_draft", "replaced", "file_database"):
        with monkeypatch.context() as patched:
            patched.setattr(maintenance.backups, step, lambda *_: _die())
            with pytest.raises(Killed):
                restore(database_url, made, replace=True, clock=clock)
        assert _dumped(database_url, clock) == before
    with pytest.raises(Killed):
        restore(database_url, made, replace=True, clock=clock)
    after = _dumped(database_url, clock)
    assert after != before
    assert "40 EUR" not in after


def _die():
    raise Killed


def _dumped(url, clock):
    with closing(open_memory(url, clock)) as memory:
        return dump(memory)


def test_a_document_that_the_backup_never_held_stays_out_when_it_had_been_erased(made, memory, database_url, clock):
    put(memory, "later.md", page("Later", {"Hotels": "A hotel may cost 90 EUR."}))
    memory.erase(memory.documents.named("default", "later.md"), "asked by mail")
    memory.close()
    assert restore(database_url, made, replace=True, clock=clock).erased_again == ()
    with closing(open_memory(database_url, clock)) as again:
        with pytest.raises(Erased):
            put(again, "later.md", page("Later", {"Hotels": "A hotel may cost 90 EUR."}))
        assert [(report.reason, report.rewritten) for report in again.erasure.reports("default")] == [
            ("asked by mail", True)
        ]
        again.documents.readmit("default", "later.md")
        put(again, "later.md", page("Later", {"Hotels": "A hotel may cost 90 EUR."}))


@pytest.mark.parametrize("readmitted", [False, True])
def test_a_document_that_was_renamed_since_and_then_erased_stays_out_under_its_new_name(
    readmitted, made, memory, database_url, clock
):
    memory.documents.rename("default", "travel.md", "renamed.md")
    memory.erase(memory.documents.named("default", "renamed.md"), "asked by mail")
    if readmitted:
        memory.documents.readmit("default", "renamed.md")
    memory.close()
    assert len(restore(database_url, made, replace=True, clock=clock).erased_again) == 1
    words = page("Travel", {"Meals": "A meal may cost 40 EUR."})
    with closing(open_memory(database_url, clock)) as again:
        if readmitted:
            assert put(again, "renamed.md", words).outcome == "new"
            return
        with pytest.raises(Erased):
            put(again, "renamed.md", words)


def test_what_a_killed_restore_left_behind_is_deleted_by_the_next(made, memory, database_url, tmp_path, clock):
    memory.close()
    beside = "memory.db" if database_url.startswith("sqlite") else made.name
    killed = tmp_path / f".{beside}.x.draft"
    killed.write_bytes(b"everything")
    restore(database_url, made, replace=True, clock=clock)
    assert not killed.exists()


def test_what_is_erased_while_a_restore_runs_is_not_lost(made, memory, database_url, clock, monkeypatch):
    memory.close()
    read = maintenance.backups.replaced

    def overtaken(database):
        said = read(database)
        with closing(open_memory(database_url, clock)) as other:
            other.erase(other.documents.named("default", "travel.md"), "asked by mail")
        return said

    with monkeypatch.context() as patched:
        patched.setattr(maintenance.backups, "replaced", overtaken)
        with pytest.raises(StoreUnavailable, match="changed while the restore ran"):
            restore(database_url, made, replace=True, clock=clock)
    assert "40 EUR" not in _dumped(database_url, clock)
    restore(database_url, made, replace=True, clock=clock)
    assert "40 EUR" not in _dumped(database_url, clock)


def test_what_a_killed_backup_left_behind_is_deleted_by_the_next(lived_in, database_url, tmp_path, clock):
    with draft_beside(tmp_path / "b.backup") as working:
        killed = [tmp_path / name for name in (".b.backup.x.draft", ".b.backup.x.draft-wal", ".c.backup.x.draft")]
        for file in killed:
            file.write_bytes(b"everything")
        backup(database_url, tmp_path / "b.backup", clock=clock)
        assert working.exists(), "whoever makes this one lives"
    assert [file.exists() for file in killed] == [False, False, True]
    assert leftovers(tmp_path) == [".c.backup.x.draft"]


def test_a_draft_that_was_taken_for_abandoned_before_it_was_locked_is_made_anew(tmp_path, monkeypatch):
    locks, lock = [], drafts.fcntl.flock

    def overtaken(held, how):
        if not locks:
            [draft] = tmp_path.iterdir()
            draft.unlink()
        locks.append(how)
        lock(held, how)

    monkeypatch.setattr(drafts.fcntl, "flock", overtaken)
    with draft_beside(tmp_path / "b.backup") as draft:
        assert draft.exists()
    assert len(locks) == 2


def test_a_folder_that_is_not_there_is_named_by_what_was_to_be_in_it(lived_in, database_url, tmp_path, clock):
    with pytest.raises(FileNotFoundError) as refused:
        backup(database_url, tmp_path / "nowhere" / "b.backup", clock=clock)
    assert refused.value.filename == str(tmp_path / "nowhere" / "b.backup")


@pytest.mark.parametrize("pages_short", [1, 2, 3, 60])
def test_a_disk_that_is_full_early_or_at_the_last_is_said_and_nothing_is_left(
    pages_short, made, sqlite_url, tmp_path, clock
):
    room = made.stat().st_size - 4096 * pages_short
    with room_for(room), pytest.raises(StoreUnavailable, match="check the disk and its free space"):
        backup(sqlite_url, tmp_path / "c.backup", clock=clock)
    with room_for(room), pytest.raises((StoreUnavailable, OSError)) as refused:
        restore(f"sqlite:///{tmp_path / 'new.db'}", made, clock=clock)
    assert "damaged" not in str(refused.value)
    assert not leftovers(tmp_path)
    assert not (tmp_path / "new.db").exists()
