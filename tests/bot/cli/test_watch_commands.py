"""`watch …`: a person's watches, made, listed, muted, stopped and explained at the command line."""

import json

import pytest

from bot.config import load, open_memory
from core.ids import derived
from core.model.watching import HEARD, ScopeType
from core.store.tables import Watch
from tests.support.memories import rows

QUERY = {"find": "SECTION", "where": [{"prop": "title", "op": "eq", "value": "Lunch"}]}
NOTHING = str(derived("nothing"))


@pytest.fixture
def docs(tmp_path):
    (tmp_path / "docs").mkdir()
    return tmp_path / "docs"


@pytest.fixture
def cli(set_up, docs):
    """One document, and one person."""
    write(docs, "Lunch is served daily.")
    set_up("ingest", "docs", "--readers", "everyone")
    set_up("person", "add", "Ada")
    return set_up


def write(docs, words):
    (docs / "day.md").write_text(f"# Day\n\n## Lunch\n\n{words}\n", encoding="utf-8")


def ref(scope):
    with open_memory(load()) as memory:
        [view] = memory.documents.standing("default")
    lunch = str(derived("section", view.source_id, 0, "Day", "Lunch"))
    return {"entity": lunch, "label": "SECTION", "source": view.uri, "query": json.dumps(QUERY)}[scope]


def stored():
    with open_memory(load()) as memory:
        [row] = rows(memory, Watch)
    return row


def add(cli, *arguments):
    return json.loads(cli("watch", "add", *arguments, "--json"))


@pytest.mark.parametrize("scope", ["entity", "label", "source", "query"])
def test_each_scope_is_added_with_all_its_events_and_listed(cli, scope):
    made = add(cli, f"--{scope}", ref(scope), "--name", "Food")
    assert (made["scope_type"], made["name"], made["fresh"], made["cadence"]) == (scope, "Food", True, "immediate")
    assert stored().events == list(HEARD[ScopeType(scope)])
    [listed] = json.loads(cli("watch", "list", "--json"))
    assert listed["watch_id"] == made["watch_id"]
    shown = cli("watch", "list")
    assert made["watch_id"][:8] in shown
    assert "Food" in shown


def test_a_document_is_named_by_its_title_too(cli):
    made = add(cli, "--source", "Day")
    assert made["watch_id"] in cli("watch", "add", "--source", ref("source"))


def test_a_section_is_named_as_it_is_shown(cli, docs):
    lines = cli("spans", "docs/day.md", "--ingested").splitlines()
    shown = next(line.split("  ")[2] for line in lines if line.startswith("paragraph"))
    assert shown == "docs/day.md#Day/Lunch"
    assert shown in cli("context", "When is lunch served?")
    made = add(cli, "--entity", shown)
    assert made["name"] == "Lunch"
    assert made["watch_id"] in cli("watch", "add", "--entity", ref("entity"))


def test_without_a_name_it_is_called_after_what_it_is_on(cli):
    assert add(cli, "--entity", ref("entity"))["name"] == "Lunch"
    assert add(cli, "--label", "SECTION")["name"] == "SECTION"


def test_events_cadence_and_debounce_are_passed_on(cli):
    arguments = ("--event", "fact_tombstoned", "--cadence", "weekly", "--debounce", "900")
    assert add(cli, "--label", "SECTION", *arguments)["cadence"] == "weekly"
    assert (stored().events, stored().debounce_secs) == (["fact_tombstoned"], 900)


def test_what_cannot_be_watched_is_said_and_ends_in_its_code(cli):
    broken = '{"find": "SECTION", "where": [{"prop": "a", "op": "like", "value": 1}]}'
    for arguments, code, wrong in (
        ((), 2, "one of --entity"),
        (("Hotels",), 2, "say what 'Hotels' is: --entity for a section, or --source for a document"),
        (("--label", "SECTION", "--query", "{}"), 2, "one of --entity"),
        (("--query", "{"), 2, "no JSON"),
        (("--query", broken), 2, "where[0].op"),
        (("--entity", "x"), 1, "is no id, and the uri of no document"),
        (("--entity", "docs/day.md#Day/Lnch"), 1, "is it docs/day.md#Day/Lunch"),
        (("--entity", NOTHING), 1, "nothing here"),
        (("--source", "nope.md"), 1, "nope.md"),
        (("--clarification", NOTHING), 1, "nothing here"),
        (("--label", "SECTION", "--event", "answer_stale"), 2, "never heard of a label"),
        (("--label", "SECTION", "--cadence", "yearly"), 2, "yearly"),
        (("--label", "section"), 2, "is no label"),
        (("--label", "SECTION", "--debounce", str(10**30)), 2, "seconds"),
        (("--label", "SECTION", "--name", " \u200b "), 2, "--name"),
        (("--label", "SECTION", "--name", "N" * 81), 2, "--name"),
        (("--source", "Dya"), 1, "neither the uri nor the title"),
        (("--label", "SECTION", "--as", "Nobody"), 1, "Nobody"),
    ):
        assert wrong in cli("watch", "add", *arguments, code=code)
    assert json.loads(cli("watch", "list", "--json")) == []


def test_it_is_muted_for_a_time_unmuted_and_stopped(cli):
    made = add(cli, "--query", ref("query"), "--name", "Food")
    beginning = made["watch_id"][:8]
    assert "Food is muted until" in cli("watch", "mute", beginning, "1w")
    [listed] = json.loads(cli("watch", "list", "--json"))
    assert listed["muted_until"] > listed["created_at"]
    assert cli("watch", "mute", beginning, "off") == "Food is not muted.\n"
    assert "no time to mute for" in cli("watch", "mute", beginning, "2y", code=2)
    assert "0 watches have an id" in cli("watch", "stop", "zz", code=1)
    assert cli("watch", "stop", beginning) == "Food is watched no more.\n"
    assert json.loads(cli("watch", "list", "--json")) == []


def test_one_person_stops_nothing_of_anothers(cli):
    cli("person", "add", "Bo")
    made = add(cli, "--label", "SECTION", "--as", "Ada")
    assert "say who asks" in cli("watch", "list", code=2)
    assert json.loads(cli("watch", "list", "--as", "Bo", "--json")) == []
    assert "0 watches" in cli("watch", "stop", made["watch_id"], "--as", "Bo", code=1)


def test_why_names_the_watch_what_it_heard_and_what_became_of_it(cli, docs):
    with open_memory(load()) as memory:
        memory.sweep()
    made = add(cli, "--query", ref("query"), "--name", "Food")
    assert "has changed yet" in cli("watch", "why", code=1)
    write(docs, "Lunch is served at noon.")
    cli("ingest", "docs", "--readers", "everyone")
    with open_memory(load()) as memory:
        assert memory.sweep().fires == 1
    told = json.loads(cli("watch", "why", "--json"))
    assert (told["watch_id"], told["events"][0]["kind"]) == (made["watch_id"], "query_results_changed")
    shown = cli("watch", "why", told["fire_id"])
    for words in ("Food", "query_results_changed", "nobody yet"):
        assert words in shown
    assert "no id" in cli("watch", "why", "x", code=2)
