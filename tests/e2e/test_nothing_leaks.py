"""The main job and whatever can go wrong in it, by the whole process: its log and its numbers hold no words."""

import asyncio
import json
import re
import socket

import aiohttp
import pytest
from pydantic import SecretStr

from bot import webhook_key
from bot.channels.inbox.guard import REQUEST_HEADER
from bot.cli.entry import run
from bot.config import InboxSettings, LlmSettings, McpSettings, SourceSettings, open_memory
from bot.http.v1.routes import ROUTES
from core.memory import Memory
from core.model.principals import ADMIN, Principal
from core.model.watching import EventKind, ScopeType, WatchRequest
from core.store.tables import WatchFire
from tests.e2e.test_slack_main_job import ASKED, TEAM, action, running, settings, slack
from tests.fakes.completions import fake_completions, refuses
from tests.fakes.receiver import receiver
from tests.fakes.slack_inbound import deliver
from tests.support.logged import log
from tests.support.mcp import over_http, problem
from tests.support.memories import document, without_table

__all__ = ["log", "settings", "slack"]

QUESTION = "What may a meal cost, asks quokka?"
WORDS = ("EUR at most", "meal may", "quokka", "axolotl", "acme.example", "narwhal")
"""Of a document, of questions, of an unreadable file, of addresses, and of what a model's server said."""


@pytest.fixture
def model():
    """A language model whose server fails, and repeats in its error what it was asked."""
    with fake_completions() as fake:
        fake.usually = lambda asked: refuses(500, f"narwhal {json.dumps(asked)}")(asked)
        yield fake


@pytest.fixture
async def hooked(settings):
    """The settings, with a webhook that is told of the document; what takes it; and its secret."""
    async with receiver() as taking:
        with open_memory(settings) as memory:
            key, more = webhook_key.ensure(settings.keys), {"allow_plain": True, "allow_private": True}
            made = memory.webhooks.add("default", "ledger", taking.url, ["member"], key, **more)
            target = {"kind": "webhook", "webhook_id": str(made.webhook_id)}
            scope = ScopeType.ENTITY, (document("travel.md"),), (EventKind.FACT_CHANGED,)
            memory.watch(WatchRequest("ledger", *scope, target), Principal("default", None, frozenset({ADMIN})))
        yield settings, taking, made.secret


def leaks(told, secrets):
    """What was planted and is in a text, each with the line it is in."""
    planted = [re.escape(one) for one in (*WORDS, *secrets)]
    return [line for line in told.splitlines() if re.search("|".join(planted), line, re.IGNORECASE)]


async def metrics(settings):
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{settings.http.port}/metrics") as told,
    ):
        return await told.text()


def secrets_of(settings, *more):
    slack = settings.slack
    return [slack.bot_token.get_secret_value(), slack.signing_secret.get_secret_value(), *more]


async def main_job(world):
    """Ask, save, hear of the change, refresh; and tap what the card no longer offers."""
    await world.hear(world.inbound.message("U1", ASKED))
    answer = await world.card("U1", 0, "40 EUR")
    await world.tap("U1", answer, "answer_save")
    await world.card("U1", 0, "Saved")
    world.revise(55)
    stale = await world.card("U1", 1, "55 EUR")
    taps = [world.inbound.tap("U1", stale, action(stale.blocks, "answer_refresh")) for _ in range(2)]
    for tap in taps:
        await world.hear(tap)
        await world.card("U1", 1, "A meal may cost 55 EUR at most.")


async def refused(world):
    """Somebody knocks who is not Slack, and says things."""
    request = world.inbound.message("U1", QUESTION)
    forged = {"X-Slack-Signature": "v0=quokka"}
    reply = await deliver(world.slack, f"{world.url}?quokka=1", request, headers=forged)
    assert reply.status == 401


async def database_fails(world, log):
    """Somebody asks while a table is away."""
    with open_memory(world.settings) as memory, without_table(memory, "inbox"):
        reply = await deliver(world.slack, world.url, world.inbound.message("U1", QUESTION))
        assert reply.status != 200, "or it would be lost"
        await world.until(lambda: "worker.step_failed" in log())


