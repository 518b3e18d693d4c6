"""`clarify-bot mcp`: the official client starts it; its stdout is protocol and nothing else."""

import json
import signal
import subprocess
from contextlib import contextmanager
from subprocess import PIPE

import pytest
from mcp import MCPError

from tests.bot.mcp.conftest import ASKED, MEALS
from tests.support.mcp import NEW, OLD, command, over_stdio, problem


@pytest.fixture
def database_url(sqlite_url):
    """The process is told of a file."""
    return sqlite_url


@pytest.mark.parametrize("mode", [NEW, OLD])
async def test_the_client_lists_and_calls_the_tools_until_the_key_is_revoked(mode, memory, pages, tmp_path):
    made = memory.api_keys.create("default", "a program", ["member"])
    async with over_stdio(tmp_path, made.secret, mode) as client:
        assert len((await client.list_tools()).tools) == 3
        told = [await client.call_tool(name, arguments) for name, arguments in ASKED.items()]
        assert problem(await client.call_tool("memory.ask", {"question": " "}))["code"] == "INVALID_REQUEST"
        with pytest.raises(MCPError):
            await client.call_tool("memory.forget", {})
        memory.api_keys.revoke("default", made.key_id)
        refused = [await client.call_tool(name, arguments) for name, arguments in ASKED.items()]
    assert [one.content[0].text for one in told if one.is_error] == []
    assert all(MEALS in one.content[0].text for one in told)
    assert [problem(one)["code"] for one in refused] == ["UNAUTHENTICATED"] * 3


@contextmanager
def started(folder, secret):
    """The command, with pipes to it."""
    run = command(folder, secret)
    with (
        (folder / "err").open("wb") as errors,
        subprocess.Popen(
            [run.command, *run.args], cwd=folder, env=run.env, stdin=PIPE, stdout=PIPE, stderr=errors
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def heard(process, most):
    """What it says until it has answered so many requests, each line a message."""
    said = []
    while sum(one.get("id") is not None for one in said) < most:
        said.append(json.loads(process.stdout.readline()))
    return said


def request(method, number, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


HELLO = request(
    "initialize", 0, protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "a test", "version": "1"}
)
READY = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}'


def test_stdout_holds_nothing_but_protocol_whatever_comes_in(member, tmp_path):
    huge = request("tools/call", 1, name="memory.ask", arguments={"question": "x" * 2_000_000})
    nonsense = (b"no JSON", b"\xff\xfe", b"[" * 10_000, b"{}", b"")
    with started(tmp_path, member) as process:
        for line in (HELLO, READY, *nonsense, huge, request("tools/list", 2)):
            process.stdin.write(line + b"\n")
        process.stdin.flush()
        said = heard(process, most=3)
        process.stdin.close()
        rest = [json.loads(line) for line in process.stdout]
        assert process.wait(30) == 0
    assert {one["jsonrpc"] for one in said + rest} == {"2.0"}
    answers = {one["id"]: one for one in said if one.get("id") is not None}
    assert json.loads(answers[1]["result"]["content"][0]["text"])["code"] == "BODY_TOO_LARGE"
    assert len(answers[2]["result"]["tools"]) == 3
    assert b"Traceback" not in (tmp_path / "err").read_bytes()


def call(number):
    return request("tools/call", number, name="memory.ask", arguments=ASKED["memory.ask"])


def cancelled(number):
    return b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": %d}}' % number


def test_what_was_asked_before_stdin_ended_is_answered_and_then_it_ends(member, tmp_path):
    with started(tmp_path, member) as process:
        said, _ = process.communicate(b"\n".join([HELLO, READY, *map(call, range(1, 6))]) + b"\n", timeout=50)
        assert process.returncode == 0
    assert sorted(json.loads(line)["id"] for line in said.splitlines()) == list(range(6))


def test_calls_that_are_cancelled_let_the_next_be_answered(member, tmp_path):
    many = range(1, 40)
    lines = [HELLO, READY, *map(call, many), *map(cancelled, many), cancelled(7000), call(100)]
    with started(tmp_path, member) as process:
        process.stdin.write(b"\n".join(lines) + b"\n")
        process.stdin.flush()
        while (last := json.loads(process.stdout.readline())).get("id") != 100:
            pass
        process.stdin.close()
        assert process.wait(30) == 0
    told = json.loads(last["result"]["content"][0]["text"])
    assert told.get("code") == "TOO_MANY_REQUESTS" or MEALS in told["text"]
    assert b"Traceback" not in (tmp_path / "err").read_bytes()


def test_a_client_that_listens_no_more_is_no_crash(member, tmp_path):
    with started(tmp_path, member) as process:
        process.stdin.write(HELLO + b"\n" + READY + b"\n")
        process.stdin.flush()
        heard(process, most=1)
        process.stdout.close()
        process.stdin.write(call(1) + b"\n")
        process.stdin.close()
        assert process.wait(30) == 0
    assert (tmp_path / "err").read_bytes() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_told_to_stop_it_stops(number, member, tmp_path):
    with started(tmp_path, member) as process:
        process.stdin.write(HELLO + b"\n")
        process.stdin.flush()
        heard(process, most=1)
        process.send_signal(number)
        assert process.wait(30) != 0
    assert b"Traceback" not in (tmp_path / "err").read_bytes()


@pytest.mark.parametrize(
    ("secret", "code", "words"),
    [(" ", 2, b"CLARIFY_API_KEY"), ("clarify_unknown", 1, b"key")],
    ids=["blank", "unknown"],
)
def test_without_a_good_key_it_does_not_start_and_says_why(secret, code, words, pages, tmp_path):
    with started(tmp_path, secret) as process:
        said, _ = process.communicate(timeout=30)
    complaint = (tmp_path / "err").read_bytes()
    assert (process.returncode, said) == (code, b"")
    assert words in complaint
    assert b"Traceback" not in complaint
