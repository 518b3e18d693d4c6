"""`clarify-bot reembed` from outside."""

import json

import pytest

PAGE = "# Leave\n\nEverybody has 28 days of paid leave.\n"


@pytest.fixture
def cli(shell):
    return shell


@pytest.fixture
def filled(cli, tmp_path, monkeypatch):
    """A memory that was filled without a model, and settings that name one now."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "none")
    (tmp_path / "leave.md").write_text(PAGE)
    cli("init")
    cli("ingest", "leave.md", "--readers", "everyone")
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    return cli


def test_a_mismatch_names_the_command_that_mends_it(filled):
    assert "`clarify-bot reembed`" in filled("status", code=1).err
    printed = filled("reembed").out
    assert printed.startswith("default: from no model (embedder none) to hashing-256-v1 (256 dimensions); 2 texts")
    assert filled("status").err == ""


def test_a_second_time_it_says_that_there_is_nothing_to_do(filled):
    filled("reembed")
    assert filled("reembed").out == "default: nothing to do, it is of hashing-256-v1 (256 dimensions)\n"


def test_for_a_machine_it_is_one_line_of_json(filled):
    [tenant] = json.loads(filled("reembed", "--json").out)
    assert tenant == {
        "tenant_id": "default",
        "was": "no model (embedder none)",
        "now": "hashing-256-v1 (256 dimensions)",
        "embedded": 2,
        "unread": 0,
        "removed": 2,
    }


def test_where_nothing_was_set_up_nothing_is_made(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "run `clarify-bot init`" in cli("reembed", code=1).err
    assert list(tmp_path.iterdir()) == []


def test_an_embedder_that_is_none_of_the_choices_is_wrong_use(filled, monkeypatch):
    monkeypatch.setenv("CLARIFY_EMBEDDER", "gpt")
    assert "gpt" in filled("reembed", code=2).err