async def test_the_main_job_and_what_goes_wrong_in_it_leave_no_words_behind(hooked, slack, log, tmp_path):
    settings, taking, secret = hooked
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "axolotl.md").write_bytes(b"---\nvalid_from: axolotl\n---\naxolotl \xff")
    source = SourceSettings(name="book", path=tmp_path / "book", readers=("everyone",))
    settings = settings.model_copy(update={"sources": (source,)})
    async with running(settings, slack) as world:
        await main_job(world)
        await refused(world)
        await database_fails(world, log)
        await world.until(lambda: taking.requests)
        await world.until(lambda: any(fire.status == "delivered" for fire in world.memory_rows(WatchFire)))
        numbers = await metrics(settings)
    events = {json.loads(line)["event"] for line in log().splitlines()}
    happened = {"delivery.ended", "webhook.ended", "slack.refused", "slack.not_kept", "http.request", "source.synced"}
    assert happened <= events, "else this would prove nothing"
    assert leaks(log() + numbers, secrets_of(settings, secret)) == []


async def test_a_model_that_fails_leaves_no_words_behind(settings, slack, model, log):
    llm = LlmSettings(provider="openai", base_url=model.url, model="m", key=SecretStr("sk-narwhal"), retries=0)
    async with running(settings.model_copy(update={"llm": llm}), slack) as world:
        await world.hear(world.inbound.message("U1", f"{ASKED} quokka"))
        await world.until(lambda: model.asked)
        await world.until(lambda: "inbound.failed" in log() or world.acme.cards("U1"))
        numbers = await metrics(settings)
    assert leaks(log() + numbers, secrets_of(settings)) == []
    assert TEAM in log(), "names of places are there, by which an operator finds their way"


# ── every other way in, and every way out ──


@pytest.fixture
def wide(settings):
    """The settings, with the inbox and `/mcp` open; and the key of a program that may do everything."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        inbox = InboxSettings(enabled=True, port=free.getsockname()[1])
    with open_memory(settings) as memory:
        key = memory.api_keys.create("default", "a program", ["member", ADMIN]).secret
    return settings.model_copy(update={"inbox": inbox, "mcp": McpSettings(enabled=True)}), key


async def told(method, url, **more):
    """A status, whatever comes with it."""
    async with aiohttp.ClientSession() as session, session.request(method, url, **more) as answer:
        await answer.read()
        return answer.status


async def each_route(world, key):
    """Ask of each route of `/v1` and of `/mcp` for what nobody has, in its path, its query, its headers, its body."""
    base, statuses = f"http://127.0.0.1:{world.settings.http.port}", set()
    routes = [(route.method, f"/v1{route.path}") for route in ROUTES]
    for method, path in [*routes, ("POST", "/mcp"), ("GET", "/mcp/quokka"), ("PUT", "/quokka")]:
        url = f"{base}{re.sub('{[^}]*}', 'quokka%40acme.example', path)}"
        for bearer in ("quokka", f"{key}quokka", key):
            headers = {"Authorization": f"Bearer {bearer}", "X-Request-Id": "narwhal", "Idempotency-Key": "quokka"}
            statuses.add(await told(method, url, headers=headers, json={"question": QUESTION}))
            more = f"{url}?cursor=axolotl&quokka=narwhal"
            statuses.add(await told(method, more, headers=headers, data=b'{"quokka": '))
    assert {200, 400, 401, 404, 415, 422} <= statuses, "else this would prove nothing"


async def each_tool(world, key):
    async with over_http(f"http://127.0.0.1:{world.settings.http.port}/mcp", key) as client:
        for tool in ("memory.ask", "memory.context"):
            await client.call_tool(tool, {"question": QUESTION})
        await client.call_tool("memory.verify", {"claims": ["A meal may cost 40 EUR at most."]})
        assert problem(await client.call_tool("memory.ask", {"quokka": "narwhal"}))


async def at_home(world):
    """Look at the page in Slack's App Home, with what one watches on it, and choose something there."""
    await world.hear(world.inbound.command("U1", "watch meals"))
    await world.tap("U1", await world.card("U1", 0, "Choose what to watch"), "watch_create")
    await world.card("U1", 0, "Watching")
    await world.hear(world.inbound.home_opened("U1"))
    home = await world.until(lambda: world.acme.home("U1"))
    await world.hear(world.inbound.tap_home("U1", action(home["blocks"], "watch_mute", "stop")))


