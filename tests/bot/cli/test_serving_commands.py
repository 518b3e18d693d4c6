"""`run` and `demo` as processes: what they leave on stdout, and how they end."""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
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


def test_why_run_ends_is_a_line_of_the_log_like_every_other(start, taken):
    start("init").communicate()
    process = start("run", CLARIFY_HTTP__PORT=str(taken))
    *_, last = map(json.loads, process.communicate()[1].decode().splitlines())
    assert (last["event"], last["level"], process.returncode) == ("bot.failed", "critical", 1)
    assert last["error"].startswith("store_unavailable at app.py:")
    assert f"port {taken} on 127.0.0.1 is in use" in last["reason"]


def hears(process, number):
    """Whether a process has begun to handle a signal itself."""
    caught = Path(f"/proc/{process.pid}/status").read_text().partition("SigCgt:\t")[2].split()[0]
    return int(caught, 16) >> (number - 1) & 1


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says which signals a process handles")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_stop_while_it_starts_it_ends_at_once_though_it_waits_for_the_database(
    start, tmp_path, number, in_a_terminal
):
    start("init").communicate()
    with closing(sqlite3.connect(tmp_path / "clarify-bot.db")) as held:
        held.execute("PRAGMA locking_mode=EXCLUSIVE")
        held.execute("BEGIN EXCLUSIVE")
        process = start("run", CLARIFY_HTTP__PORT="0")
        while not hears(process, number):
            time.sleep(0.02)  # another process's doing tells nobody
        process.send_signal(number)
        try:
            assert process.wait(20) == 0
        finally:
            process.kill()
            process.communicate()
