"""`clarification …`: an operator sees what is in question, asks people, and settles it."""

import json

import pytest

from bot.config import load, open_memory
from core.graph.records import Record
from core.ids import derived
from core.model.spans import SpanRef
from tests.support.memories import source_id
from tests.support.questions import MEALS

NODE = "day.md"


@pytest.fixture
def cli(set_up, tmp_path):
    """A document, two people who read it, and one who settles."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / NODE).write_text("# Day\n\n## Lunch\n\nLunch is served daily.\n", encoding="utf-8")
    set_up("ingest", "docs", "--readers", "everyone")
    set_up("person", "add", "Ada")
    set_up("person", "add", "Bo")
    return set_up


@pytest.fixture
def node(cli):
    with open_memory(load()) as memory:
        [view] = memory.documents.standing("default")
        return str(derived("section", view.source_id, 0, "Day", "Lunch"))


def ask(cli, node, *more, code=0):
    arguments = ("--audience", "member", "--option", "At noon", "--option", "At one", *more)
    return cli("clarification", "open", node, "When is lunch?", *arguments, code=code)


def test_what_was_asked_is_listed_shown_and_settled(cli, node):
    asked = json.loads(ask(cli, node, "--json"))["clarification_id"]
    listed = cli("clarification", "list")
    assert asked[:8] in listed
    assert "When is lunch?" in listed
    shown = json.loads(cli("clarification", "show", asked[:8], "--json"))
    assert [(one["number"], one["value"]) for one in shown["options"]] == [(0, "At noon"), (1, "At one")]
    assert (shown["state"], shown["quorum"], shown["audience"]) == ("pending", 1, ["member"])
    assert cli("clarification", "override", asked[:8], "1") == "Settled: At one\n"
    assert "Settled by operator: At one" in cli("clarification", "show", asked)
    assert json.loads(cli("clarification", "list", "--json")) == []
    assert [one["state"] for one in json.loads(cli("clarification", "list", "--all", "--json"))] == ["bound"]


def test_who_asks_again_is_told_that_it_is_asked_already(cli, node):
    asked = json.loads(ask(cli, node, "--json"))
    assert asked["fresh"]
    assert ask(cli, node, "--option", "Never").startswith(f"This is asked already, as {asked['clarification_id']};")
    assert json.loads(ask(cli, node, "--json")) == asked | {"fresh": False}


def test_a_document_may_be_named_as_answers_name_it(cli):
    with open_memory(load()) as memory:
        [view] = memory.documents.standing("default")
    ask(cli, view.uri)
    assert len(json.loads(cli("clarification", "list", "--json"))) == 1
    assert "nope.md" in ask(cli, "nope.md", code=1)


def test_a_section_may_be_named_as_it_is_shown(cli, node):
    ask(cli, f"docs/{NODE}#Day/Lunch")
    assert "asked already" in ask(cli, node)
    assert f"is it docs/{NODE}#Day/Lunch" in ask(cli, f"docs/{NODE}#Day/Dinner/Lunch", code=1)


def test_it_is_audited_with_ids_alone(cli, node):
    ask(cli, node)
    [opened] = [row for row in json.loads(cli("audit", "--json")) if row["action"] == "clarification_open"]
    assert (opened["actor"], opened["detail"]) == ("operator", {})


def test_what_is_wrong_is_said_and_ends_in_its_code(cli, node):
    assert "quorum is 3, and 2 people" in ask(cli, node, "--quorum", "3", code=2)
    assert "question is blank" in cli("clarification", "open", node, " ", "--audience", "member", code=2)
    nothing = str(derived("nothing"))
    assert "nothing here" in cli("clarification", "open", nothing, "Why?", "--audience", "member", code=1)
    assert "0 clarifications have an id" in cli("clarification", "show", "abc", code=1)
    ask(cli, node)
    asked = json.loads(cli("clarification", "list", "--json"))[0]["clarification_id"]
    assert "option 7 is not there to choose; these are: 0, 1" in cli("clarification", "override", asked, "7", code=2)


def test_a_dispute_between_documents_is_listed_with_what_each_says(cli):
    with open_memory(load()) as memory:
        for uri, amount in (("a.md", 40), ("b.md", 55)):
            words = f"A meal may cost {amount} EUR.".encode()
            version = memory.ingest(uri, words, readers=["everyone"]).version_tx
            span = SpanRef(source_id(uri), version, 0, len(words))
            memory.put_node(Record(MEALS, "LIMIT", {"price": amount}, provenance=[span]))
    [found] = json.loads(cli("clarification", "list", "--json"))
    assert [one["value"] for one in found["options"]] == [40, 55]
    assert "Sources disagree on “price”" in cli("clarification", "show", found["clarification_id"])
