"""Every code of a problem is the answer to a request: the code, the guides and this table name the same ones."""

import ast
import asyncio
import re
from contextlib import AsyncExitStack
from io import BytesIO
from pathlib import Path

import aiohttp
import pytest

from bot.http.v1.idempotency import _REFUSALS
from bot.http.v1.limits import LIMITS, Limits
from bot.http.v1.openapi import codes
from bot.http.v1.problems import KINDS, of_core
from bot.http.v1.routes import ROUTES
from bot.http.v1.serving import Server
from bot.memory_gateway import MemoryGateway
from core import errors
from core.embed.endpoint import Endpoint, EndpointEmbedder
from core.embed.hashing import HashingEmbedder
from core.generate.openai_compatible import LlmEndpoint, OpenAiCompatibleProvider
from core.generate.providers import LanguageModel
from core.ids import random_id
from core.store.tables import IdempotencyKey, Trace
from tests.support.http import Caller, key, listening
from tests.support.memories import add_person, change_row, put, rows, without_table

ROOT = Path(__file__).parents[4]
JSON = {"Content-Type": "application/json"}
TEXT = {"Content-Type": "text/plain"}
NAMED = {"Idempotency-Key": "one"}
QUESTION = {"question": "What may a meal cost?"}
WATCH = {"name": "x", "scopeType": "label", "scopeRefs": ["SECTION"]}
DOCUMENT = {"data": b"# Travel\n\nA meal may cost at most 40 EUR.\n", "headers": TEXT}
TRAVEL = "/sources/travel.md?readers=everyone"


class World:
    """Memories to be served, each to an admin who is a person, under limits and settings of its own."""

    def __init__(self, reopen, running):
        self.reopen, self._running = reopen, running

    async def served(self, limits=LIMITS, *, stopping=False, **settings):
        memory = self.reopen(**settings)
        who = next((one for one in memory.people.all("default")), None)
        admin = memory.people.principal("default", who.person_id) if who else add_person(memory, "Admin", ("admin",))
        gateway = MemoryGateway(memory)
        self._running.callback(gateway.stop)
        server = Server(gateway, ROUTES, limits)
        if stopping:
            server.close()
        base = await self._running.enter_async_context(listening(memory, server))
        session = await self._running.enter_async_context(aiohttp.ClientSession())
        return memory, Caller(session, base, key(memory, person=admin))


@pytest.fixture
async def world(reopen):
    async with AsyncExitStack() as running:
        yield World(reopen, running)


ROUTE = {(route.method, route.path): route for route in ROUTES}
ASKING = {
    "/memory/context": QUESTION,
    "/generate": QUESTION,
    "/memory/verify": {"claims": ["A meal may cost at most 40 EUR."]},
}


def gone():
    """A model whose server is not there any more."""
    return EndpointEmbedder(Endpoint("http://127.0.0.1:9/v1", "secret", retries=0))


COMES_OF = {}


def comes_of(act):
    """The act whose name is a code in small letters comes to it."""
    COMES_OF[act.__name__.upper()] = act
    return act


def simply(code, method, path, **more):
    """A code that one request comes to, whatever there is."""

    async def act(world):
        _, admin = await world.served()
        return await admin(method, path, **more)

    COMES_OF[code] = act


simply("MALFORMED_JSON", "POST", "/query", data=b'{"find":', headers=JSON)
simply("NOT_FOUND", "GET", f"/answers/{random_id()}")
simply("NO_SUCH_ROUTE", "GET", "/nothing/here")
simply("METHOD_NOT_ALLOWED", "PUT", "/query")
simply("UNSUPPORTED_MEDIA_TYPE", "POST", "/query", data=b"find=SECTION", headers=TEXT)
simply("INVALID_REQUEST", "POST", "/query", body={"find": 7})
simply("INVALID_QUERY", "POST", "/query", body={})
simply("UNREADABLE_DOCUMENT", "PUT", TRAVEL, data=b"a\xff", headers=TEXT)
simply("INSUFFICIENT_EVIDENCE", "POST", "/memory/context", body={"find": "PROJECT"})
simply("VERIFY_UNAVAILABLE", "POST", "/memory/verify", body={"claims": ["a"], "model": "another"})


@comes_of
async def body_too_large(world):
    _, admin = await world.served()
    return await admin("POST", "/query", data=BytesIO(b" " * (LIMITS.largest_json + 1)), headers=JSON)


@comes_of
async def unauthenticated(world):
    _, admin = await world.served()
    return await admin.as_(None)("GET", "/sources")


@comes_of
async def person_required(world):
    memory, admin = await world.served()
    return await admin.as_(key(memory, "member"))("GET", "/answers")


@comes_of
async def body_too_slow(world):
    _, admin = await world.served(Limits(body_secs=0))
    never = asyncio.Event()

    async def slowly():
        yield b"{"
        await never.wait()

    heard = await admin("POST", "/query", data=slowly(), headers=JSON)
    never.set()
    return heard


@comes_of
async def limit_reached(world):
    _, admin = await world.served(watch={"max_watches_per_person": 1})
    await admin("POST", "/watches", WATCH)
    return await admin("POST", "/watches", WATCH | {"scopeRefs": ["DOCUMENT"]})


@comes_of
async def erased(world):
    memory, admin = await world.served()
    await admin("PUT", TRAVEL, **DOCUMENT)
    memory.erase(memory.documents.named("default", "travel.md"), "asked for")
    return await admin("PUT", TRAVEL, **DOCUMENT)


@comes_of
async def in_progress(world):
    memory, admin = await world.served()
    await admin("POST", "/watches", WATCH, headers=NAMED)
    [row] = rows(memory, IdempotencyKey)
    change_row(memory, IdempotencyKey, ("default", row.key_id, row.name), said=None)
    return await admin("POST", "/watches", WATCH, headers=NAMED)


