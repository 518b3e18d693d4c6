"""The process: it serves, works, says whether it is ready, and ends in order when it is told to."""

import asyncio
import gzip
import os
import signal
import socket
from contextlib import AsyncExitStack, aclosing, asynccontextmanager

import aiohttp
import pytest
import structlog
from aiohttp import web
from sqlalchemy import make_url

from bot import keys
from bot.app import Bot, _listen, run, signer_of
from bot.channels.inbox import ListenError
from bot.channels.inbox.backend import PersonKey
from bot.channels.local import place_of
from bot.config import HttpSettings, InboxSettings, Settings, SourceSettings, open_memory
from core.errors import InvalidConfig, StoreUnavailable
from core.watch.config import WatchConfig
from tests.support.http import Caller, key
from tests.support.memories import page


class Events:
    """What the bot has logged, to be waited for."""

    def __init__(self):
        self.names = []
        self.told = []
        self._more = asyncio.Event()

    def __call__(self, _logger, _method, event):
        self.names.append(event["event"])
        self.told.append(event)
        self._more.set()
        raise structlog.DropEvent

    async def wait(self, name):
        while name not in self.names:
            await asyncio.wait_for(self._more.wait(), 30)
            self._more.clear()


@pytest.fixture
async def events():
    seen = Events()
    structlog.configure(processors=[seen])
    yield seen
    structlog.reset_defaults()


@pytest.fixture
def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture
def taken_port():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


@pytest.fixture
def settings(tmp_path, sqlite_url, free_port):
    """A bot that was set up: a tenant with one person, and keys."""
    keys.create(tmp_path / "keys")
    made = Settings(
        database=sqlite_url,
        keys=tmp_path / "keys",
        embedder="hashing",
        http=HttpSettings(port=free_port),
        watch=WatchConfig(settle_secs=0, tick_secs=3600),
    )
    with open_memory(made) as memory:
        memory.people.ensure_tenant("default", "Default")
        person_id = memory.people.put("default", "Robin")
        memory.people.bind("default", person_id, place_of(person_id))
    return made


@asynccontextmanager
async def serving(settings, events):
    """The running bot, once it is ready; told to stop at the end, if it still runs."""
    task = asyncio.create_task(run(settings))
    ready = asyncio.create_task(events.wait("bot.ready"))
    await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
    ready.cancel()
    try:
        if task.done():
            task.result()
        yield task
    finally:
        if not task.done():
            if "bot.stopping" not in events.names:  # a second signal would end the tests
                os.kill(os.getpid(), signal.SIGTERM)
            await task


@asynccontextmanager
async def listening(settings, *routes):
    """A bot that does nothing but listen."""
    async with AsyncExitStack() as stack:
        bot = Bot(settings, stack.enter_context(open_memory(settings)), signer_of(settings.keys))
        stack.callback(bot.gateway.stop)
        await _listen(bot, stack, routes)
        yield bot


async def get(settings, path):
    address = f"http://{settings.http.host}:{settings.http.port}{path}"
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        return answer.status, await answer.json()


async def test_it_lives_and_is_ready(settings, events):
    async with serving(settings, events):
        assert await get(settings, "/healthz") == (200, {"status": "alive"})
        assert await get(settings, "/readyz") == (200, {"status": "ready"})


async def test_what_comes_packed_is_unpacked_for_nobody(settings):
    """A few bytes may hold gigabytes: whoever sends them has proven nothing yet."""

    async def echo(request):
        return web.Response(body=await request.read())

    packed = gzip.compress(b"0" * 1000)
    async with listening(settings, web.post("/echo", echo)), aiohttp.ClientSession() as session:
        address, told = f"http://{settings.http.host}:{settings.http.port}/echo", {"Content-Encoding": "gzip"}
        async with session.post(address, data=packed, headers=told) as answer:
            assert await answer.read() == packed


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_told_to_stop_it_ends_with_exit_code_0_and_listens_no_more(number, settings, events, in_a_terminal):
    async with serving(settings, events) as task:
        os.kill(os.getpid(), number)
        assert await task == 0
        with pytest.raises(aiohttp.ClientConnectorError):
            await get(settings, "/healthz")
    assert events.names[-1] == "bot.stopping"
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()


