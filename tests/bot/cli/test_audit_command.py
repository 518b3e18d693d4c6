"""`audit`: who did what, newest first."""

import json

import pytest


@pytest.fixture
def cli(set_up):
    return set_up


def test_the_newest_comes_first_and_a_limit_holds(cli):
    cli("person", "add", "Ada", "--role", "steward")
    cli("person", "add", "Ada", "--role", "admin")
    entries = json.loads(cli("audit", "--json"))
    assert [(entry["actor"], entry["action"]) for entry in entries] == [
        ("operator", "roles_changed"),
        ("operator", "person_added"),
    ]
    assert entries[0]["detail"] == {"was": ["steward"], "is": ["admin"]}
    assert json.loads(cli("audit", "--json", "--limit", "1")) == entries[:1]


def test_people_read_it_as_a_table(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    cli("person", "add", "Ada", "--role", "steward")
    printed = cli("audit")
    for word in ("person_added", "operator", "person:", "steward"):
        assert word in printed
    assert "Ada" not in printed


@pytest.mark.parametrize("limit", ["0", "-1", "many"])
def test_a_limit_that_is_none_is_wrong_use(cli, limit):
    cli("audit", "--limit", limit, code=2)
