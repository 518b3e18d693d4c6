"""`erase` and `erasure`: what an operator says, sees and gets back."""

import json
import sqlite3
from contextlib import closing

import pytest

CANARY = "marzipan"


@pytest.fixture
def cli(set_up, tmp_path, monkeypatch):
    """Two documents are known."""
    monkeypatch.setenv("COLUMNS", "250")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "secret.md").write_text(f"# Secret\n\nA meal may cost 40 EUR of {CANARY}.\n")
    (tmp_path / "docs" / "other.md").write_text("# Other\n\nA train may be booked by everybody.\n")
    set_up("ingest", "docs", "--readers", "everyone")
    return set_up


def files(tmp_path):
    return b"".join(file.read_bytes() for file in tmp_path.glob("*.db*"))


def test_a_document_is_erased_reported_kept_out_and_readmitted(cli, tmp_path):
    assert CANARY.encode() in files(tmp_path)
    printed = cli("erase", "source", "docs/secret.md", "--reason", "asked by mail")
    assert "recall entries" in printed
    assert "written anew" in printed
    assert CANARY.encode() not in files(tmp_path)
    assert cli("ingest", "docs", "--readers", "everyone").startswith(
        "0 new, 0 changed, 1 unchanged, 0 removed, 1 erased"
    )
    assert CANARY.encode() not in files(tmp_path)
    [report] = json.loads(cli("erasure", "report", "--json"))
    assert (report["reason"], report["subject_type"], report["rewritten"]) == ("asked by mail", "source", True)
    assert "asked by mail" in cli("erasure", "report")
    assert "recall entries" in cli("erasure", "report", report["erasure_id"][:8])
    assert {entry["action"] for entry in json.loads(cli("audit", "--json"))} >= {"erase"}
    cli("erasure", "readmit", "docs/secret.md")
    assert cli("ingest", "docs", "--readers", "everyone").startswith("1 new")


def test_a_document_that_is_gone_can_be_erased_still(cli, tmp_path):
    (tmp_path / "docs" / "secret.md").unlink()
    cli("ingest", "docs", "--readers", "everyone")
    assert CANARY.encode() in files(tmp_path), "its history is kept"
    erased = json.loads(cli("erase", "source", "docs/secret.md", "--reason", "r", "--json"))
    assert CANARY.encode() not in files(tmp_path)
    again = json.loads(cli("erase", "source", erased["subject_id"], "--reason", "r", "--json"))
    assert again["erasure_id"] == erased["erasure_id"], "and by its id; twice is once"


def test_a_person_is_erased(cli, tmp_path):
    cli("person", "add", "Quentin", "--email", "quentin@example.com", "--zone", "Asia/Kolkata")
    printed = cli("erase", "person", "quentin@example.com", "--reason", "left")
    assert "was erased" in printed
    assert "Quentin" not in cli("person", "list")
    assert b"quentin@example.com" not in files(tmp_path)


def test_who_is_erased_may_be_named_again_to_finish_what_was_begun(cli):
    cli("person", "add", "Quentin", "--email", "quentin@example.com")
    cli("person", "add", "Bob")
    erase = ("erase", "person", "quentin@example.com", "--reason", "left", "--json")
    first = json.loads(cli(*erase))
    assert json.loads(cli(*erase))["erasure_id"] == first["erasure_id"]
    assert "nobody@example.com" in cli("erase", "person", "nobody@example.com", "--reason", "left", code=1)
    cli("person", "add", "Quentin", "--email", "quentin@example.com")
    assert json.loads(cli(*erase))["erasure_id"] != first["erasure_id"], "who came back is erased anew"


def test_wrong_use_says_what_would_be_right(cli, tmp_path):
    assert "no source has the uri" in cli("erase", "source", "docs/none.md", "--reason", "r", code=1)
    assert "say why" in cli("erase", "source", "docs/secret.md", "--reason", " ", code=2)
    assert "nobody" in cli("erase", "person", "nobody", "--reason", "r", code=1)
    assert "was erased" in cli("erasure", "readmit", "docs/other.md", code=1)
    assert "write more of it" in cli("erasure", "report", "zz", code=1)
    assert cli("erasure", "report", "--json") == "[]\n"
    assert CANARY.encode() in files(tmp_path)


def test_while_somebody_reads_the_operator_is_told_what_is_left_to_do(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("core.store.database.REWRITE_WAIT_MS", 10)
    [file] = tmp_path.glob("*.db")
    with closing(sqlite3.connect(file)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM source").fetchall()
        assert "since somebody was reading" in cli("erase", "source", "docs/secret.md", "--reason", "r")
        assert "still to be written anew" in cli("erasure", "report")
    assert "were written anew" in cli("erase", "source", "docs/secret.md", "--reason", "r")
