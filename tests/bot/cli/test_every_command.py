"""What holds of each command there is: its help suffices, a machine can read it, its exit code says how it ended."""

import json
import shlex
from pathlib import Path

import pytest

from bot.cli.entry import DONE, FAILED, WRONG_USE, command
from bot.cli.help import EXAMPLES, commands_of

SAYS_NOTHING_ELSE = {
    "run": "it logs as JSON, and ends when it is told to",
    "mcp": "it speaks MCP",
    "cards preview": "it makes a page",
}
"""Why a command has no --json."""
EVERYTHING = {"": command(), **dict(commands_of(command()))}
COMMANDS = {path: command for path, command in EVERYTHING.items() if not hasattr(command, "commands")}


def options_of(command):
    return {name for parameter in command.params for name in parameter.opts}


def test_there_are_commands():
    assert len(COMMANDS) > 40


@pytest.mark.parametrize("path", sorted(EVERYTHING))
def test_it_says_what_it_is_for_and_what_each_thing_it_takes_means(path, shell):
    command = EVERYTHING[path]
    assert command.help, "what it is for"
    assert [p.name for p in command.params if not getattr(p, "help", None)] == [], "what is to be written there"
    printed = shell(*path.split(), "--help", code=DONE)
    assert all(max(one.opts, key=len) in printed.out for one in command.params if one.param_type_name == "option")
    assert "..." not in printed.out.replace("}...", "").replace("[ARGS]...", "").replace(": ...", "")
    assert "Exit codes: " in printed.out or path not in COMMANDS


def test_there_is_an_example_of_every_command_and_of_nothing_else():
    assert set(EXAMPLES) == set(COMMANDS)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_its_examples_are_understood(path, shell):
    for example in EXAMPLES[path]:
        given = shlex.split(example)[len(path.split()) :]
        assert example.startswith(path)
        assert COMMANDS[path].make_context(path, given).params
        assert example in " ".join(shell(*path.split(), "--help").out.split())


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_a_machine_can_read_what_it_says(path):
    assert ("--json" in options_of(COMMANDS[path])) != (path in SAYS_NOTHING_ELSE)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_used_wrongly_it_ends_with_2_and_says_how_it_is_used(path, shell):
    printed = shell(*path.split(), "--no-such-option", code=WRONG_USE)
    assert (printed.out, "--help" in printed.err) == ("", True)


FOR_MACHINES = sorted(COMMANDS.keys() - SAYS_NOTHING_ELSE.keys())


def error_in(printed):
    """What a machine reads of a failure: nothing on stdout, and one line on stderr."""
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    error = json.loads(printed.err)["error"]
    assert set(error) == {"code", "message"}
    return error


@pytest.mark.parametrize("path", FOR_MACHINES)
def test_used_wrongly_a_machine_is_told_so_in_json(path, shell):
    error = error_in(shell(*path.split(), "--no-such-option", "--json", code=WRONG_USE))
    assert error["code"] == "wrong_use"
    assert "--no-such-option" in error["message"]


def filled(command, folder):
    """Something for all that must be given."""
    nothing = "00000000-0000-4000-8000-000000000000"
    for parameter in command.params:
        if parameter.required:
            value = {Path: str(folder), int: "1", float: "1"}.get(parameter.bare_type, nothing)
            value = "1" if parameter.name == "option" else value
            yield from [value] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len), value]


def ask_rightly(path, folder):
    """What the command is given, so that it is only the memory that it lacks."""
    more = {
        "export": ["--json"],
        "backup": ["--replace"],
        "jobs retry": ["--all-dead"],
        "key add": ["--role", "member"],
        "context": ["x"],
        "spans": ["--ingested"],
    }
    return [*filled(COMMANDS[path], folder), *more.get(path, ())]


READ_SETTINGS = {path for path, one in COMMANDS.items() if "--config" in options_of(one)} - {"init", "doctor"}
"""Those that do nothing without them; `init` makes them and `doctor` says what is wrong with them."""


@pytest.mark.parametrize("path", sorted(READ_SETTINGS))
def test_with_settings_that_cannot_be_read_it_ends_with_2_and_prints_nothing(path, shell, tmp_path):
    (tmp_path / "broken.toml").write_text("no toml")
    given = ask_rightly(path, tmp_path)
    printed = shell(*path.split(), "--config", str(tmp_path / "broken.toml"), *given, code=WRONG_USE)
    assert printed.out == ""
    assert str(tmp_path / "broken.toml") in printed.err
    if path in FOR_MACHINES:
        broken = (*path.split(), "--json", "--config", str(tmp_path / "broken.toml"))
        assert error_in(shell(*broken, *given, code=WRONG_USE))["code"] == "invalid_config"


NEEDS_A_MEMORY = READ_SETTINGS - {"keys list", "keys rotate", "manifest teams", "restore"}


def settings_for(database, folder):
    (folder / "mine.toml").write_text(f'database = "{database}"\nembedder = "hashing"\n')
    return "--config", str(folder / "mine.toml")


NOT_THERE = {"sqlite:///none/memory.db": "run `clarify-bot init` first", "postgresql://127.0.0.1:1/x": "127.0.0.1"}


@pytest.mark.parametrize("database", NOT_THERE)
@pytest.mark.parametrize("path", sorted(path for path in NEEDS_A_MEMORY if not path.startswith("eval")))
def test_without_a_memory_that_can_be_opened_it_fails_in_one_sentence(path, database, shell, tmp_path, monkeypatch):
    monkeypatch.setenv("CLARIFY_API_KEY", "ck_x")
    given = ask_rightly(path, tmp_path)
    printed = shell(*path.split(), *settings_for(database, tmp_path), *given, code=FAILED)
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert NOT_THERE[database] in printed.err
    assert not (tmp_path / "none").exists()
