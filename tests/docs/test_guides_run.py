"""The commands that guides show are run in their order, each in a folder of its own, and end as they should.

Words in capitals stand for what somebody copies from what was printed before; here they are looked up.
"""

import json
import re
import shlex
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from bot.cli.doctor import _MARKS
from bot.config import load, open_memory
from core.model.node_ids import section_id
from tests.fakes.completions import says
from tests.fakes.embeddings import fake_endpoint
from tests.support.guides import BLOCK, Guide

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "bot" / "sample" / "first"


def typed(guide, heading=""):
    """The commands of a guide's blocks, each as words, from a heading to the next."""
    text = Guide.of(guide).text
    if heading:
        text = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    for kind, words in BLOCK.findall(text):
        for line in words.splitlines() if kind == "sh" else ():
            command, *rest = shlex.split(line, comments=True) or [""]
            if command.removeprefix(".venv/bin/") == "clarify-bot":
                yield rest


@pytest.fixture
def cli(set_up, tmp_path, monkeypatch):
    """As `set_up`, with a handbook and Robin, who may read it."""
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.05")
    (tmp_path / "handbook").mkdir()
    for name, text in {
        "travel.md": "# Travel\n\n## Meals\n\nThe daily allowance for meals is 40 EUR.\n",
        "canteen.md": "# Canteen\n\nLunch is served in the canteen.\n",
        "secret.md": "# Secret\n\nThe safe opens to nobody.\n",
    }.items():
        (tmp_path / "handbook" / name).write_text(text)
    set_up("ingest", "handbook", "--readers", "everyone")
    set_up("person", "add", "Robin", "--email", "robin@example.com")
    return set_up


def follow(cli, commands, stands_for=dict, ends=None):
    """Run them; what each said. `stands_for`: what words in capitals mean by then. `ends`: codes other than 0."""
    said = {}
    for words in commands:
        line = " ".join(words)
        code = next((code for beginning, code in (ends or {}).items() if line.startswith(beginning)), 0)
        meant = stands_for() if any(word in CAPITALS for word in words) else {}
        said[line] = cli(*(meant.get(word, word) for word in words), code=code)
    return said


CAPITALS = {"NODE", "WATCH", "QUESTION", "ID", "URI", "PERSON"}


def first_id(cli, *command):
    return str(next(iter(json.loads(cli(*command, "--json"))[0].values())))


def meals():
    """The section of the handbook that is on meals."""
    with open_memory(load()) as memory:
        return str(section_id(memory.documents.named("default", "handbook/travel.md"), ("Travel", "Meals"), 0))


def test_the_readme(set_up, tmp_path, monkeypatch):
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.05")
    shutil.copytree(SAMPLE, tmp_path / "handbook")
    said = follow(set_up, typed("../README.md", "## Your own documents"))
    assert "weeks of parental leave at full pay" in said["ask How many weeks of parental leave do I get?"]


def test_the_settings_that_the_readme_shows_go_at_the_end_of_the_file_that_init_writes(set_up, tmp_path):
    file = tmp_path / "clarify-bot.toml"
    [block] = Guide.of("../README.md").settings
    written = file.read_text().replace("[inbox]\n# enabled = false", "[inbox]\nenabled = true")
    file.write_text(f"{written}\n{block}")
    assert (load().inbox.enabled, load().sources[0].path) == (True, Path("handbook"))


def test_watches(cli):
    cli("person", "add", "Kim")
    cli("person", "deactivate", "Kim")
    cli("clarification", "open", "handbook/travel.md", "Is it so?", "--audience", "member")

    def stands_for():
        watch = json.loads(cli("watch", "list", "--json"))
        return {
            "NODE": meals(),
            "QUESTION": first_id(cli, "clarification", "list"),
            "WATCH": watch[0]["watch_id"] if watch else "",
        }

    said = follow(cli, typed("watches.md"), stands_for, ends={"watch why": 1})
    assert len(said) == 9
    assert "has changed yet" in said["watch why"]


def test_webhooks(cli):
    def stands_for():
        return {"WATCH": json.loads(cli("webhook", "show", "ledger", "--json"))["watches"][0]["watch_id"]}

    said = follow(cli, typed("webhooks.md"), stands_for, ends={"webhook test": 1})  # nobody listens there
    assert len(said) == 9
    assert "https://example.com/hooks" in said["webhook list"]


