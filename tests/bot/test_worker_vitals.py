"""What of a worker has died or is stuck can be seen; and what it lets go of when it must end is given back."""

import asyncio
from functools import partial

import pytest
from structlog.testing import capture_logs

from bot.worker import Loop
from core.clock import SECOND
from core.jobs.kinds import Audience, JobKind
from core.model.job_states import JobState
from core.model.watching import ScopeType
from core.store.tables import CardMessage, Inbox, Job
from tests.fakes.platform_channel import PLATFORM, PlatformChannel
from tests.support.bots import parts_over
from tests.support.memories import document, page, put, rows, watch_request


class Mute(PlatformChannel):
    """Takes a card and never says what became of it."""

    def __init__(self, url):
        super().__init__(url)
        self.asked = asyncio.Event()

    async def send(self, card):
        self.asked.set()
        await asyncio.Event().wait()


@pytest.fixture
async def begun(memory, room, adas):
    """A worker whose channel never answers, and what it runs in."""
    channel = Mute(room.url)
    parts = parts_over(memory, {PLATFORM: channel})
    tasks = []

    def run():
        tasks.append(asyncio.create_task(parts.worker.run(1)))
        return tasks[0]

    yield parts, channel, run
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    parts.gateway.stop()


def ailments(parts):
    return {vital.name: ailment for vital in parts.worker.vitals if (ailment := vital.ailment())}


async def seen(so):
    async with asyncio.timeout(30):
        while not so():  # noqa: ASYNC110  # a loop that dies tells nobody, which is the point
            await asyncio.sleep(0)


async def test_before_it_runs_nothing_of_it_has_started(begun):
    parts, _, _ = begun
    assert set(ailments(parts).values()) == {"has not started"}


async def test_a_loop_that_dies_is_seen_and_the_others_go_on(begun, adas):
    """What a step raises is no more than a bad round; a loop that is cancelled, or ends by its own fault, is gone."""
    parts, channel, run = begun

    async def gone():
        raise asyncio.CancelledError

    worker = parts.worker
    names = [loop.vital.name for loop in worker._loops]
    dying = worker._loops[names.index("sweep")]
    worker._loops = tuple(Loop(one.vital, (gone,)) if one is dying else one for one in worker._loops)
    task = run()
    await seen(lambda: ailments(parts) == {"sweep": "has ended"})
    adas.write("help")
    worker.wake()
    await asyncio.wait_for(channel.asked.wait(), 30)
    assert not task.done()


async def test_a_loop_that_ends_by_a_fault_of_its_own_is_written_down(begun, clock):
    parts, _, run = begun
    worker = parts.worker

    async def broken(_loop):
        raise RuntimeError("a word of somebody's")

    worker._round = broken
    with capture_logs() as lines:
        run()
        await seen(lambda: len(lines) == len(worker._loops))
    assert {line["event"] for line in lines} == {"loop.died"}
    assert {line["loop"] for line in lines} == ailments(parts).keys() == {loop.vital.name for loop in worker._loops}
    assert "somebody" not in str(lines)


async def test_a_step_that_hangs_is_stuck_after_its_patience(begun, clock):
    parts, _, run = begun
    worker, hanging = parts.worker, asyncio.Event()

    async def hangs():
        hanging.set()
        await asyncio.Event().wait()

    courier = worker._loops[-1]
    worker._loops = (*worker._loops[:-1], Loop(courier.vital, (hangs,)))
    run()
    await hanging.wait()
    await seen(lambda: not ailments(parts))
    clock.advance(121 * SECOND)
    await seen(lambda: ailments(parts).get("courier") == "is stuck")


async def test_what_is_let_go_of_is_given_back_and_a_card_on_its_way_is_in_doubt(memory, begun, adas, ada):
    parts, channel, run = begun
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 40 EUR at most."}))
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    memory.sweep()
    put(memory, "travel.md", page("Travel", {"Meals": "A meal may cost 55 EUR at most."}))
    handling = asyncio.Event()

    async def hangs(_job):
        handling.set()
        await asyncio.Event().wait()

    parts.worker._notify = hangs
    adas.write("help")
    task = run()
    async with asyncio.timeout(30):
        await asyncio.gather(handling.wait(), channel.asked.wait())
    parts.worker.stop()
    parts.worker.abandon()
    await asyncio.wait_for(task, 30)
    assert [(row.state, row.attempts) for row in rows(memory, Inbox)] == [("ready", 0)]
    [job] = [row for row in rows(memory, Job) if row.kind == JobKind.NOTIFY_WATCH]
    assert job.state == JobState.READY
    [card] = rows(memory, CardMessage)
    assert (card.state, card.reason) == ("unknown", "stopped")
    lease = partial(memory.jobs.lease, Audience.CLARIFY, [JobKind.NOTIFY_WATCH])
    assert [one.job_id for one in lease("another")] == [job.job_id], "at once, and not when the lease runs out"
