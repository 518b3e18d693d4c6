"""One request to a webhook: whatever is at the other end, it ends in time, and goes where it may alone."""

import socket

import pytest
from aiohttp.abc import AbstractResolver

from bot.webhooks import send
from core.clock import MINUTE, ManualClock
from core.webhooks.replies import Reply
from core.webhooks.views import Parcel
from tests.fakes.receiver import receiver
from tests.support.loopback import make_certificate
from tests.support.memories import NOW

BODY = b'{"data":{},"type":"watch.fired"}'


class Names(AbstractResolver):
    """Leads every name to these addresses, each look-up to the next of them."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def resolve(self, host, port=0, family=socket.AF_INET):
        self.asked.append(host)
        found = self.answers.pop(0)
        if not found:
            raise OSError("no such name")
        return [
            {"hostname": host, "host": address, "port": port, "family": _family(address), "proto": 0,
             "flags": socket.AI_NUMERICHOST}
            for address in found
        ]  # fmt: skip

    async def close(self):
        pass


def _family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


@pytest.fixture
async def taking():
    async with receiver() as running:
        yield running


async def post(url, *, private=True, resolver=None, secs=5.0):
    parcel = Parcel(url, {"webhook-id": "m1", "content-type": "application/json"}, BODY, private)
    return await send(parcel, ManualClock(NOW), resolver, secs)


# ── what comes of it ──


async def test_the_very_bytes_are_sent_with_their_headers_and_nothing_that_nobody_asked_for(taking):
    assert await post(taking.url) == Reply("http_204", 204)
    [request] = taking.requests
    assert (request.line, request.body) == ("POST /hooks?for=ledger HTTP/1.1", BODY)
    assert (request.headers["content-type"], request.headers["webhook-id"]) == ("application/json", "m1")
    assert set(request.headers) <= {
        "host", "content-type", "webhook-id", "user-agent", "accept", "accept-encoding", "content-length", "connection",
    }  # fmt: skip


@pytest.mark.parametrize("status", [200, 201, 204, 299, 304, 400, 401, 404, 410, 413, 500, 502, 503])
async def test_every_status_is_told_as_it_is(taking, status):
    taking.script.append(status)
    assert await post(taking.url) == Reply(f"http_{status}", status)
    assert taking.connections == 1


@pytest.mark.parametrize("status", [429, 503])
async def test_when_to_come_back_is_told(taking, status):
    taking.script.append((status, {"retry-after": "120"}))
    assert (await post(taking.url)).retry_after == 2 * MINUTE


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_no_redirect_is_followed(taking, status):
    async with receiver() as elsewhere:
        taking.script.append((status, {"location": elsewhere.url}))
        assert await post(taking.url) == Reply(f"http_{status}", status)
        assert elsewhere.connections == 0
    assert taking.connections == 1


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("silence", "timed_out"),
        ("slow head", "timed_out"),
        ("reset", "connection_failed"),
        ("nonsense", "connection_failed"),
        ("endless head", "connection_failed"),
    ],
)
async def test_without_an_answer_it_ends_in_time_and_is_sent_once(taking, answer, reason):
    taking.script.append(answer)
    assert await post(taking.url, secs=0.3 if reason == "timed_out" else 5) == Reply(reason)
    assert len(taking.requests) == 1


@pytest.mark.parametrize("answer", ["slow body", "huge body"])
async def test_of_an_answer_that_does_not_end_the_status_is_enough(taking, answer):
    taking.script.append(answer)
    assert await post(taking.url) == Reply("http_200", 200)
    assert taking.written < 2**24, "what lies in the buffers of two sockets, and no more"


async def test_nobody_at_the_other_end(taking):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        assert await post(f"http://127.0.0.1:{port}/") == Reply("connection_failed")


async def test_a_certificate_that_nobody_vouches_for_is_refused_and_nothing_is_sent(tmp_path):
    async with receiver(make_certificate(tmp_path)) as guarded:
        assert await post(guarded.url.replace("http:", "https:")) == Reply("tls_failed")
        assert guarded.requests == []


@pytest.mark.parametrize("url", ["https://exa mple/", "nonsense", "https://", "http://a..b/"])
async def test_an_address_that_cannot_be_read_is_no_crash(url):
    reply = await post(url, resolver=Names([]))
    assert reply.status is None


async def test_a_name_that_leads_nowhere(taking):
    assert await post("http://nowhere.example/", resolver=Names([])) == Reply("name_not_found")


# ── where it may go ──

SPELLINGS = [
    "127.0.0.1", "localhost", "0x7f.1", "0x7f000001", "2130706433", "017700000001", "127.1", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::1]", "0.0.0.0", "[::]", "①②⑦.⓪.⓪.①", "１２７.0.0.1",
    "127。0。0。1", "127.0.0.1.",
]  # fmt: skip


@pytest.mark.parametrize("host", SPELLINGS)
async def test_this_machine_is_not_reached_however_it_is_written(taking, host):
    """Also by a webhook that got past its registration."""
    reply = await post(taking.url.replace("127.0.0.1", host), private=False)
    assert reply.status is None
    assert reply.reason in {"address_refused", "bad_address", "name_not_found"}
    assert taking.connections == 0


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "169.254.169.254", "100.64.0.1", "::1", "fd00::1"])
async def test_a_name_that_leads_inside_is_refused(taking, address):
    names = Names([address])
    assert await post(f"http://hooks.example:{taking.port}/", private=False, resolver=names) == Reply("address_refused")
    assert taking.connections == 0


async def test_a_name_that_leads_inside_and_out_does_not_lead_inside(taking):
    names = Names(["127.0.0.1", "::1", "10.0.0.1"])
    assert await post(f"http://hooks.example:{taking.port}/", private=False, resolver=names) == Reply("address_refused")
    assert taking.connections == 0


async def test_a_name_that_changes_between_the_look_and_the_connection_gains_nothing(taking):
    """It is looked up once for a request, and what is connected to is what was judged."""
    names = Names(["10.0.0.1"], ["127.0.0.1"])
    url = f"http://hooks.example:{taking.port}/"
    assert [await post(url, private=False, resolver=names) for _ in range(2)] == [Reply("address_refused")] * 2
    assert names.asked == ["hooks.example"] * 2
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    assert await post(url, resolver=names) == Reply("http_204", 204)
    assert len(names.asked) == 1
    assert taking.requests[0].headers["host"] == f"hooks.example:{taking.port}"


async def test_where_the_operator_allows_it_this_machine_is_reached(taking):
    assert await post(f"http://hooks.example:{taking.port}/", resolver=Names(["127.0.0.1"])) == Reply("http_204", 204)


async def test_no_proxy_and_no_password_file_of_the_environment_is_used(taking, tmp_path, monkeypatch):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login somebody password hunter2\n")
    async with receiver() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        assert await post(taking.url) == Reply("http_204", 204)
        assert proxy.connections == 0
    assert "authorization" not in taking.requests[0].headers


async def test_no_cookie_is_kept_from_one_request_to_the_next(taking):
    taking.script.append((200, {"set-cookie": "seen=yes"}))
    for _ in range(2):
        await post(taking.url)
    assert all("cookie" not in request.headers for request in taking.requests)
