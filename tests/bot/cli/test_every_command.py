"""What holds of each command there is: its help suffices, a machine can read it, its exit code says how it ended."""

from pathlib import Path

import pytest
import typer

from bot.cli.entry import DONE, WRONG_USE, app

SAYS_NOTHING_ELSE = {
    *("init", "run", "bind", "unbind", "person activate", "person deactivate", "jobs retry", "erasure readmit"),
    *("cards preview", "manifest slack", "manifest teams", "mcp"),
}
"""Their exit code is all that there is for a machine to know; or what they print is made for one already."""


def groups_and_commands(command, path=()):
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from groups_and_commands(inner, (*path, name))


EVERYTHING = dict(groups_and_commands(typer.main.get_command(app)))
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


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_a_machine_can_read_what_it_says(path):
    assert ("--json" in options_of(COMMANDS[path])) != (path in SAYS_NOTHING_ELSE)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_used_wrongly_it_ends_with_2_and_says_how_it_is_used(path, shell):
    printed = shell(*path.split(), "--no-such-option", code=WRONG_USE)
    assert (printed.out, "--help" in printed.err) == ("", True)


def filled(command, folder):
    """Something for all that must be given."""
    nothing = "00000000-0000-4000-8000-000000000000"
    for parameter in command.params:
        if parameter.required:
            value = {Path: str(folder), int: "1", float: "1"}.get(parameter.bare_type, nothing)
            yield from [value] if parameter.param_type_name == "argument" else [max(parameter.opts, key=len), value]


READ_SETTINGS = {path for path, one in COMMANDS.items() if "--config" in options_of(one)} - {"init", "doctor"}
"""Those that do nothing without them; `init` makes them and `doctor` says what is wrong with them."""


@pytest.mark.parametrize("path", sorted(READ_SETTINGS))
def test_with_settings_that_cannot_be_read_it_ends_with_2_and_prints_nothing(path, shell, tmp_path):
    (tmp_path / "broken.toml").write_text("no toml")
    given = filled(COMMANDS[path], tmp_path)
    printed = shell(*path.split(), "--config", str(tmp_path / "broken.toml"), *given, code=WRONG_USE)
    assert printed.out == ""
    assert printed.err
