"""Denial of service by bodies: whoever has proven nothing yet costs little memory, and no time without end."""

import asyncio
from contextlib import asynccontextmanager

from aiohttp import web

from bot.channels.inbound import MOST_BYTES, body_of


@asynccontextmanager
async def listening(patience_secs):
    """Where to connect to a listener that says how many bytes it read."""

    async def read(request):
        return web.Response(text=str(len(await body_of(request, patience_secs))))

    app = web.Application()
    app.router.add_post("/", read)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0, lingering_time=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()


async def answered(port, body):
    """What comes back for a body that is said to be four megabytes, once so much of it was sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST / HTTP/1.1\r\nHost: bot\r\nContent-Length: 4194304\r\n\r\n" + body)
    head = await reader.readuntil(b"\r\n\r\n")
    said = await reader.read(7)
    writer.close()
    return head.split()[1], said


async def test_a_body_that_never_comes_is_not_waited_for():
    async with listening(patience_secs=0.01) as port:
        assert (await answered(port, b""))[0] == b"408"


async def test_of_a_body_without_end_no_more_is_kept_than_shows_that():
    async with listening(patience_secs=60) as port:
        status, said = await answered(port, b"0" * 2 * MOST_BYTES)
    assert (status, MOST_BYTES < int(said) < MOST_BYTES + 400_000) == (b"200", True)
