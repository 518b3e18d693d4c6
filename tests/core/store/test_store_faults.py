"""What a database refuses is said in words that help, with the file's name, and never half written."""

import os
import shutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text as sql
from sqlalchemy.exc import IntegrityError

from core.embed.hashing import HashingEmbedder
from core.errors import InvalidConfig, ModelMismatch, SemanticUnavailable, StoreUnavailable
from core.planner.request import PlanRequest
from core.store import database as opening
from core.store.tables import Source, Tenant
from tests.support.memories import add_person, open_memory, page, put, rows, without_table

TEXT = page("Travel", {"Meals": "Meals cost at most 40 EUR a day."})


class OtherEmbedder(HashingEmbedder):
    model = "another-model"


class WiderEmbedder(HashingEmbedder):
    dim = 512


# ── what cannot be opened ──


def test_a_file_that_is_no_database(tmp_path, clock):
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and long enough to be taken for a header of a page. " * 20)
    with pytest.raises(StoreUnavailable, match=r"notes\.txt is not a SQLite database"):
        open_memory(f"sqlite:///{file}", clock)


def test_a_corrupt_database(sqlite_url, clock):
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    raw = bytearray(file.read_bytes())
    raw[100:4096] = os.urandom(3996)
    file.write_bytes(raw)
    with pytest.raises(StoreUnavailable, match="is corrupt"):
        open_memory(sqlite_url, clock)


def test_a_folder_that_does_not_exist_yet_is_made(tmp_path, clock):
    open_memory(f"sqlite:///{tmp_path / 'deep' / 'er' / 'memory.db'}", clock).close()
    assert (tmp_path / "deep" / "er" / "memory.db").is_file()


def test_a_folder_that_cannot_be_made(tmp_path, clock):
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match=r"memory\.db cannot be opened"):
        open_memory(f"sqlite:///{tmp_path / 'file' / 'memory.db'}", clock)


def test_a_folder_in_the_files_place(tmp_path, clock):
    with pytest.raises(StoreUnavailable, match="cannot be opened"):
        open_memory(f"sqlite:///{tmp_path}", clock)


def test_a_server_that_is_not_there(tmp_path, clock):
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        open_memory(f"postgresql://user:secret@/name?host={tmp_path}", clock)


def test_a_refusal_never_shows_the_password(tmp_path, clock):
    with pytest.raises(StoreUnavailable) as caught:
        open_memory(f"postgresql://user:secret@/name?host={tmp_path}", clock)
    assert "secret" not in str(caught.value)


def test_a_server_without_that_database(postgres, clock):
    with pytest.raises(StoreUnavailable, match="nowhere"):
        open_memory(postgres.url("nowhere"), clock)