async def in_the_inbox(link):
    """Open it by its link, twice; ask; and knock without leave."""
    base = link.partition("/enter/")[0]
    page = {"Origin": base, REQUEST_HEADER: "1", "X-Quokka": "narwhal"}
    asked = {"event_id": "0197-a", "text": QUESTION}
    assert await told("POST", f"{base}/ask", headers=page, json=asked) == 401
    assert await told("GET", f"{base}/enter/quokka?axolotl") == 410
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        statuses = [(await session.get(link, allow_redirects=False)).status for _ in range(2)]
        statuses.append((await session.post(f"{base}/ask", headers=page, json=asked)).status)
        statuses.append((await session.post(f"{base}/ask", headers=page, json=asked | {"event_id": QUESTION})).status)
        statuses.append((await session.post(f"{base}/tap", headers=page, data=b"{quokka")).status)
    assert statuses == [200, 410, 202, 400, 415]


async def breaks(world, key, log):
    """Ask on every road while what would be written down cannot be, and while the code itself is wrong."""
    url = f"http://127.0.0.1:{world.settings.http.port}/v1/generate"
    more = {"headers": {"Authorization": f"Bearer {key}"}, "json": {"question": QUESTION}}
    with open_memory(world.settings) as memory, without_table(memory, "trace"):
        assert await told("POST", url, **more) == 503
        there = len(world.acme.cards("U1"))
        await world.hear(world.inbound.message("U1", QUESTION))
        await world.until(lambda: len(world.acme.cards("U1")) > there)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr(Memory, "generate", wrong)
        assert await told("POST", url, **more) == 500
        await each_tool(world, key)
        await world.hear(world.inbound.message("U1", f"{QUESTION} Truly?"))
        await world.until(lambda: "inbound.failed" in log())


class Mistaken(Exception):
    """Nobody foresaw it."""


def wrong(_, question, *given, **more):
    raise Mistaken(question)


def commands(settings, folder, capsys):
    """What commands print that look at everything, with the database as it is and without a table."""
    with pytest.MonkeyPatch.context() as shell:
        shell.chdir(folder)
        for name, value in {"DATABASE": settings.database, "KEYS": str(settings.keys), "EMBEDDER": "hashing"}.items():
            shell.setenv(f"CLARIFY_{name}", value)
        codes = [run((*words, "--out", f"{folder}/a.json") if words[0] == "export" else words) for words in COMMANDS]
        with open_memory(settings) as memory, without_table(memory, "trace"):
            codes.append(run(("export", "--person", "Ada", "--out", f"{folder}/b.json")))
    assert (codes[-1], "quokka" in (folder / "a.json").read_text()) == (1, True), "else this would prove nothing"
    return "\n".join(capsys.readouterr())


COMMANDS = (("doctor",), ("doctor", "--json"), ("audit", "--json"), ("status",), ("export", "--person", "Ada"))


async def test_no_other_way_in_or_out_leaves_words_behind(wide, slack, log, tmp_path, capsys):
    settings, key = wide
    async with running(settings, slack) as world:
        [link] = re.findall(r"http://\S+/enter/\S+", capsys.readouterr().out)
        await at_home(world)
        await in_the_inbox(link)
        await each_route(world, key)
        await each_tool(world, key)
        await breaks(world, key, log)
        numbers = await metrics(settings)
    printed = await asyncio.to_thread(commands, settings, tmp_path, capsys)
    token = link.rpartition("/")[2]
    assert leaks(log() + numbers + printed, secrets_of(settings, key, token)) == []
    happened = {"http.request", "http.failed", "inbound.failed", "delivery.ended"}
    assert happened <= {json.loads(line)["event"] for line in log().splitlines()}, "else this would prove nothing"


def test_what_is_planted_would_be_found():
    assert leaks("a\nA MEAL MAY cost\nb", ()) == ["A MEAL MAY cost"]
    assert leaks("token=s3cret", ["s3cret"]) == ["token=s3cret"]