async def test_told_to_stop_it_ends_what_is_in_hand_and_begins_nothing_more(settings, events):
    with open_memory(settings) as memory:
        secret = key(memory, "admin")
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly():
        yield b"# Travel\n\n"
        begun.set()
        await go_on.wait()
        yield b"A meal may cost at most 40 EUR.\n"

    async with serving(settings, events) as task, aiohttp.ClientSession() as session:
        call = Caller(session, f"http://{settings.http.host}:{settings.http.port}/v1", secret)
        sent = {"data": slowly(), "headers": {"Content-Type": "text/markdown"}, "expect100": True}
        in_hand = asyncio.create_task(call("PUT", "/sources/travel.md?readers=everyone", **sent))
        await begun.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        await events.wait("bot.stopping")
        while any(one.get_coro().__qualname__ == "Worker.run" for one in asyncio.all_tasks()):
            await get(settings, "/healthz")
        assert (await get(settings, "/readyz"))[0] == 503
        refused = [await call("GET", "/sources"), await call.as_(None)("GET", "/sources")]
        go_on.set()
        assert (await in_hand).status == 201
        assert await task == 0
    assert [heard.code for heard in refused] == ["STOPPING", "UNAUTHENTICATED"]
    assert refused[0].headers["Retry-After"] == "1"


async def test_who_sends_no_whole_request_is_not_waited_for(settings, monkeypatch):
    monkeypatch.setattr("bot.app.IDLE_SECS", 0.05)
    whole = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    async with listening(settings):
        for first in (b"", whole):
            reader, writer = await asyncio.open_connection(settings.http.host, settings.http.port)
            writer.write(first + whole[:-2])
            told = await asyncio.wait_for(reader.read(), 30)
            assert told.count(b"HTTP/1.1 200 OK") == first.count(b"GET"), "and the connection has ended"
            writer.close()
            await writer.wait_closed()


async def test_what_is_no_http_is_counted_and_has_one_line_without_its_bytes(settings, events):
    async with listening(settings) as bot:
        for garbage in (b"\x16\x03\x01hunter2\r\n\r\n", b"GET hunter2\r\n\r\n", b"GET / HTTP/1.1\r\nhunter2\r\n\r\n"):
            reader, writer = await asyncio.open_connection(settings.http.host, settings.http.port)
            writer.write(garbage)
            assert (await asyncio.wait_for(reader.read(), 30)).startswith(b"HTTP/1.0 400")
            writer.close()
            await writer.wait_closed()
        assert bot.gateway.memory.metrics.http_garbled._value.get() == 3
    assert events.names == ["http.garbled"] * 3
    assert "hunter2" not in str(events.told)


async def test_it_does_what_waited_while_it_was_off(settings, events):
    """A question that came before a crash is answered after the start, long before the next tick."""
    with open_memory(settings) as memory:
        [person] = memory.people.all("default")
        memory.inbound.receive("default", place_of(person.person_id), "e1", "question", {"text": "help"})
    async with serving(settings, events):
        await events.wait("delivery.ended")
    with open_memory(settings) as memory:
        history, waiting = memory.local.history("default", person.person_id)
    assert ([message.author for message in history], waiting) == (["bot"], set())


async def test_whoever_was_added_before_the_inbox_was_enabled_can_be_reached_in_it(settings, events, capsys):
    with open_memory(settings) as memory:
        later = memory.people.put("default", "Bo")
        memory.inbound.receive("default", place_of(later), "e1", "question", {"text": "help"})
    inbox = InboxSettings(enabled=True, port=0)
    async with serving(settings.model_copy(update={"inbox": inbox}), events):
        await events.wait("delivery.ended")
    assert "inbox of Bo: http://127.0.0.1:" in capsys.readouterr().out
    with open_memory(settings) as memory:
        history, _ = memory.local.history("default", later)
    assert [message.author for message in history] == ["bot"]


async def test_an_open_page_is_told_that_a_question_no_longer_waits(settings):
    """The pulse of the answer itself comes too early: the question is done only once the answer is out."""
    bot = Bot(settings, open_memory(settings), signer_of(settings.keys))
    [person] = await bot.gateway.call(bot.gateway.memory.people.all, "default")
    me = PersonKey("default", person.person_id)
    async with aclosing(bot.inbox.changes(me)) as changes:
        await anext(changes)
        await bot.inbox.ask(me, "e1", "help")
        await anext(changes)
        seen = asyncio.create_task(_last_waiting(bot, me, changes))
        await bot.worker.settle()
        assert await asyncio.wait_for(seen, 30) is False
    bot.gateway.close()


async def _last_waiting(bot, me, changes):
    """Whether the question waits still at the last pulse: the one after which it no longer does, or none comes."""
    async for _ in changes:
        question = (await bot.inbox.messages(me))[0]
        if not question.waiting:
            return False
    return True