@pytest.mark.parametrize(
    ("url", "wants"),
    [
        ("memory.db", "sqlite:///FILE"),
        ("", "sqlite:///FILE"),
        ("mysql://host/name", "mysql"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("postgresql://host:port/name", "cannot be read"),
    ],
)
def test_a_url_that_names_no_database_says_what_would_be_right(clock, url, wants):
    with pytest.raises(InvalidConfig, match=wants):
        open_memory(url, clock)


@pytest.mark.parametrize("url", ["postgresql://me:secret@host:port/name", "postgresql://host/name?password=secret"])
def test_a_url_that_is_refused_never_shows_the_password(clock, url):
    with pytest.raises(InvalidConfig, match=r"write .*postgresql://") as caught:
        open_memory(url, clock)
    assert "secret" not in str(caught.value)


# ── what cannot be written ──


def test_a_read_only_database(sqlite_url, clock):
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    with memory._database.engine.connect() as connection:
        connection.execute(sql("PRAGMA query_only = ON"))
    with pytest.raises(StoreUnavailable, match="is read-only"):
        put(memory, "travel.md", TEXT)
    memory.close()


def test_a_full_disk_leaves_nothing_half_written_and_the_memory_usable(sqlite_url, clock):
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    with memory._database.engine.connect() as connection:
        pages = connection.execute(sql("PRAGMA page_count")).scalar_one()
        connection.execute(sql(f"PRAGMA max_page_count = {pages + 2}"))
    with pytest.raises(StoreUnavailable, match="disk is full"):
        memory.ingest(
            "long.md", page("Long", {str(n): f"Sentence {n}. " * 50 for n in range(50)}), readers=["everyone"]
        )
    assert rows(memory, Source) == []
    with memory._database.engine.connect() as connection:
        connection.execute(sql(f"PRAGMA max_page_count = {pages + 1000}"))
    assert put(memory, "travel.md", TEXT).outcome == "new"
    memory.close()


def test_a_file_that_may_grow_no_further(sqlite_url):
    """RLIMIT_FSIZE stands in for a full disk, in a process of its own."""
    script = """
import resource, signal, sys
from core.clock import ManualClock
from core.errors import StoreUnavailable
from tests.support.memories import NOW, open_memory, page
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
memory = open_memory(sys.argv[1], ManualClock(NOW))
memory.people.ensure_tenant("default", "Default")
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    memory.ingest("long.md", page("Long", {str(n): f"Sentence {n}. " * 200 for n in range(200)}), readers=["everyone"])
except StoreUnavailable as error:
    print("refused:", error)
"""
    ran = subprocess.run(
        [sys.executable, "-c", script, sqlite_url], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    assert ran.stdout.startswith("refused:"), ran.stderr
    assert "disk" in ran.stdout


def test_a_lock_that_is_held_too_long(sqlite_url, clock, monkeypatch):
    monkeypatch.setattr(opening, "BUSY_TIMEOUT_MS", 50)
    memory = open_memory(sqlite_url, clock)
    other = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="locked by another program"):
        memory.people.ensure_tenant("default", "Default")
    other.rollback()
    other.close()
    memory.people.ensure_tenant("default", "Default")
    memory.close()


def test_a_database_whose_tables_are_gone_names_the_way_out(memory):
    with without_table(memory, "source"), pytest.raises(StoreUnavailable, match="clarify-bot init"):
        memory.documents.standing("default")


def test_a_database_that_answers_passes_its_check(memory):
    memory.check_store()


# ── many at once ──


def _open(url):
    import time

    from core.clock import SystemClock

    memory = open_memory(url, SystemClock())
    memory.people.ensure_tenant("default", "Default")
    memory.close()
    return time.monotonic() > 0


def test_simultaneous_openers_of_a_new_file_all_succeed(tmp_path):
    """On a new file, switching to WAL ignores the busy time-out."""
    urls = [f"sqlite:///{tmp_path / f'{n}.db'}" for n in range(2) for _ in range(4)]
    with ProcessPoolExecutor(4) as pool:
        assert all(pool.map(_open, urls))


# ── the embedding model ──


@pytest.mark.parametrize(("embedder", "named"), [(OtherEmbedder(), "another-model"), (WiderEmbedder(), "512")])
def test_another_embedder_is_refused_by_naming_both_and_the_way_out(memory, reopen, embedder, named):
    put(memory, "travel.md", TEXT)
    with pytest.raises(ModelMismatch, match=rf"hashing-256-v1 \(256 dimensions\).*{named}.*clarify-bot reembed"):
        reopen(embedder=embedder)


def test_without_an_embedder_the_structured_leg_still_works(memory, reopen):
    ada = add_person(memory, "Ada")
    put(memory, "travel.md", TEXT)
    blind = reopen(embedder=None)
    assert blind.plan(PlanRequest(find="PASSAGE"), ada).spans
    with pytest.raises(SemanticUnavailable):
        blind.plan(PlanRequest(question="What do meals cost?"), ada)


def test_a_copied_file_is_the_same_memory(sqlite_url, tmp_path, clock):
    memory = open_memory(sqlite_url, clock)
    memory.people.ensure_tenant("default", "Default")
    put(memory, "travel.md", TEXT)
    memory.close()
    copy = open_memory(f"sqlite:///{shutil.copy(sqlite_url.removeprefix('sqlite:///'), tmp_path / 'copy.db')}", clock)
    assert [view.uri for view in copy.documents.standing("default")] == ["travel.md"]
    copy.close()


def test_an_error_never_repeats_what_was_to_be_written(memory):
    row = {"tenant_id": "default", "name": "words of a document", "last_tx": 0, "embed_model": None, "embed_dim": None}
    with pytest.raises(IntegrityError) as caught, memory._database.write("default") as tx:
        tx.insert(Tenant, [row])
    assert "words of a document" not in str(caught.value)


# ── what goes away under whoever has it open ──


def test_a_file_that_is_deleted_or_replaced_while_it_is_open_does_not_pass_for_well(sqlite_url, tmp_path, clock):
    """SQLite goes on writing into what nobody will ever open again."""
    with closing(open_memory(sqlite_url, clock)) as memory:
        memory.check_store()
        file = Path(memory._database.url.database)
        file.rename(tmp_path / "elsewhere.db")
        with pytest.raises(StoreUnavailable, match=r"memory\.db cannot be opened: No such file"):
            memory.check_store()
        shutil.copy(tmp_path / "elsewhere.db", file)
        with pytest.raises(StoreUnavailable, match="another file than was opened"):
            memory.check_store()
        (tmp_path / "elsewhere.db").replace(file)
        memory.check_store()
