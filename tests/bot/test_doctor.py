"""What `doctor` finds on this machine; and that looking makes nothing and changes nothing."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.config import Settings, open_memory
from bot.doctor import examine
from bot.keys import create


@pytest.fixture
def settings(tmp_path):
    """As `init` leaves them."""
    (tmp_path / "docs").mkdir()
    source = {"name": "handbook", "path": tmp_path / "docs", "readers": ["everyone"]}
    made = Settings(
        database=f"sqlite:///{tmp_path}/memory.db", keys=tmp_path / "keys", embedder="hashing", sources=[source]
    )
    create(made.keys)
    with open_memory(made) as memory:
        memory.people.ensure_tenant("default", "Default")
    return made


def found(settings):
    """By name; what is not right has a remedy."""
    findings = examine(settings)
    assert all(finding.fix for finding in findings if not finding.ok)
    return {finding.name: finding for finding in findings}


def changed(settings, **values):
    return settings.model_copy(update=values)


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and "memory.db-" not in path.name}


def test_what_init_made_is_right_and_is_left_as_it_was(settings, tmp_path):
    before = everything(tmp_path)
    assert {name: finding.ok for name, finding in found(settings).items()} == {
        "keys": True,
        "database": True,
        "embedder": True,
        "memory": True,
        "source handbook": True,
    }
    assert everything(tmp_path) == before


def test_where_nothing_is_nothing_is_made(tmp_path):
    nothing = Settings(
        database=f"sqlite:///{tmp_path}/none/memory.db", keys=tmp_path / "none" / "keys", embedder="hashing"
    )
    findings = found(nothing)
    assert (findings["keys"].ok, findings["database"].ok, findings["memory"].ok) == (False, False, None)
    assert "clarify-bot init" in findings["database"].fix
    assert list(tmp_path.iterdir()) == []


# ── keys ──


def test_a_key_without_its_public_half_is_found(settings, tmp_path):
    create(tmp_path / "other")
    next(settings.keys.glob("*.public.pem")).unlink()
    other = next((tmp_path / "other").glob("*.public.pem"))
    other.rename(settings.keys / other.name)
    finding = found(settings)["keys"]
    assert finding.ok is False
    assert "every tap would be refused" in finding.words


def test_a_key_that_others_can_read_is_found(settings):
    (settings.keys / "private.pem").chmod(0o644)
    assert "chmod 600" in found(settings)["keys"].words


# ── the database ──


def rewrite(settings, statement):
    with closing(sqlite3.connect(settings.database.removeprefix("sqlite:///"))) as database:
        database.execute(statement)
        database.commit()


def test_an_older_database_is_found_and_left_as_it_is(settings):
    rewrite(settings, "UPDATE alembic_version SET version_num = '0001'")
    finding = found(settings)["database"]
    assert finding.ok is False
    assert "of an older clarify-bot (revision 0001" in finding.words
    assert found(settings)["database"] == finding


def test_a_newer_database_is_found(settings):
    rewrite(settings, "UPDATE alembic_version SET version_num = '9999'")
    assert "by a newer clarify-bot (revision 9999)" in found(settings)["database"].words


def test_a_database_that_was_never_set_up_is_found(settings, tmp_path):
    (tmp_path / "empty.db").touch()
    finding = found(changed(settings, database=f"sqlite:///{tmp_path}/empty.db"))["database"]
    assert (finding.ok, "was never set up" in finding.words) == (False, True)
    assert (tmp_path / "empty.db").read_bytes() == b""


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("sqlite:///garbage.db", "not a SQLite database"),
        ("postgresql://ada:hunter2@127.0.0.1:1/x", "cannot be used"),
        ("mysql://host/name", "not supported"),
        ("nonsense", "cannot be read"),
    ],
)
def test_a_database_that_cannot_be_used_is_found_and_no_password_shown(settings, tmp_path, monkeypatch, address, words):
    monkeypatch.chdir(tmp_path)
    Path("garbage.db").write_text("garbage " * 100)
    finding = found(changed(settings, database=address))["database"]
    assert finding.ok is False
    assert words in finding.words
    assert "hunter2" not in finding.words + finding.fix


def test_a_database_on_a_server_is_right(settings, postgres_url):
    with open_memory(changed(settings, database=postgres_url)) as memory:
        memory.people.ensure_tenant("default", "Default")
    findings = found(changed(settings, database=postgres_url))
    assert (findings["database"].ok, findings["memory"].ok) == (True, True)


def test_a_tenant_that_is_not_there_is_found(settings):
    finding = found(changed(settings, tenant="other"))["memory"]
    assert (finding.ok, finding.words) == (False, "has no tenant 'other'")


# ── the embedder ──


def test_an_embedder_that_cannot_load_is_found(settings, tmp_path):
    assert found(changed(settings, embedder=str(tmp_path)))["embedder"].ok is False
    assert found(changed(settings, embedder="none"))["embedder"].ok is True


def test_another_embedder_than_the_databases_is_found(settings):
    rewrite(settings, "UPDATE tenant SET embed_model = 'another', embed_dim = 3")
    findings = found(settings)
    assert (findings["embedder"].ok, findings["memory"].ok) == (True, False)
    assert "embedded with another" in findings["memory"].words


# ── sources ──


def test_a_source_that_is_not_there_is_found(settings, tmp_path):
    sources = tuple(
        source.model_copy(update={"path": tmp_path / "none", "name": "a"}) for source in settings.sources
    ) + tuple(
        source.model_copy(update={"path": None, "git": "https://x/y", "name": "b"}) for source in settings.sources
    )
    findings = found(changed(settings, sources=sources))
    assert (findings["source a"].ok, findings["source b"].ok) == (False, None)
    assert "does not exist" in findings["source a"].words
