"""`/mcp`: every request proves who calls and by which name, whatever came before it; what is no MCP is refused."""

import asyncio
import io
import json
import socket
from contextlib import AsyncExitStack

import aiohttp
import pytest
from mcp import MCPError

from bot import keys
from bot.app import Bot, _listen, signer_of
from bot.config import FILE, HttpSettings, McpSettings, Settings, load
from bot.http.v1.limits import LIMITS
from bot.mcp import extra
from bot.mcp.refusing import REFUSED
from core.clock import SECOND
from core.errors import InvalidConfig
from tests.support.mcp import NEW, OLD, over_http, serving

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
async def post(address, member):
    """Send bytes or JSON; the status and the answer."""
    async with aiohttp.ClientSession() as session:

        async def send(sent=LIST, secret=member, method="POST", to=address, **headers):
            headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"} | headers
            headers |= {"Authorization": f"Bearer {secret}"} if secret is not None else {}
            data = io.BytesIO(sent if isinstance(sent, bytes) else json.dumps(sent).encode())
            async with session.request(method, to, data=data, headers=headers) as answer:
                return answer.status, await answer.text()

        yield send


def code(answer):
    """Of what was refused before it was read as MCP: told as clients of MCP can read it."""
    status, said = answer
    told = json.loads(said)
    problem = told["error"]["data"]
    assert told == {"jsonrpc": "2.0", "id": None, "error": {"code": REFUSED} | told["error"]}
    assert problem["status"] == status
    assert told["error"]["message"].startswith(problem["code"])
    return problem["code"]


async def test_one_post_is_one_exchange_without_a_session(post):
    status, said = await post()
    assert (status, len(json.loads(said)["result"]["tools"])) == (200, 3)


@pytest.mark.parametrize("secret", [None, "", "clarify_unknown", "ключ"])
async def test_without_a_good_key_nothing_is_told(secret, post):
    answer = await post(secret=secret)
    assert (answer[0], code(answer)) == (401, "UNAUTHENTICATED")


async def test_whatever_is_wrong_with_a_key_the_same_is_told(post, memory, clock, bob):
    gone = memory.api_keys.create("default", "a", ["member"])
    memory.api_keys.revoke("default", gone.key_id)
    over = memory.api_keys.create("default", "b", ["member"], keep_for=1)
    left = memory.api_keys.create("default", "c", (), person_id=bob.person_id)
    memory.people.set_active("default", bob.person_id, active=False)
    clock.advance(SECOND)
    told = {await post(secret=secret) for secret in (gone.secret, over.secret, left.secret, "clarify_unknown", None)}
    assert [status for status, _ in told] == [401]


async def test_a_key_that_is_revoked_is_refused_at_the_next_request(address, memory, pages):
    made = memory.api_keys.create("default", "a program", ["member"])
    async with over_http(address, made.secret) as client:
        assert (await client.list_tools()).tools
        memory.api_keys.revoke("default", made.key_id)
        with pytest.raises(MCPError, match="UNAUTHENTICATED"):
            await client.call_tool("memory.context", {"question": "What may a meal cost?"})


async def shown(address, secret, mode):
    """What the client says that is not let in."""
    try:
        async with over_http(address, secret, mode) as client:
            await client.list_tools()
    except (MCPError, BaseExceptionGroup) as refused:
        return words(refused)


def words(error):
    return "".join(map(words, error.exceptions)) if isinstance(error, BaseExceptionGroup) else str(error)


@pytest.mark.parametrize("mode", [NEW, OLD])
async def test_the_client_shows_why_it_is_not_let_in(mode, address, memory, member):
    assert "UNAUTHENTICATED" in await shown(address, "clarify_unknown", mode)
    async with serving(memory, limits=type(LIMITS)(at_once=0)) as there:
        assert "TOO_MANY_REQUESTS" in await shown(there, member, mode)


async def test_two_keys_on_one_connection_see_what_is_theirs(post, board, member):
    call = LIST | {"method": "tools/call"}
    asked = {"name": "memory.context", "arguments": {"question": "What is a seat on the board paid?"}}
    seen = [await post(call | {"params": asked}, secret=one) for one in (board, member, board)]
    assert ["900 EUR" in said for _, said in seen] == [True, False, True]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil:80"])
async def test_called_by_a_name_that_is_not_its_own_it_refuses_and_says_where_names_stand(host, post):
    status, said = await post(Host=host)
    assert (status, "`hosts` under [mcp]" in json.loads(said)["error"]["message"]) == (421, True)


@pytest.mark.parametrize("origin", ["http://evil.example", "https://localhost.evil.example", "null"])
async def test_a_page_of_another_place_is_refused(origin, post):
    assert (await post(Origin=origin))[0] == 403


