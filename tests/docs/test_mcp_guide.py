"""The guide to MCP says what is: its snippets connect the official client, its tables are those of the code."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tomllib
from contextlib import contextmanager
from pathlib import Path

import pytest
from mcp import StdioServerParameters, stdio_client

from bot.cli.entry import run
from bot.config import McpSettings
from bot.http.v1.limits import LIMITS
from bot.http.v1.openapi import codes
from bot.mcp.tools import TOOLS
from tests.support.listening import LEAKS
from tests.support.mcp import ROOT, Client, over_http, problem

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def section(heading):
    return TEXT.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def snippet(kind, heading):
    """The first block of a kind under a heading."""
    return re.search(rf"^```{kind}\n(.*?)^```", section(heading), re.DOTALL | re.MULTILINE)[1]


def server(heading):
    """What a client's settings say of the server."""
    return json.loads(snippet("json", heading))["mcpServers"]["memory"]


CALLS = [json.loads(line) for line in snippet("json", "Tools").splitlines()]
KEY = "clarify_…"


@pytest.fixture
def folder(tmp_path, migrated_file, monkeypatch, capsys):
    """Where `init` was run, a document is known and the command is on the path; and the key of the guide."""
    shutil.copy(migrated_file, tmp_path / "clarify-bot.db")
    (tmp_path / "travel.md").write_text("# Travel\n\n## Meals\n\nA meal may cost at most 40 EUR.\n")
    script = tmp_path / "bin" / "clarify-bot"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -c "from bot.cli import main; main()" "$@"\n')
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLARIFY_EMBEDDER", "hashing")
    monkeypatch.setenv("CLARIFY_ANSWERS__MIN_COSINE", "0.05")
    monkeypatch.setenv("PATH", f"{script.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for command in (
        ("init",),
        ("person", "add", "Robin", "--email", "robin@example.com"),
        ("ingest", "travel.md", "--readers", "everyone"),
        ("key", "add", "assistant", "--for", "robin@example.com"),
    ):
        capsys.readouterr()
        assert run(command) == 0, command
    return tmp_path, capsys.readouterr().out.split()[-1]


async def each_call(client):
    for call in CALLS:
        told = await client.call_tool(call["name"], call["arguments"])
        assert "A meal may cost at most 40 EUR." in told.content[0].text
    refused = problem(await client.call_tool("memory.ask", {"question": " "}))
    shown = json.loads(snippet("json", "Errors"))
    assert (refused.keys(), refused["type"], refused["code"]) == (shown.keys(), shown["type"], shown["code"])
    assert refused["errors"][0]["pointer"] == shown["errors"][0]["pointer"]


async def test_a_client_with_the_settings_of_the_guide_starts_it_and_calls_each_tool(folder):
    there, key = folder
    said = server("A client that starts it: stdio")
    env = os.environ | {name: value.replace(KEY, key) for name, value in said["env"].items()}
    how = StdioServerParameters(command=said["command"], args=said["args"], env=env, cwd=there)
    with (there / "err").open("w") as errors:
        async with Client(stdio_client(how, errlog=errors)) as client:
            await each_call(client)


async def test_a_client_with_the_settings_of_the_guide_calls_each_tool_of_a_bot_that_runs(folder):
    there, key = folder
    (there / "clarify-bot.toml").write_text(snippet("toml", "A client that calls it: HTTP"))
    said = server("A client that calls it: HTTP")
    with running(there) as port:
        assert said["headers"] == {"Authorization": f"Bearer {KEY}"}
        async with over_http(said["url"].replace(":8080", f":{port}"), key) as client:
            await each_call(client)


@contextmanager
def running(there: Path):
    """A bot of these settings, and its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env = os.environ | {"CLARIFY_HTTP__PORT": str(port)}
    with (
        (there / "err").open("wb") as errors,
        subprocess.Popen(["clarify-bot", "run"], cwd=there, env=env, stdout=errors, stderr=subprocess.PIPE) as bot,
    ):
        try:
            assert any(b"bot.ready" in line for line in bot.stderr)
            yield port
        finally:
            bot.kill()
            LEAKS.hear_stderr(bot.stderr.read())


def test_the_settings_of_the_guide_are_the_defaults_but_that_it_is_on():
    said = tomllib.loads(snippet("toml", "A client that calls it: HTTP"))["mcp"]
    assert said == json.loads(McpSettings(enabled=True).model_dump_json())


def table(heading):
    rows = re.findall(r"^\| (.*) \|$", section(heading), re.MULTILINE)
    return [tuple(cell.strip("`") for cell in row.split(" | ")) for row in rows[1:]]


def test_every_tool_is_in_the_guide_as_its_code_says():
    said = [(name, f"{one.method} /v1{one.path}", one.handler.__doc__) for name, one in TOOLS.items()]
    assert table("Tools") == said


def test_every_code_that_a_tool_may_refuse_with_is_in_the_guide():
    of_a_body = {"UNSUPPORTED_MEDIA_TYPE", "BODY_TOO_SLOW"}
    may = {code for route in TOOLS.values() for code in codes(route)} - of_a_body
    assert {code for code, _ in table("Errors")} == may


def test_the_limits_are_those_of_the_code():
    words = section("Errors")
    assert f"{LIMITS.largest_json >> 20} MiB" in words
    assert f"{LIMITS.answer_secs} seconds" in words
