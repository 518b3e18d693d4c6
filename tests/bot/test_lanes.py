"""Lanes: one after the other in each, side by side across them, and no end of one is the end of the next."""

import asyncio

import pytest

from bot.lanes import Lanes


@pytest.fixture
def done():
    """What was done, in order."""
    return []


def work(done, name, until=None):
    """Writes its name when it begins and again, in brackets, when it has waited for `until`."""

    async def begin():
        done.append(name)
        if until is not None:
            await until.wait()
        done.append(f"({name})")

    return begin


async def breaks():
    raise RuntimeError("broken")


async def turns():
    """Let everything go on as far as it can: nothing here waits for anything but the others."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_in_one_lane_each_begins_when_the_one_before_has_ended(done):
    lanes, until = Lanes(), asyncio.Event()
    for name in "abc":
        lanes.start("lane", work(done, name, until))
    await turns()
    assert done == ["a"]
    until.set()
    await lanes.finish()
    assert done == ["a", "(a)", "b", "(b)", "c", "(c)"]


async def test_a_lane_that_is_slow_holds_up_no_other(done):
    lanes, until = Lanes(), asyncio.Event()
    lanes.start("slow", work(done, "slow", until))
    for name in "ab":
        lanes.start("quick", work(done, name))
    await turns()
    assert (lanes.busy, done) == (("slow",), ["slow", "a", "(a)", "b", "(b)"])
    until.set()
    await lanes.finish()


async def test_a_lane_is_busy_until_the_last_of_its_work_has_ended(done):
    lanes, until = Lanes(), asyncio.Event()
    lanes.start("lane", work(done, "a"))
    lanes.start("lane", work(done, "b", until))
    await turns()
    assert (lanes.busy, len(lanes), done) == (("lane",), 1, ["a", "(a)", "b"])
    until.set()
    await lanes.finish()
    assert (lanes.busy, len(lanes)) == ((), 0)


async def test_what_is_begun_anew_in_a_lane_that_was_idle_begins_at_once(done):
    lanes = Lanes()
    for name in "ab":
        lanes.start("lane", work(done, name))
        await lanes.finish()
    assert done == ["a", "(a)", "b", "(b)"]


async def test_after_work_that_broke_the_next_begins_all_the_same(done):
    lanes = Lanes()
    lanes.start("lane", breaks)
    lanes.start("lane", work(done, "next"))
    await lanes.finish()
    assert done == ["next", "(next)"]


async def test_after_work_that_was_cancelled_the_next_begins_all_the_same(done):
    lanes = Lanes()
    lanes.start("lane", work(done, "first", asyncio.Event()))
    lanes.start("lane", work(done, "next"))
    await turns()
    next(task for task in lanes._tasks if task is not lanes._last["lane"]).cancel()
    await lanes.finish()
    assert done == ["first", "next", "(next)"]


async def test_it_is_told_of_each_end_when_the_lane_is_free_already(done):
    told = []
    lanes = Lanes(lambda: told.append(lanes.busy))
    for lane in ("a", "b"):
        lanes.start(lane, breaks if lane == "b" else work(done, lane))
    await lanes.finish()
    await turns()
    assert told[-1] == ()


async def test_finish_waits_also_for_what_was_begun_meanwhile(done):
    lanes = Lanes()

    async def begins_another():
        lanes.start("other", work(done, "other"))

    lanes.start("lane", begins_another)
    await lanes.finish()
    assert done == ["other", "(other)"]


async def test_nothing_to_finish_is_finished():
    await asyncio.wait_for(Lanes().finish(), 5)
