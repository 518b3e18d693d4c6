"""Running commands as a shell does."""

import shutil

import pytest

from bot.cli.entry import run
from tests.fakes.completions import fake_completions


@pytest.fixture
def shell(capsys):
    """Run a command that must end in `code`; what it printed."""

    def call(*arguments, code=0):
        capsys.readouterr()
        assert run(arguments) == code, capsys.readouterr()
        return capsys.readouterr()

    return call


@pytest.fixture
def said(shell):
    """As `shell`: what it said, or of a failure what it complained of."""

    def call(*arguments, code=0):
        printed = shell(*arguments, code=code)
        return printed.err if code else printed.out

    return call


@pytest.fixture
def tables_there(migrated_file, tmp_path):
    """The database that `init` would make has its tables already, which are most of its work."""
    shutil.copy(migrated_file, tmp_path / "clarify-bot.db")


@pytest.fixture
def set_up(said, tables_there, tmp_path, monkeypatch):
    """As `said`, in a folder where `init` was run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    said("init")
    return said


@pytest.fixture
def completions():
    """A chat completions server on loopback."""
    with fake_completions() as fake:
        yield fake
