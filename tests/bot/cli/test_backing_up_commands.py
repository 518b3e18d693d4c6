"""Backing up and restoring, as an operator does it."""

import json

import pytest

from tests.support.memories import page


@pytest.fixture
def handbook(set_up, tmp_path):
    """A memory of one page, backed up as `b.backup`."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "travel.md").write_bytes(page("Travel", {"Meals": "A meal may cost at most 40 EUR."}))
    set_up("ingest", "book", "--readers", "everyone")
    set_up("person", "add", "Ada")
    return set_up


def test_a_backup_says_what_it_holds_and_restoring_it_says_it_again(handbook, tmp_path):
    made = json.loads(handbook("backup", "--out", "b.backup", "--json"))
    assert (made["file"], made["tables"]["source"]["rows"], made["tables"]["person"]["rows"]) == ("b.backup", 1, 1)
    handbook("person", "add", "Later")
    assert "holds something already" in handbook("restore", "b.backup", code=2)
    restored = json.loads(handbook("restore", "b.backup", "--replace", "--json"))
    assert (restored["tables"], restored["erased_again"]) == (made["tables"], [])
    assert [person["display_name"] for person in json.loads(handbook("person", "list", "--json"))] == ["Ada"]
    assert "40 EUR" in handbook("ask", "What may a meal cost?", "--as", "Ada")


def test_in_words_too(handbook):
    told = handbook("backup", "--out", "b.backup")
    assert "b.backup is whole and was checked" in told
    assert "source_version" in told
    assert "It stands in the database again" in handbook("restore", "b.backup", "--replace")


def test_what_was_erased_after_a_backup_does_not_come_back_with_it(handbook, tmp_path):
    handbook("backup", "--out", "b.backup")
    handbook("erase", "source", "book/travel.md", "--reason", "asked by mail")
    assert "since it had been erased after the backup: 1" in handbook("restore", "b.backup", "--replace")
    assert b"may cost at most" not in (tmp_path / "clarify-bot.db").read_bytes()
    [erasure] = json.loads(handbook("erasure", "report", "--json"))
    assert erasure["reason"] == "asked by mail"


def test_what_the_backup_never_held_needs_no_erasing(handbook, tmp_path):
    handbook("backup", "--out", "b.backup")
    (tmp_path / "book" / "later.md").write_bytes(page("Later", {"Hotels": "A hotel may cost at most 90 EUR."}))
    handbook("ingest", "book", "--readers", "everyone")
    handbook("erase", "source", "book/later.md", "--reason", "asked by mail")
    assert json.loads(handbook("restore", "b.backup", "--replace", "--json"))["erased_again"] == []


def test_a_file_that_is_there_or_not_is_said(handbook):
    handbook("backup", "--out", "b.backup")
    assert "is there already" in handbook("backup", "--out", "b.backup", code=2)
    handbook("backup", "--out", "b.backup", "--replace")
    assert "c.backup: there is no such file" in handbook("restore", "c.backup", "--replace", code=1)
    assert "travel.md is damaged, or no backup" in handbook("restore", "book/travel.md", "--replace", code=2)
    assert "nowhere" in handbook("backup", "--out", "nowhere/b.backup", code=1)


def test_where_init_was_never_run_there_is_nothing_to_back_up(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "clarify-bot init" in said("backup", "--out", "b.backup", code=1)


def test_a_key_that_was_revoked_after_a_backup_does_not_come_back_with_it(handbook):
    key = json.loads(handbook("key", "add", "portal", "--role", "member", "--json"))
    handbook("backup", "--out", "b.backup")
    handbook("key", "revoke", key["key_id"])
    told = handbook("restore", "b.backup", "--replace")
    assert "Taken away again" in told
    assert key["key_id"] in told
    assert [bool(row["revoked_at"]) for row in json.loads(handbook("key", "list", "--json"))] == [True]
    again = json.loads(handbook("restore", "b.backup", "--replace", "--json"))
    whose = f"key:{key['key_id']}"
    assert again["taken_again"] == [{"what": "key_revoked", "tenant": "default", "whose": whose, "left": ""}]
