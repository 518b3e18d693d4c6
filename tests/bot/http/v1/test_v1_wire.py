"""What comes over the wire in other forms than clients send it: the bytes decide, and none of them is a fault here."""

import asyncio
import json
from contextlib import asynccontextmanager
from unittest.mock import Mock

import pytest
from aiohttp import StreamReader
from aiohttp.test_utils import make_mocked_request

from bot.http.v1.arriving import read_body
from bot.http.v1.problems import Problem
from tests.support.http import key

QUERY = b'{"find": "NOTHING"}'
JSON = "Content-Type: application/json"


@pytest.fixture
def wire(base, memory):
    """A request as it is written, sent in parts; the answer to its end."""
    host, _, port = base.removeprefix("http://").removesuffix("/v1").partition(":")
    secret = key(memory, "admin")

    @asynccontextmanager
    async def sent(line, *headers, body=b"", secret=secret):
        reader, writer = await asyncio.open_connection(host, int(port))
        head = [f"{line} HTTP/1.1", "Host: x", *headers, *([f"Authorization: Bearer {secret}"] if secret else [])]
        writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        try:
            yield reader, writer
        finally:
            writer.close()
            await writer.wait_closed()

    return sent


async def answer(reader):
    """Status, headers and problem (or body) of the next answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return int(head[0].split()[1]), headers, json.loads(body) if body else None


def length(of):
    return f"Content-Length: {len(of)}"


# ── Expect: 100-continue ──


async def test_who_asks_first_is_told_to_go_on_when_the_body_is_wanted(wire):
    async with wire("POST /v1/query", JSON, length(QUERY), "Expect: 100-continue") as (reader, writer):
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(QUERY)
        assert (await answer(reader))[::2] == (200, {"nodes": []})


@pytest.mark.parametrize(
    ("secret", "headers", "code"),
    [
        ("nobodys", (JSON, "Content-Length: 10"), "UNAUTHENTICATED"),
        (None, (JSON, "Content-Length: 100000000"), "UNAUTHENTICATED"),
        ("", (JSON, "Content-Length: 100000000"), "UNAUTHENTICATED"),
    ],
)
async def test_who_asks_first_is_refused_before_they_send_a_body(wire, secret, headers, code):
    async with wire("POST /v1/query", *headers, "Expect: 100-continue", secret=secret) as (reader, _):
        status, told, problem = await answer(reader)
    assert (status, problem["code"]) == (401, code)
    assert told["connection"] == "close", "the body that is not sent must not be taken for the next request"


async def test_what_is_too_large_or_of_another_kind_is_refused_before_it_is_sent(wire):
    for kind, size, status in ((JSON, 100_000_000, 413), ("Content-Type: text/plain", 10, 415)):
        async with wire("POST /v1/query", kind, f"Content-Length: {size}", "Expect: 100-continue") as (reader, _):
            told, headers, _ = await answer(reader)
        assert (told, headers["connection"]) == (status, "close")


async def test_an_expectation_that_nobody_knows_is_passed_over(wire):
    async with wire("POST /v1/query", JSON, length(QUERY), "Expect: gifts", body=QUERY) as (reader, _):
        assert (await answer(reader))[0] == 200


# ── bodies ──


async def test_who_hangs_up_in_the_middle_is_no_fault_of_ours():
    body = StreamReader(Mock(_reading_paused=False), limit=2**16, loop=asyncio.get_running_loop())
    body.feed_data(b"{")
    body.set_exception(ConnectionResetError())
    request = make_mocked_request("POST", "/query", {"Content-Length": "50"}, payload=body)
    with pytest.raises(Problem, match="BODY_TOO_SLOW") as refused:
        await read_body(request, most=100, secs=30)
    assert refused.value.detail == "The connection ended before it."


async def test_a_body_that_comes_in_crumbs_is_one_body(wire):
    async with wire("POST /v1/query", JSON, "Transfer-Encoding: chunked") as (reader, writer):
        for byte in QUERY:
            writer.write(b"1\r\n" + bytes([byte]) + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        assert (await answer(reader))[0] == 200


@pytest.mark.parametrize("codings", [["gzip"], ["identity", "gzip"], ["identity, br"], [""]])
async def test_a_packed_body_is_not_unpacked(wire, codings):
    headers = (f"Content-Encoding: {coding}" for coding in codings)
    async with wire("POST /v1/query", JSON, length(QUERY), *headers, body=QUERY) as (reader, _):
        assert (await answer(reader))[0] == 415


async def test_requests_that_are_sent_in_a_row_are_answered_in_a_row(wire):
    head = f"POST /v1/query HTTP/1.1\r\nHost: x\r\n{JSON}\r\nContent-Length: 1\r\n\r\n".encode()
    async with wire("POST /v1/query", JSON, length(QUERY), body=QUERY + (head + b"{") * 2) as (reader, _):
        assert [(await answer(reader))[0] for _ in "123"] == [200, 401, 401]


# ── addresses ──


@pytest.mark.parametrize("name", ["%ff.md", "caf%E9.md", "%ED%A0%80", "a%", "a%zz", "a%2"])
async def test_an_address_that_is_no_text_names_nothing(wire, name):
    sent = "Content-Type: text/plain", length(b"x")
    async with wire(f"PUT /v1/sources/{name}?readers=everyone", *sent, body=b"x") as (reader, _):
        status, _, problem = await answer(reader)
    assert (status, problem["code"]) == (422, "INVALID_REQUEST")
    assert "%" in problem["detail"]
    async with wire(f"PUT /v1/sources/a?readers={name}", *sent, body=b"x") as (reader, _):
        assert (await answer(reader))[0] == 422


@pytest.mark.parametrize("name", [".", "..", "../a", "a/..", "a/./b", "a%2F..%2Fb", "%2e%2e", "a%0Ab", "%00", "%20"])
async def test_what_no_document_can_be_called_is_refused(wire, name):
    sent = "Content-Type: text/plain", length(b"x")
    async with wire(f"PUT /v1/sources/{name}?readers=everyone", *sent, body=b"x") as (reader, _):
        status, _, problem = await answer(reader)
    assert (status, problem["code"], "uri" in problem["detail"]) == (422, "INVALID_REQUEST", True)


@pytest.mark.parametrize(
    "name", ["a//b", "a.b..c/...", "%E2%98%83.md", "a+b", "a%2Bb", "a%25b", "a%20b", "https://x/y%3Fz%23"]
)
async def test_a_document_is_found_again_where_its_location_says(wire, name):
    sent = "Content-Type: text/plain", length(b"Words.")
    async with wire(f"PUT /v1/sources/{name}?readers=everyone", *sent, body=b"Words.") as (reader, _):
        status, headers, _ = await answer(reader)
    assert status == 201
    async with wire(f"DELETE {headers['location']}") as (reader, _):
        assert (await answer(reader))[0] == 204


@pytest.mark.parametrize("name", ["7", "{}", "%7B%7D", "%0A", "0" * 32, "urn:uuid:" + "0" * 32])
async def test_what_is_no_id_names_nothing(wire, name):
    async with wire(f"GET /v1/trace/{name}") as (reader, _):
        status, _, problem = await answer(reader)
    assert (status, problem["code"]) == (404, "NOT_FOUND")


# ── methods and conditions ──


async def test_a_method_that_an_endpoint_does_not_know_is_told_those_that_it_does(wire):
    for method, allowed in (("GET", "DELETE, PUT"), ("OPTIONS", "DELETE, PUT"), ("PATCH", "DELETE, PUT")):
        async with wire(f"{method} /v1/sources/a") as (reader, _):
            status, headers, problem = await answer(reader)
        assert (status, headers["allow"], problem["code"]) == (405, allowed, "METHOD_NOT_ALLOWED")


@pytest.mark.parametrize(
    "condition", ['If-Match: "a"', "If-None-Match: *", "If-Unmodified-Since: Mon, 01 Jan 1990 00:00:00 GMT"]
)
async def test_a_write_on_a_condition_is_refused_for_none_is_minded(wire, memory, condition):
    sent = "Content-Type: text/plain", length(b"Words.")
    before = memory.documents.standing("default")
    async with wire("PUT /v1/sources/travel.md?readers=everyone", *sent, condition, body=b"Words.") as (reader, _):
        status, _, problem = await answer(reader)
    assert (status, problem["code"]) == (422, "INVALID_REQUEST")
    assert condition.partition(":")[0] in problem["detail"]
    assert memory.documents.standing("default") == before
    async with wire("GET /v1/sources", condition) as (reader, _):
        assert (await answer(reader))[0] == 200
