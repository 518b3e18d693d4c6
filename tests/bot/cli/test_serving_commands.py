"""`run` and `demo` as processes: what they leave on stdout, and how they end."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def start(tmp_path):
    def call(*arguments, **settings):
        env = os.environ | {"PYTHONPATH": str(ROOT), "CLARIFY_EMBEDDER": "hashing", **settings}
        command = [sys.executable, "-c", "from bot.cli import main; main()", *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path)

    return call


@pytest.fixture
def taken():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


def test_run_needs_a_database_that_was_set_up(start):
    process = start("run")
    message = process.communicate()[1].decode()
    assert (process.returncode, message.count("\n")) == (1, 1)
    assert "clarify-bot init" in message


def test_run_on_an_empty_database_says_that_it_was_never_set_up(start, tmp_path):
    start("init").communicate()
    for file in tmp_path.glob("clarify-bot.db*"):
        file.unlink()
    (tmp_path / "clarify-bot.db").touch()
    process = start("run", CLARIFY_HTTP__PORT="0")
    try:
        message = process.communicate(timeout=60)[1].decode()
    finally:
        process.kill()
    assert (process.returncode, message.count("\n")) == (1, 1)
    assert "clarify-bot init" in message


@pytest.mark.parametrize("which", ["HTTP", "INBOX"])
def test_a_port_in_use_is_one_sentence(start, taken, which):
    start("init").communicate()
    ports = {"CLARIFY_INBOX__ENABLED": "true", "CLARIFY_HTTP__PORT": "0", "CLARIFY_INBOX__PORT": "0"}
    process = start("run", **ports | {f"CLARIFY_{which}__PORT": str(taken)})
    message = process.communicate()[1].decode()
    assert process.returncode == 1
    assert str(taken) in message.splitlines()[-1]
    assert "Traceback" not in message


def test_the_demos_json_is_all_there_is_on_stdout(start):
    process = start("demo", "--once", "--json", "--port", "0")
    out, err = process.communicate()
    assert process.returncode == 0, err.decode()
    assert json.loads(out)["cards"]


def test_run_with_slack_and_without_its_secrets_says_what_is_missing(start):
    start("init").communicate()
    settings = {"MODE": "http", "BOT_TOKEN": "xoxb-1", "SIGNING_SECRET": " ", "PUBLIC_URL": "https://bot.example.com"}
    process = start("run", **{f"CLARIFY_SLACK__{name}": value for name, value in settings.items()})
    message = process.communicate()[1].decode()
    assert (process.returncode, message.count("\n")) == (2, 1)
    assert "needs the signing secret: set CLARIFY_SLACK__SIGNING_SECRET" in message