async def test_what_a_person_wrote_reaches_their_page_without_what_hides_or_turns_it(settings):
    bot = Bot(settings, open_memory(settings), signer_of(settings.keys))
    [person] = await bot.gateway.call(bot.gateway.memory.people.all, "default")
    me = PersonKey("default", person.person_id)
    await bot.inbox.ask(me, "e1", "\u202eevil\x1b[31m <b>\nnext")
    [message] = await bot.inbox.messages(me)
    assert message.html == "<p>evil[31m &lt;b&gt;<br>next</p>"
    bot.gateway.close()


async def test_its_sources_are_read_and_one_that_cannot_be_read_stops_nothing(settings, events, tmp_path):
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "travel.md").write_bytes(page("Travel", {"Meals": "A meal may cost 40 EUR at most."}))
    sources = tuple(
        SourceSettings(name=name, path=tmp_path / name, readers=("everyone",)) for name in ("missing", "handbook")
    )
    async with serving(settings.model_copy(update={"sources": sources}), events):
        await events.wait("source.failed")
        await events.wait("source.synced")
    with open_memory(settings) as memory:
        assert [view.uri for view in memory.documents.standing("default")] == ["handbook/travel.md"]


async def test_a_port_in_use_is_one_clear_error(settings, taken_port, events):
    busy = settings.model_copy(update={"http": HttpSettings(port=taken_port)})
    with pytest.raises(StoreUnavailable, match=f"port {taken_port} on 127.0.0.1 is in use: stop .* or set http.port"):
        await run(busy)
    assert "bot.ready" not in events.names


async def test_an_address_that_is_not_this_machines_is_a_clear_error(settings, events):
    elsewhere = settings.model_copy(update={"http": HttpSettings(host="192.0.2.1", port=settings.http.port)})
    with pytest.raises(StoreUnavailable, match=r"cannot listen on 192\.0\.2\.1 port"):
        await run(elsewhere)


async def test_the_inboxs_port_in_use_is_one_clear_error(settings, taken_port, events):
    busy = settings.model_copy(update={"inbox": InboxSettings(enabled=True, port=taken_port)})
    with pytest.raises(ListenError, match=str(taken_port)):
        await run(busy)


async def test_what_has_started_is_stopped_when_a_later_part_cannot_start(settings, taken_port, free_port, events):
    settings = settings.model_copy(
        update={"http": HttpSettings(port=taken_port), "inbox": InboxSettings(enabled=True, port=free_port)}
    )
    with pytest.raises(StoreUnavailable):
        await run(settings)
    with socket.socket() as again:
        again.bind(("127.0.0.1", free_port))


async def test_an_inbox_that_is_on_prints_a_link_that_opens_once_for_each_person(settings, free_port, events, capsys):
    inbox = InboxSettings(enabled=True, port=free_port)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        http = HttpSettings(port=free.getsockname()[1])
    async with serving(settings.model_copy(update={"inbox": inbox, "http": http}), events):
        [line] = [line for line in capsys.readouterr().out.splitlines() if line.startswith("inbox of")]
        name, _, link = line.partition(": ")
        assert name == "inbox of Robin"
        async with aiohttp.ClientSession() as session:
            codes = [(await session.get(link)).status for _ in range(2)]
        assert codes == [200, 410]


async def test_an_inbox_that_is_off_listens_nowhere(settings, events, capsys):
    async with serving(settings, events):
        assert "inbox" not in capsys.readouterr().out


async def test_a_database_that_is_gone_makes_it_not_ready_though_alive(settings, postgres, events):
    with postgres.database("migrated") as url:
        there = settings.model_copy(update={"database": url})
        async with serving(there, events):
            assert await get(there, "/readyz") == (200, {"status": "ready"})
            postgres.execute(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")
            assert await get(there, "/readyz") == (503, {"status": "not ready", "reason": "store_unavailable"})
            assert await get(there, "/healthz") == (200, {"status": "alive"})
            postgres.execute(f"CREATE DATABASE {make_url(url).database} TEMPLATE migrated")
            assert (await get(there, "/readyz"))[0] == 200, "it comes back by itself"


async def test_it_says_which_database_it_serves_and_never_its_password(settings, postgres, events):
    """A user's name may hold an @ of its own."""
    postgres.execute('CREATE ROLE "me@corp" SUPERUSER LOGIN')
    with postgres.database("migrated") as url:
        there = url.replace("//postgres:@", "//me@corp:secret@")
        async with serving(settings.model_copy(update={"database": there}), events):
            pass
        told = next(event["database"] for event in events.told if event["event"] == "bot.ready")
        assert (make_url(url).database in told, "secret" in str(events.told)) == (True, False)


async def test_without_a_key_it_does_not_start_and_says_what_is_missing(settings, tmp_path):
    with pytest.raises(InvalidConfig, match=r"private\.pem"):
        signer_of(tmp_path / "nowhere")
