"""`workspace list`, `bind` and `unbind`: an admin says which chat user is which person."""

import json

import pytest

from bot.config import load, open_memory
from core.model.work import Place


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    return tmp_path


@pytest.fixture
def cli(said):
    return said


@pytest.fixture
def ready(cli, tables_there):
    """Two people, and no workspace yet."""
    cli("init")
    cli("person", "add", "Ada", "--email", "ada@example.com")
    cli("person", "add", "Bo")
    return cli


@pytest.fixture
def memory(ready):
    with open_memory(load()) as opened:
        yield opened


ORGANISATION = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
OBJECT_ID = "01234567-89ab-4cde-8f01-23456789abcd"


def connect(memory, workspace="T1", name="Acme", *, platform="slack", trusted=False):
    memory.workspaces.connect("default", platform, workspace, name, {}, trusted=trusted)


def who(memory, user, workspace="T1"):
    found = memory.people.at("default", Place("slack", workspace, user))
    return memory.people.get("default", found).display_name if found else None


def test_workspaces_are_listed_with_what_is_wrong(ready, memory):
    connect(memory)
    connect(memory, "T2", "Bell", trusted=True)
    memory.workspaces.pause("default", "slack", "T2", "account_inactive")
    assert json.loads(ready("workspace", "list", "--json")) == [
        {"platform": "slack", "workspace": "T1", "name": "Acme", "trusted": False, "paused": False, "reason": None},
        {
            "platform": "slack",
            "workspace": "T2",
            "name": "Bell",
            "trusted": True,
            "paused": True,
            "reason": "account_inactive",
        },
    ]
    assert "paused: account_inactive" in ready("workspace", "list")


@pytest.mark.parametrize("person", ["Ada", "ada@example.com"])
def test_a_user_is_bound_in_the_only_workspace(ready, memory, person):
    connect(memory)
    assert ready("bind", person, "slack", "U012ABC") == "U012ABC in Acme (T1) is Ada.\n"
    assert who(memory, "U012ABC") == "Ada"


def test_a_machine_is_told_which_user_is_whom(ready, memory):
    connect(memory)
    place = {"platform": "slack", "workspace": "T1", "user_id": "U012ABC", "thread": None}
    ada = str(memory.people.named("default", "Ada").person_id)
    assert json.loads(ready("bind", ada, "slack", "U012ABC", "--json")) == place | {"person_id": ada}
    assert json.loads(ready("unbind", "slack", "U012ABC", "--json")) == place | {"person_id": None}


def test_whoever_is_bound_lives_where_their_device_said_before(ready, memory):
    connect(memory, ORGANISATION, platform="teams")
    told = {"zone": "Asia/Kolkata", "locale": "en-IN"}
    memory.addresses.keep("default", Place("teams", ORGANISATION, OBJECT_ID), told)
    ready("bind", "Ada", "teams", OBJECT_ID)
    ada = memory.people.named("default", "Ada")
    assert (ada.zone, ada.locale) == ("Asia/Kolkata", "en-IN")


def test_binding_again_is_fine_and_another_person_is_said(ready, memory):
    connect(memory)
    ready("bind", "Ada", "slack", "U012ABC")
    assert ready("bind", "Ada", "slack", "U012ABC") == "U012ABC in Acme (T1) is Ada.\n"
    assert ready("bind", "Bo", "slack", "U012ABC") == "U012ABC in Acme (T1) is Bo, and was Ada before.\n"
    assert who(memory, "U012ABC") == "Bo"


def test_where_there_are_several_workspaces_one_is_named(ready, memory):
    connect(memory)
    connect(memory, "T2", "Bell")
    assert "say which workspace with --workspace; known: T1, T2" in ready("bind", "Ada", "slack", "U012ABC", code=2)
    ready("bind", "Ada", "slack", "U012ABC", "--workspace", "T2")
    assert (who(memory, "U012ABC", "T1"), who(memory, "U012ABC", "T2")) == (None, "Ada")


def test_a_user_is_unbound(ready, memory):
    connect(memory)
    ready("bind", "Ada", "slack", "U012ABC")
    assert ready("unbind", "slack", "U012ABC") == "U012ABC in Acme (T1) is nobody known.\n"
    assert who(memory, "U012ABC") is None
    assert "U012ABC" in ready("unbind", "slack", "U012ABC", code=1)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["bind", "Cy", "slack", "U012ABC"], 1, "no person named 'Cy'"),
        (["bind", "Ada", "slack", "ada@example.com"], 2, "More > Copy member ID"),
        (["bind", "Ada", "slack", "@ada"], 2, "no Slack user's id"),
        (["bind", "Ada", "slack", "U012ABC", "--workspace", "T9"], 1, "there is no slack workspace T9; known: T1"),
        (["bind", "Ada", "slak", "U012ABC"], 2, "there is no platform 'slak'"),
        (["unbind", "slack", "C012ABC"], 2, "no Slack user's id"),
    ],
)
def test_what_cannot_be_bound_is_one_sentence(ready, memory, arguments, code, words):
    connect(memory)
    message = ready(*arguments, code=code)
    assert words in message
    assert message.count("\n") == 1


@pytest.mark.parametrize("written", [OBJECT_ID, OBJECT_ID.upper()])
def test_a_user_of_teams_is_bound_by_the_object_id_in_whichever_letters(ready, memory, written):
    """As requests of Teams bring it: in small ones."""
    connect(memory)
    connect(memory, ORGANISATION, "Microsoft Teams", platform="teams")
    said = f"{OBJECT_ID} in Microsoft Teams ({ORGANISATION}) is"
    assert ready("bind", "Ada", "teams", written) == f"{said} Ada.\n"
    assert memory.people.at("default", Place("teams", ORGANISATION, OBJECT_ID)) is not None
    assert ready("unbind", "teams", written) == f"{said} nobody known.\n"


@pytest.mark.parametrize("user", ["ada@example.com", f"8:orgid:{OBJECT_ID}", "29:1abc", OBJECT_ID[:-1], "U012ABC"])
def test_what_names_no_user_of_teams_is_refused_with_where_the_id_stands(ready, memory, user):
    connect(memory, ORGANISATION, "Microsoft Teams", platform="teams")
    for arguments in (["bind", "Ada", "teams", user], ["unbind", "teams", user]):
        message = ready(*arguments, code=2)
        assert f"'{user}' is no Teams user's id; it looks like 01234567-" in message
        assert "Users > All users, in the person's Overview as Object ID" in message


def test_before_the_first_connection_it_is_said_how_a_workspace_becomes_known(ready):
    assert "once `clarify-bot run` has connected to it" in ready("bind", "Ada", "slack", "U012ABC", code=1)
    assert json.loads(ready("workspace", "list", "--json")) == []
