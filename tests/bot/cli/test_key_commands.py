"""`key add`, `list`, `revoke`, and `person activate`, `deactivate`: who may ask, as an admin says."""

import json

import pytest

from bot.config import load, open_memory
from core.clock import DAY
from core.errors import UnknownKey
from core.ids import random_id


@pytest.fixture
def cli(set_up):
    return set_up


@pytest.fixture
def memory(cli):
    with open_memory(load()) as opened:
        yield opened


# ── keys ──


def test_a_key_is_printed_alone_so_that_it_can_be_piped(cli, memory):
    secret = cli("key", "add", "importer", "--role", "member", "--role", "board").strip()
    assert memory.api_keys.principal_of(secret).roles == {"member", "board"}


def test_machines_are_told_the_key_and_its_id(cli, memory):
    made = json.loads(cli("key", "add", "importer", "--role", "member", "--json"))
    assert str(memory.api_keys.principal_of(made["key"]).api_key) == made["key_id"]
    [listed] = json.loads(cli("key", "list", "--json"))
    assert (listed["key_id"], listed["name"], listed["roles"], listed["revoked_at"]) == (
        made["key_id"],
        "importer",
        ["member"],
        0,
    )
    assert made["key"] not in cli("key", "list", "--json") + cli("key", "list")


def test_a_revoked_key_is_shown_as_such_and_refused(cli, memory):
    made = json.loads(cli("key", "add", "importer", "--role", "member", "--json"))
    assert json.loads(cli("key", "revoke", made["key_id"], "--json")) == {"key_id": made["key_id"], "revoked": True}
    with pytest.raises(UnknownKey):
        memory.api_keys.principal_of(made["key"])
    assert "revoked" in cli("key", "list")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["add", "importer"], 2, "--role"),
        (["add", " ", "--role", "member"], 2, "needs a name"),
        (["add", "importer", "--role", "member", "--days", str(10**14)], 2, "at most 100 years"),
        (["add", "importer", "--role", "everyone"], 2, "names a reader"),
        (["revoke", "nonsense"], 2, "`clarify-bot key list` shows them"),
        (["revoke", str(random_id())], 1, "there is no key"),
    ],
)
def test_what_cannot_be_done_with_keys_says_why(cli, arguments, code, words):
    assert words in cli("key", *arguments, code=code)


# ── people ──


def people(cli):
    return {person["display_name"]: person for person in json.loads(cli("person", "list", "--json"))}


def test_roles_and_zone_that_are_not_named_again_stay(cli):
    cli("person", "add", "Ada", "--role", "admin", "--zone", "Europe/Berlin")
    cli("person", "add", "Ada")
    assert (people(cli)["Ada"]["roles"], people(cli)["Ada"]["zone"]) == (["admin"], "Europe/Berlin")
    cli("person", "add", "Ada", "--role", "member")
    assert people(cli)["Ada"]["roles"] == ["member"]


def test_a_person_goes_and_comes_back_with_their_roles(cli):
    cli("person", "add", "Ada", "--role", "admin", "--email", "ada@example.com")
    assert cli("person", "deactivate", "ada@example.com") == "Ada is no longer active.\n"
    assert (people(cli)["Ada"]["active"], people(cli)["Ada"]["roles"]) == (False, ["admin"])
    assert cli("person", "activate", "Ada") == "Ada is active.\n"
    assert people(cli)["Ada"]["active"]


def test_nobody_is_made_up(cli):
    assert "no person named 'Bo'" in cli("person", "deactivate", "Bo", code=1)
    assert "names a reader" in cli("person", "add", "Bo", "--role", "everyone", code=2)
    assert people(cli) == {}


def test_a_key_may_stand_for_a_person_and_end(cli, memory):
    cli("person", "add", "Robin", "--role", "admin")
    made = json.loads(cli("key", "add", "laptop", "--for", "Robin", "--days", "30", "--json"))
    principal = memory.api_keys.principal_of(made["key"])
    assert (principal.person, principal.roles) == (memory.people.named("default", "Robin").person_id, {"admin"})
    assert "Robin" in cli("key", "list")
    assert "active until" in cli("key", "list")
    [listed] = json.loads(cli("key", "list", "--json"))
    assert listed["expires_at"] - memory.api_keys.all("default")[0].created_at == 30 * DAY


@pytest.mark.parametrize(
    ("more", "words"),
    [((), "--role"), (("--for", "Nobody"), "Nobody"), (("--for", "Robin", "--role", "x"), "none of its own")],
)
def test_a_key_stands_for_roles_or_for_a_person(cli, memory, more, words):
    cli("person", "add", "Robin")
    assert words in cli("key", "add", "laptop", *more, code=1 if "Nobody" in more else 2)
    assert memory.api_keys.all("default") == []
