"""Whatever a tenant's operator types, and whatever of another tenant's they name: it comes to what it would come to if
the other had never been, and nothing of the other's changes. A new command needs a line here.
"""

import shlex

import pytest
import typer

from bot.cli.entry import app, run
from tests.support.two_tenants import MINE

NAMING = [
    ("ask", "'What may a meal cost?' --as {person}"),
    ("bind", "Ada slack U0NEW12345 --workspace {workspace}"),
    ("bind", "{person} slack U0NEW12345"),
    ("clarification open", "{node} Which? --audience member"),
    ("clarification open", "{uri} Which? --audience member"),
    ("clarification override", "{clarification} 1"),
    ("clarification show", "{clarification}"),
    ("context", "--thread {thread} --explain --as Ada"),
    ("context", "Meals? --as {person}"),
    ("erase person", "{person} --reason asked"),
    ("erase person", "{person_id} --reason asked"),
    ("erase source", "{source} --reason asked"),
    ("erase source", "{uri} --reason asked"),
    ("erasure readmit", "{erased}"),
    ("erasure report", "{erasure}"),
    ("export", "--json --person {person_id}"),
    ("export", "--json --person {person}"),
    ("jobs retry", "{dead}"),
    ("jobs show", "{job}"),
    ("key add", "other --for {person}"),
    ("key revoke", "{key}"),
    ("person activate", "{person}"),
    ("person deactivate", "{email}"),
    ("unbind", "slack {user}"),
    ("verify", "'A meal costs 40 EUR.' --source {uri} --as Ada"),
    ("watch add", "--clarification {clarification} --as Ada"),
    ("watch add", "--entity {node} --as Ada"),
    ("watch add", "--source {uri} --as Ada"),
    ("watch list", "--as {person}"),
    ("watch mute", "{watch} 1d --as Ada"),
    ("watch stop", "{watch} --as Ada"),
    ("watch why", "{fire} --as Ada"),
    ("webhook enable", "{webhook}"),
    ("webhook remove", "{webhook}"),
    ("webhook renew", "{webhook}"),
    ("webhook show", "{webhook}"),
    ("webhook unwatch", "{my_webhook} {webhook_watch}"),
    ("webhook unwatch", "{webhook} {webhook_watch}"),
    ("webhook watch", "{my_webhook} --entity {node}"),
    ("webhook watch", "{my_webhook} --source {uri}"),
    ("webhook watch", "{webhook} --label DOCUMENT"),
]
"""What must be there to be named: one's own is done, another's is told like what never was."""

SAYING = [
    ("ask", "'What may a meal cost?' --as Ada --json"),
    ("audit", "--json"),
    ("clarification list", "--all --json"),
    ("context", "'What may a meal cost?' --as Ada --json"),
    ("doctor", "--json"),
    ("erasure report", "--json"),
    ("ingest", "handbook --name fresh --readers everyone --json"),
    ("init", ""),
    ("jobs list", "--json"),
    ("jobs retry", "--all-dead"),
    ("key add", "portal --role member --json"),
    ("key list", "--json"),
    ("person add", "{person} --email {email} --json"),
    ("person list", "--json"),
    ("status", "--json"),
    ("verify", "'A meal may cost at most 40 EUR.' --as Ada --json"),
    ("watch add", "--label SECTION --as Ada --json"),
    ("watch list", "--as Ada --json"),
    ("watch why", "--as Ada --json"),
    ("webhook add", "{webhook} http://127.0.0.1:9/ --role member --allow-plain --allow-private"),
    ("webhook list", "--json"),
    ("webhook test", "{webhook}"),
    ("workspace list", "--json"),
]
"""What lists, counts and makes; names are a tenant's own."""

OF_THE_DATABASE = {"backup", "restore", "reembed", "tenant add", "tenant list", "tenant rename"}
OF_NO_TENANT = {
    *("cards preview", "demo", "eval answers", "eval calibrate", "eval claims", "eval retrieval", "eval staleness"),
    *("keys list", "keys rotate", "manifest slack", "manifest teams", "spans"),
}
"""They open no memory, or one of their own."""
SERVING = {"run", "mcp"}
"""Who is served is told by a key or a workspace: see below."""


def commands(command, path=()):
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


def test_every_command_is_tried_or_says_why_not():
    there = {path for path, one in commands(typer.main.get_command(app)) if not hasattr(one, "commands")}
    assert there == {name for name, _ in NAMING + SAYING} | OF_THE_DATABASE | OF_NO_TENANT | SERVING


@pytest.mark.parametrize("path", sorted(OF_THE_DATABASE))
def test_what_is_of_the_whole_database_says_so(path):
    said = dict(commands(typer.main.get_command(app)))[path].help
    assert "tenant" in said


@pytest.fixture
def shell(capsys, monkeypatch):
    """Run a command of the first tenant on one side; how it ended and what it said."""
    monkeypatch.setenv("CLARIFY_TENANT", MINE)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.05")

    def call(side, path, template, ids):
        monkeypatch.chdir(side.folder)
        named = {**ids, **{f"my_{name}": value for name, value in side.mine.items()}}
        code = run([*path.split(), *(word.format_map(named) for word in shlex.split(template))])
        printed = capsys.readouterr()
        return code, side.said(printed.out), side.said(printed.err)

    return call


@pytest.mark.parametrize(("path", "template"), NAMING)
def test_a_command_that_names_anothers_ends_as_if_it_were_not_there(path, template, sides, shell):
    before = sides.beside.theirs_as_it_is()
    alone, beside = (shell(side, path, template, side.theirs) for side in sides)
    assert (alone[0], alone) == (1, beside)
    assert sides.beside.theirs_as_it_is() == before
    assert shell(sides.own, path, template, sides.own.mine)[0] == 0, "of its own it does what it is told"
    assert sides.own.theirs_as_it_is() == before


@pytest.mark.parametrize(("path", "template"), SAYING)
def test_a_command_that_tells_of_all_there_is_tells_of_ones_own(path, template, sides, shell):
    before = sides.beside.theirs_as_it_is()
    alone, beside = (shell(side, path, template, side.theirs) for side in sides)
    assert alone == beside
    assert (alone[0] != 2, bool(alone[1] + alone[2])) == (True, True)
    assert sides.beside.theirs_as_it_is() == before
