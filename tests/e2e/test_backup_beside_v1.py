"""Programs write over HTTP while a backup is taken beside the bot: each is answered, and the copy is whole."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest

from bot import keys
from core.clock import SystemClock
from core.maintenance import backup, restore
from core.model.nodes import SAVED_ANSWER
from core.store.tables import NodeVersion, Source, SourceVersion
from tests.support.memories import open_memory, page, rows

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from bot.cli import main; main()"]
PATIENCE_SECS = 40
QUESTION = "What may a meal cost?"


class Program:
    """Calls the API, one request after the other on a connection of its own."""

    def __init__(self, port, secret):
        self._port, self._secret = port, secret

    def says(self, method, path, body, kind):
        with closing(http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_SECS)) as connection:
            bearer = {"Authorization": f"Bearer {self._secret}", "Content-Type": kind}
            connection.request(method, path, body, bearer)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def puts(self, number):
        words = page(f"Page {number}", {"Meals": f"A meal may cost {number} EUR."})
        return self.says("PUT", f"/v1/sources/{number}.md?readers=everyone", words, "text/markdown")[0]

    def saves(self, _):
        asked = json.dumps({"question": QUESTION})
        status, answer = self.says("POST", "/v1/generate", asked, "application/json")
        if status != 200:
            return status
        saved = json.dumps({"traceId": answer["traceId"]})
        return self.says("POST", "/v1/answers", saved, "application/json")[0]


@pytest.fixture
def settings(sqlite_url, tmp_path):
    keys.create(tmp_path / "keys")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = {"HTTP__PORT": str(port), "DATABASE": sqlite_url, "KEYS": str(tmp_path / "keys"), "EMBEDDER": "hashing"}
    told |= {"ANSWERS__MIN_COSINE": "0.05"}
    return port, os.environ | {"PYTHONPATH": str(ROOT)} | {f"CLARIFY_{name}": value for name, value in told.items()}


@pytest.fixture
def admin(settings, sqlite_url, tmp_path):
    """An admin's program, which calls a bot that is ready."""
    port, env = settings
    with closing(open_memory(sqlite_url, SystemClock())) as memory:
        memory.people.ensure_tenant("default", "Default")
        person_id = memory.people.put("default", "Robin", roles=["admin", "member"])
        secret = memory.api_keys.create("default", "laptop", person_id=person_id).secret
    with (tmp_path / "log").open("wb") as log:
        running = subprocess.Popen([*COMMAND, "run"], env=env, cwd=tmp_path, stdout=log, stderr=log)
    try:
        program, give_up_at = Program(port, secret), time.monotonic() + PATIENCE_SECS
        while not _is_ready(port):
            assert running.poll() is None, (tmp_path / "log").read_text()
            assert time.monotonic() < give_up_at
            time.sleep(0.02)  # another process's doing tells nobody
        yield program
    finally:
        running.kill()
        running.wait()


def _is_ready(port):
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECS)) as connection:
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except ConnectionError:
            return False


def test_while_programs_write_over_http_a_backup_is_one_moment_and_refuses_nobody(admin, sqlite_url, tmp_path):
    assert admin.puts(40) == admin.saves(0) == 201
    numbers, begun, stop, statuses = count(100), Event(), Event(), {"puts": [], "saves": []}

    def go_on(what):
        while not stop.is_set():
            statuses[what].append(getattr(admin, what)(next(numbers)))
            begun.set()

    writers = [Thread(target=go_on, args=[what]) for what in ("puts", "puts", "saves")]
    for writer in writers:
        writer.start()
    try:
        assert begun.wait(PATIENCE_SECS)
        backup(sqlite_url, tmp_path / "b.backup")
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert statuses["puts"]
    assert statuses["saves"]
    assert {*statuses["puts"], *statuses["saves"]} <= {200, 201}
    assert _whole(tmp_path) > 1


def _whole(folder):
    """How many documents a backup holds: each with its words, and each answer with what it was quoted from."""
    url = f"sqlite:///{folder / 'again.db'}"
    restore(url, folder / "b.backup")
    with closing(open_memory(url, SystemClock())) as memory:
        sources = {row.source_id for row in rows(memory, Source)}
        assert {row.source_id for row in rows(memory, SourceVersion)} == sources
        answers = [row for row in rows(memory, NodeVersion) if row.label == SAVED_ANSWER]
        assert answers, "else nothing was saved before the copy"
        assert {str(one) for one in sources} >= {one for row in answers for one in row.props["dependencies"]["sources"]}
        return len(sources)