@comes_of
async def key_reused(world):
    _, admin = await world.served()
    await admin("POST", "/watches", WATCH, headers=NAMED)
    return await admin("POST", "/watches", WATCH | {"name": "y"}, headers=NAMED)


@comes_of
async def semantic_unavailable(world):
    _, admin = await world.served(embedder=None)
    return await admin("POST", "/memory/context", QUESTION)


@comes_of
async def too_many_requests(world):
    _, admin = await world.served(Limits(at_once=0))
    return await admin("GET", "/sources")


@comes_of
async def stopping(world):
    _, admin = await world.served(stopping=True)
    return await admin("GET", "/sources")


@comes_of
async def timed_out(world):
    _, admin = await world.served(Limits(answer_secs=0))
    return await admin("GET", "/sources")


@comes_of
async def internal(world):
    """What somebody has written into the database is of no kind that there is."""
    memory, admin = await world.served()
    await admin("PUT", TRAVEL, **DOCUMENT)
    trace_id = (await admin("POST", "/memory/context", QUESTION)).json["traceId"]
    [row] = rows(memory, Trace)
    change_row(memory, Trace, ("default", row.trace_id), kind="secret")
    return await admin("GET", f"/trace/{trace_id}")


@comes_of
async def generate_unavailable(world):
    nobody_there = LlmEndpoint("http://127.0.0.1:9/v1", retries=0)
    _, admin = await world.served(llm=LanguageModel(OpenAiCompatibleProvider(nobody_there), "small"))
    await admin("PUT", TRAVEL, **DOCUMENT)
    return await admin("POST", "/generate", QUESTION)


@comes_of
async def embed_unavailable(world):
    _, admin = await world.served(embedder=gone())
    return await admin("PUT", TRAVEL, **DOCUMENT)


@comes_of
async def store_unavailable(world):
    memory, admin = await world.served()
    with without_table(memory, "source"):
        return await admin("GET", "/sources")


class Other(HashingEmbedder):
    @property
    def model(self):
        return "another-secret"


@comes_of
async def model_mismatch(world):
    """Another process has been set up otherwise, and was the first to take a document in."""
    _, admin = await world.served()
    put(world.reopen(embedder=Other()), "a.md", b"# A\n\nWords.\n")
    return await admin("PUT", TRAVEL, **DOCUMENT)


@pytest.mark.parametrize("code", sorted(KINDS))
async def test_every_code_is_the_answer_to_a_request(code, world):
    heard = await COMES_OF[code](world)
    kind = KINDS[code]
    assert (heard.code, heard.status) == (code, kind.status)
    assert (heard.json["type"], heard.json["title"]) == (f"urn:clarify-bot:problem:{code}", kind.title)
    assert heard.headers.items() >= kind.headers.items()
    assert "secret" not in heard.raw.decode()


@pytest.mark.parametrize("path", ASKING)
async def test_a_model_that_fails_is_told_alike_wherever_it_is_needed(path, world):
    _, admin = await world.served(embedder=gone())
    heard = await admin("POST", path, ASKING[path])
    assert (heard.code, heard.status, heard.headers["Retry-After"]) == ("EMBED_UNAVAILABLE", 503, "1")
    assert b"127.0.0.1" not in heard.raw
    assert b"secret" not in heard.raw
    assert "EMBED_UNAVAILABLE" in codes(ROUTE["POST", path])


QUERY = '{"find": "SECTION", "where": [{"prop": "p", "op": "match", "value": "a meal"}]}'


@pytest.mark.parametrize("path", [*ASKING, "/watches"])
async def test_a_database_under_another_model_is_told_alike_wherever_it_is_asked(path, world):
    _, admin = await world.served()
    put(world.reopen(embedder=Other()), "a.md", b"# A\n\nWords.\n")
    heard = await admin("POST", path, ASKING.get(path) or WATCH | {"scopeType": "query", "scopeRefs": [QUERY]})
    assert (heard.code, heard.status, "detail" in heard.json) == ("MODEL_MISMATCH", 503, False)
    assert "MODEL_MISMATCH" in codes(ROUTE["POST", path])


# ── the same codes everywhere ──


def raised():
    """Every code that the code of `/v1` names where it says no, and those that errors of core come to."""
    for file in [*(ROOT / "bot" / "http").rglob("*.py"), *(ROOT / "bot" / "mcp").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Problem":
                yield from (one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant))
    yield from _REFUSALS.values()
    yield from (of_core(error("x", "y") if error is errors.Refused else error("x")).code for error in _tree())


def _tree(root=errors.CoreError):
    yield root
    for child in root.__subclasses__():
        yield from _tree(child) if child.__module__ == "core.errors" else ()


def test_there_is_a_request_for_each_code_and_no_code_that_nothing_comes_to():
    assert COMES_OF.keys() == KINDS.keys()
    assert set(raised()) == KINDS.keys()


def test_the_guides_name_no_code_that_there_is_not():
    for guide in ("api.md", "mcp.md"):
        words = (ROOT / "docs" / guide).read_text(encoding="utf-8")
        named = set(re.findall(r"`([A-Z]+_[A-Z_]+)`", words))
        assert named <= KINDS.keys(), guide
    assert named, "the pattern finds codes"


def test_what_helps_is_said_of_each_error_of_core_and_of_no_other():
    words = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    said = set(re.findall(r"^\| `([a-z_]+)` \|", words.partition("## By code")[2].partition("\n## ")[0], re.MULTILINE))
    assert said == {error.code for error in _tree() if error is not errors.Refused} | {"refused"}
