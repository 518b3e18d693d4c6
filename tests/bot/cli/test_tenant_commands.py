"""`tenant`: who else is in the database; and that any command can be about any of them."""

import json

import pytest


@pytest.fixture
def acme(set_up, monkeypatch):
    """As `set_up`, in a shell whose commands are about a second tenant."""
    set_up("tenant", "add", "acme", "--name", " Acme Ltd. ")
    monkeypatch.setenv("CLARIFY_TENANT", "acme")
    return set_up


def test_tenants_are_listed_with_the_one_of_the_settings(acme, monkeypatch):
    listed = {"acme": "Acme Ltd.", "default": "Our company"}
    for current in ("acme", "default", "gone"):
        monkeypatch.setenv("CLARIFY_TENANT", current)
        assert json.loads(acme("tenant", "list", "--json")) == [
            {"tenant_id": one, "name": name, "current": one == current} for one, name in listed.items()
        ]
    assert "Acme Ltd." in acme("tenant", "list")


def test_what_is_made_in_one_is_not_in_the_other(acme, monkeypatch):
    acme("person", "add", "Ada")
    assert [one["display_name"] for one in json.loads(acme("person", "list", "--json"))] == ["Ada"]
    monkeypatch.setenv("CLARIFY_TENANT", "default")
    assert json.loads(acme("person", "list", "--json")) == []


def test_settings_of_its_own_are_another_way_to_name_it(set_up, tmp_path):
    set_up("tenant", "add", "acme")
    (tmp_path / "acme.toml").write_text('tenant = "acme"\n')
    set_up("person", "add", "Ada", "--config", "acme.toml")
    assert [len(json.loads(set_up("person", "list", "--json", *at))) for at in ([], ["--config", "acme.toml"])] == [
        0,
        1,
    ]


def test_a_tenant_is_called_something_else_and_stays_itself(acme):
    acme("person", "add", "Ada")
    told = json.loads(acme("tenant", "rename", "acme", "Acme of London", "--json"))
    assert told == {"tenant_id": "acme", "name": "Acme of London"}
    acme("tenant", "rename", "acme", "Acme of London")
    assert len(json.loads(acme("person", "list", "--json"))) == 1
    audited = [(one["action"], one["target"]) for one in json.loads(acme("audit", "--json"))]
    assert sorted(audited)[1:] == [("tenant_added", "acme"), ("tenant_renamed", "acme")], (
        "once: nothing came of the second"
    )


@pytest.mark.parametrize("bad", ["", " ", "a b", "acme\n", ".acme", "-x", "Ácme", "a/b", "x" * 64, "\u0430cme"])
def test_an_id_that_could_be_taken_for_another_is_refused_with_what_would_be_right(bad, set_up, monkeypatch):
    said = set_up("tenant", "add", "--", bad, code=2)
    assert "such as acme" in said
    if bad.strip():
        monkeypatch.setenv("CLARIFY_TENANT", bad)
        assert "such as acme" in set_up("init", code=2)
    assert len(json.loads(set_up("tenant", "list", "--json"))) == 1


@pytest.mark.parametrize("bad", ["", " ", "two\nlines", "x" * 201])
def test_a_name_that_cannot_be_read_is_refused(bad, acme):
    assert "one line" in acme("tenant", "rename", "acme", bad, code=2)


def test_what_stands_is_not_made_again_and_what_does_not_is_not_renamed(acme):
    assert "already" in acme("tenant", "add", "acme", code=2)
    assert "no tenant 'acm'" in acme("tenant", "rename", "acm", "x", code=1)


def test_of_a_tenant_that_there_is_not_it_is_said_how_it_is_made(set_up, monkeypatch):
    monkeypatch.setenv("CLARIFY_TENANT", "acm")
    said = set_up("person", "list", code=1)
    assert "no tenant 'acm'" in said
    assert "tenant list" in said


def test_where_init_was_never_run_no_database_is_made(said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "init" in said("tenant", "list", code=1)
    assert "init" in said("tenant", "add", "acme", code=1)
    assert list(tmp_path.iterdir()) == []
