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


@pytest.fixture
def told(cli):
    cli("person", "add", "Ada", "--email", "ada@example.com")
    cli("person", "deactivate", "ada@example.com")
    cli("person", "add", "Bob", "--role", "steward")

    def actions(*arguments):
        return [entry["action"] for entry in json.loads(cli("audit", "--json", *arguments))]

    return actions


def test_one_persons_part_of_it_is_found_by_their_name(told):
    assert told("--target", "ada@example.com") == ["person_deactivated", "person_added"]
    assert told("--target", "person:") == told("--actor", "operator") == told()
    assert told("--actor", "Bob") == []


def test_it_is_narrowed_by_what_was_done_and_when(told):
    assert told("--action", "person_added") == ["person_added", "person_added"]
    assert told("--since", "1h") == told("--since", "2020-01-01") == told()
    assert told("--until", "1h") == told("--until", "2020-01-01T08:00+01:00") == told("--outcome", "refused") == []


def test_it_goes_on_after_the_last_that_was_shown(told, cli):
    first = json.loads(cli("audit", "--json", "--limit", "1"))[0]["audit_id"]
    assert told("--before", first) == told()[1:]
    assert "no entry" in cli("audit", "--before", "00000000-0000-4000-8000-000000000000", code=1)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--since", "yesterday", "a span back from now"),
        ("--until", "2026-13-01", "a span back from now"),
        ("--outcome", "maybe", "done, refused"),
        ("--before", "last", "--before"),
    ],
)
def test_what_cannot_be_looked_for_is_wrong_use(cli, option, value, words):
    assert words in cli("audit", option, value, code=2)
    assert "no person named" in cli("audit", "--actor", "Nobody", code=1)
