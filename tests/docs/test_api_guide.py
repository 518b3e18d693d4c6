"""The guide to `/v1` says what is: its quick start runs step by step, its tables are those of the code."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from bot.http.v1.limits import LIMITS
from bot.http.v1.nodes import MOST_FOUND, QueryAsked
from bot.http.v1.problems import KINDS
from bot.http.v1.route import Document
from bot.http.v1.routes import ROUTES
from core.text.strict_json import DEEPEST

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
QUICK_START = TEXT.partition("## Quick start")[2].partition("\n## ")[0]
STEP = "— step —"


def steps():
    """Each block of commands, with the JSON values that it prints, where the guide shows them."""
    blocks = re.findall(r"^```(sh|json)\n(.*?)^```", QUICK_START, re.DOTALL | re.MULTILINE)
    for (kind, words), (after, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if kind == "sh":
            yield words, shown if after == "json" else ""


def values(text):
    """The JSON values in a text, one after another."""
    decoder, found, text = json.JSONDecoder(), [], text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].strip()
    return found


def same(said, shown):
    """Whether a value is as the guide shows it, where “…” stands for any."""
    if shown == "…":
        return True
    if isinstance(shown, dict):
        return isinstance(said, dict) and said.keys() == shown.keys() and all(same(said[k], shown[k]) for k in shown)
    if isinstance(shown, list):
        return isinstance(said, list) and len(said) == len(shown) and all(map(same, said, shown))
    return said == shown


@pytest.fixture
def folder(tmp_path, migrated_file):
    """A shell's path with the command on it, and a folder where the tables that `init` makes are there already."""
    command = tmp_path / "bin" / "clarify-bot"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from bot.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    (tmp_path / "work").mkdir()
    shutil.copy(migrated_file, tmp_path / "work" / "clarify-bot.db")
    return tmp_path


def run(folder, script):
    """What a shell prints that runs a script against a bot of its own, which ends with it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    env = os.environ | {"PYTHONPATH": str(ROOT), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    env |= {"CLARIFY_HTTP__PORT": port, "CLARIFY_WATCH__SETTLE_SECS": "0", "CLARIFY_WATCH__TICK_SECS": "1"}
    env |= {"CLARIFY_EMBEDDER": "hashing", "CLARIFY_ANSWERS__MIN_COSINE": "0.05"}
    whole = "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n" + script.replace("localhost:8080", f"127.0.0.1:{port}")
    done = subprocess.run(
        ["bash", "-eu", "-c", whole], cwd=folder / "work", env=env, capture_output=True, timeout=200, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


@pytest.mark.timeout(240)  # four commands and a bot, one after another, each a process
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl: the quick start is made of it")
def test_the_quick_start_runs_as_it_is_printed(folder):
    printed = run(folder, "".join(f"{words}\necho '{STEP}'\n" for words, _ in steps())).split(STEP)
    for said, (words, shown) in zip(printed, steps(), strict=False):
        if shown:
            assert same(values(said), values(shown)), f"{words}\nprints\n{said}"
    assert sum(bool(shown) for _, shown in steps()) == 6


def test_a_value_is_compared_but_where_the_guide_leaves_it_open():
    assert same([{"a": [1]}], [{"a": "…"}])
    assert not same([{"a": 1}], [{"a": 2}])
    assert not same([{"a": 1, "b": 2}], [{"a": 1}])


def table(heading, number=0):
    """The rows of a table under a heading."""
    found = re.findall(r"(?:^\|.*\|\n)+", TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0], re.MULTILINE)
    rows = re.findall(r"^\| (.*) \|$", found[number], re.MULTILINE)
    return [tuple(cell.strip("`") for cell in row.split(" | ")) for row in rows[1:]]


def test_every_endpoint_is_in_the_guide_as_its_code_says():
    assert table("Endpoints") == [
        (f"{route.method} /v1{route.path}", route.handler.__doc__.partition("\n")[0]) for route in ROUTES
    ]


def test_a_body_of_every_endpoint_that_takes_one_is_in_the_guide():
    takes = {
        f"{route.method} /v1{route.path}": route.body for route in ROUTES if route.body and route.body is not Document
    }
    shown = dict(table("Endpoints", 1))
    assert shown.keys() == takes.keys()
    for endpoint, cell in shown.items():
        takes[endpoint].model_validate_json(cell.partition("`")[0].replace("…", str(UUID(int=7))))


def test_how_many_nodes_a_query_tells_is_in_the_guide():
    words = TEXT.partition("- **`POST /v1/query`**")[2].partition("\n- ")[0]
    assert f"{QueryAsked.model_fields['limit'].default}, or up to {MOST_FOUND}" in words


def test_every_code_is_in_the_guide_as_its_table_says():
    assert table("Errors") == [(code, str(kind.status), kind.title) for code, kind in KINDS.items()]


def test_the_limits_are_those_of_the_code():
    words = TEXT.partition("\n## Limits\n")[2].partition("\n## ")[0]
    for said in (
        f"{LIMITS.largest_json >> 20} MiB and {DEEPEST} levels",
        f"a document {LIMITS.largest_document >> 20} MiB",
        f"within {LIMITS.body_secs} seconds",
        f"{LIMITS.answer_secs} seconds",
        f"{LIMITS.at_once} requests",
        f"{LIMITS.long_of_one_key} of those that take long",
    ):
        assert said in " ".join(words.split())