def test_clarifications(cli):
    cli("person", "add", "Kim")
    said = follow(cli, typed("clarifications.md"), lambda: {"QUESTION": first_id(cli, "clarification", "list")})
    assert "When does lunch begin?" in said["clarification show QUESTION"]
    assert "At noon" in said["clarification show QUESTION"]


def test_erasure(cli):
    said = follow(cli, typed("erasure.md"))
    assert "asked by mail" in said["erasure report"]


def test_the_keys_of_the_guide_to_v1(cli):
    said = follow(cli, typed("api.md", "## Keys"), lambda: {"ID": first_id(cli, "key", "list")})
    assert len(said) == 4


def test_the_tenants_of_the_guide_to_operations(cli, monkeypatch, tmp_path):
    shutil.copytree(tmp_path / "handbook", tmp_path / "acme")
    made, *rest = typed("operations.md", "## Tenants")
    follow(cli, [made])
    monkeypatch.setenv("CLARIFY_TENANT", "acme")
    follow(cli, rest)
    assert "Robin" in cli("person", "list")
    monkeypatch.delenv("CLARIFY_TENANT")
    assert "portal" not in cli("key", "list")


def test_embedders(cli, tmp_path, monkeypatch):
    """The memory moves to the endpoint that the guide names, and answers from there."""
    monkeypatch.delenv("CLARIFY_EMBEDDER")
    block = next(one for one in Guide.of("embedders.md").settings if "[embedder_endpoint]" in one)
    with fake_endpoint() as fake:
        named = block.replace("http://127.0.0.1:8080/v1", fake.url).replace("bge-m3", "small")
        (tmp_path / "clarify-bot.toml").write_text(named)
        assert "`clarify-bot reembed`" in cli("ask", "What is the daily allowance?", code=1)
        [said] = follow(cli, typed("embedders.md")).values()
        assert "to small@127.0.0.1" in said
        assert "nothing to do" in cli("reembed")


def test_language_models(cli, completions, tmp_path):
    block = Guide.of("language-models.md").settings[0]
    named = re.sub(r'base_url = "[^"]+"', f'base_url = "{completions.url}"', block)
    assert named != block
    (tmp_path / "clarify-bot.toml").write_text(named)
    completions.usually = says("A day's meals may cost 40 EUR [1].")
    asked = cli("ask", "What is the daily allowance for meals?")
    assert "A day's meals may cost 40 EUR" in asked
    assert tomllib.loads(block)["llm"]["model"] == completions.asked[0]["model"]


def connected(platform):
    """The workspace is known, as it is once the bot has run."""
    with open_memory(load()) as memory:
        memory.workspaces.connect("default", platform, "T012ABCDEF", "Saltmeadow", {}, trusted=False)


NEEDS_THE_PLATFORM = {"run", "doctor"}


def test_slack_as_far_as_it_goes_without_it(cli):
    connected("slack")
    said = follow(cli, [words for words in typed("slack.md") if words[0] not in NEEDS_THE_PLATFORM])
    assert "https://bot.example.com/slack/events" in said["manifest slack --url https://bot.example.com"]
    assert "Robin" in said["bind robin@example.com slack U012ABCDEF"]


@pytest.mark.parametrize("guide", ["slack.md", "teams.md"])
def test_every_mark_that_doctor_puts_before_a_line_is_explained(guide):
    explained = Guide.of(guide).text.partition("Each line is")[2].partition(";")[0]
    assert set(re.findall(r"`([^`]+)`", explained)) == set(_MARKS.values())


def test_teams_as_far_as_it_goes_without_it(cli, tmp_path):
    shown = Guide.of("teams.md").settings[0].replace('app_password_file = "secrets/teams-app-password"\n', "")
    (tmp_path / "clarify-bot.toml").write_text(shown)
    connected("teams")
    said = follow(cli, [words for words in typed("teams.md") if words[0] not in NEEDS_THE_PLATFORM])
    assert "Robin" in said["bind robin@example.com teams 76543210-89ab-4cde-8f01-23456789abcd"]
    assert zipfile.is_zipfile(tmp_path / "app.zip")