@pytest.mark.parametrize(
    "host", ["localhost:8080", "LOCALHOST", "[::1]:8080", "bot.example.com", "Bot.example.com:443"]
)
async def test_called_by_its_own_names_it_answers(host, memory, post):
    async with serving(memory, "BOT.example.com") as there:
        assert (await post(to=there, Host=host, Origin=f"https://{host}"))[0] == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        ({"jsonrpc": "2.0", "id": 1}, 400),
        ([LIST, LIST], 400),
    ],
    ids=["nothing", "half", "empty batch", "no UTF-8", "deep", "no method", "batch"],
)
async def test_what_is_no_request_is_refused_and_the_next_is_answered(sent, status, post):
    assert (await post(sent))[0] == status
    assert (await post())[0] == 200


CALL = LIST | {"method": "tools/call", "params": {"name": "memory.context", "arguments": {"question": "A meal?"}}}


@pytest.mark.parametrize(
    ("once", "wrong"),
    [
        *((f'"{name}":', f'"{name}": "x", "{name}":') for name in ("question", "name", "method")),
        ('"A meal?"', f'"A meal?", "validTime": {10**30}'),
        ('"A meal?"', f'"A meal?", "where": {"[" * 40}{"]" * 40}'),
    ],
    ids=["an argument twice", "the tool twice", "the method twice", "a number", "deep"],
)
async def test_a_message_that_v1_would_not_read_is_refused(once, wrong, post):
    assert (await post(CALL))[0] == 200
    answer = await post(json.dumps(CALL).replace(once, wrong).encode())
    assert (answer[0], code(answer)) == (400, "MALFORMED_JSON")


async def test_a_client_that_cannot_read_json_is_refused(post):
    assert (await post(Accept="text/html"))[0] == 406


async def test_a_body_that_is_too_large_is_refused_as_in_v1(post):
    assert code(await post(b" " * (LIMITS.largest_json + 1))) == "BODY_TOO_LARGE"


async def test_a_key_has_no_more_in_hand_than_in_v1(memory, member, post):
    async with serving(memory, limits=type(LIMITS)(at_once=0)) as there:
        assert code(await post(to=there)) == "TOO_MANY_REQUESTS"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_is_no_stream_and_no_session_to_open_or_end(method, post):
    assert code(await post(method=method)) == "METHOD_NOT_ALLOWED"


# ── in the process ──


@pytest.mark.parametrize(("enabled", "status"), [(True, 200), (False, 404)])
async def test_the_process_serves_it_where_that_is_wanted(enabled, status, memory, member, post, tmp_path):
    keys.create(tmp_path / "keys")
    http, mcp = HttpSettings(port=free_port()), McpSettings(enabled=enabled)
    bot = Bot(Settings(keys=tmp_path / "keys", http=http, mcp=mcp), memory, signer_of(tmp_path / "keys"))
    async with AsyncExitStack() as stack:
        stack.callback(bot.gateway.stop)
        await _listen(bot, stack, ())
        assert (await post(to=f"http://127.0.0.1:{http.port}/mcp"))[0] == status


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.mark.parametrize("host", ["https://bot.example.com", "bot.example.com/mcp", "*", "a b", ""])
def test_what_is_no_name_of_a_machine_is_refused_where_it_is_set(host, tmp_path, monkeypatch):
    monkeypatch.setenv("CLARIFY_MCP__HOSTS", json.dumps([host]))
    (tmp_path / FILE).write_text("")
    with pytest.raises(InvalidConfig, match=r"CLARIFY_MCP__HOSTS.*mcp\.hosts.*bot\.example\.com"):
        load(tmp_path / FILE)


async def test_a_session_that_somebody_names_is_nobodys(post, board, member):
    named = {"Mcp-Session-Id": "0123456789abcdef"}
    assert await post(**named) == await post()
    assert (await post(secret="clarify_unknown", **named))[0] == 401


async def test_a_call_whose_caller_hangs_up_lets_the_next_in(address, post, member):
    call = json.dumps(
        LIST | {"method": "tools/call", "params": {"name": "memory.ask", "arguments": {"question": "q?"}}}
    )
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {member}\r\nContent-Type: application/json\r\n"
    )
    port = int(address.rpartition(":")[2].partition("/")[0])
    for _ in range(LIMITS.at_once * 2):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Content-Length: {len(call)}\r\n\r\n{call}".encode())
        await writer.drain()
        writer.transport.abort()
    while (await post())[0] == 429:
        pass
    assert (await post())[0] == 200


async def test_without_the_sdk_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setattr(extra, "find_spec", lambda _: None)
    with pytest.raises(InvalidConfig, match=r"\.\[mcp\]"):
        extra.require_sdk()
