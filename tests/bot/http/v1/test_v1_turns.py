"""Turns: a key keeps none from others, and a call that nobody waits for any more keeps its turn until it ends."""

import asyncio

import pytest

from bot.http.v1.limits import Limits
from bot.http.v1.problems import Problem
from bot.http.v1.turns import Turns
from core.ids import random_id

ONE, OTHER = random_id(), random_id()


class Work:
    """A call that ends when it is told to."""

    def __init__(self):
        self.begun, self.end = False, asyncio.Event()

    async def __call__(self):
        self.begun = True
        await self.end.wait()
        return "done"


async def settled():
    """Everything that could go on without anything ending has done so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def begun(turns, *keys):
    """A call of each key, as far as its turn lets it go, and the task that waits for it."""
    works = [Work() for _ in keys]
    tasks = [asyncio.create_task(turns.begin(key, work)) for key, work in zip(keys, works, strict=True)]
    await settled()
    return works, tasks


async def ended(works, tasks):
    for work in works:
        work.end.set()
    return [await (await task) for task in tasks if not task.cancelled()]


async def test_no_more_are_begun_than_there_are_turns():
    works, tasks = await begun(Turns(Limits(long_at_once=3, long_of_one_key=2)), ONE, OTHER, random_id(), random_id())
    assert [work.begun for work in works] == [True, True, True, False]
    works[1].end.set()
    await settled()
    assert works[3].begun
    assert await ended(works, tasks) == ["done"] * 4


async def test_a_key_leaves_turns_to_others_however_much_it_asks():
    works, tasks = await begun(Turns(Limits(long_at_once=3, long_of_one_key=2)), ONE, ONE, ONE, ONE, OTHER)
    assert [work.begun for work in works] == [True, True, False, False, True]
    assert await ended(works, tasks) == ["done"] * 5


async def test_what_is_given_up_keeps_its_turn_until_it_ends():
    turns = Turns(Limits(long_at_once=1))
    [first], [task] = await begun(turns, ONE)
    waiting = asyncio.shield(await task)
    waiting.cancel()
    [second], [later] = await begun(turns, OTHER)
    assert not second.begun
    first.end.set()
    await settled()
    assert second.begun
    assert await ended([second], [later]) == ["done"]


async def test_who_stops_waiting_for_their_turn_takes_none():
    turns = Turns(Limits(long_at_once=1))
    [first], [task] = await begun(turns, ONE)
    _, [impatient] = await begun(turns, OTHER)
    impatient.cancel()
    await settled()
    [third], [last] = await begun(turns, OTHER)
    first.end.set()
    await settled()
    assert third.begun
    assert await ended([first, third], [task, last]) == ["done", "done"]


async def test_what_fails_gives_its_turn_back():
    turns = Turns(Limits(long_at_once=1))

    async def fails():
        raise KeyError

    for _ in "12":
        with pytest.raises(KeyError):
            await (await turns.begin(ONE, fails))


async def test_nothing_is_remembered_of_keys_that_are_done():
    turns = Turns(Limits())
    works, tasks = await begun(turns, ONE, OTHER)
    with turns.one_of(ONE):
        assert turns._in_hand == {ONE: 1}
    await ended(works, tasks)
    del works, tasks
    await settled()
    assert (dict(turns._in_hand), dict(turns._long_of)) == ({}, {})


def test_a_key_has_so_many_in_hand():
    turns = Turns(Limits(at_once=1))
    with turns.one_of(ONE):
        with pytest.raises(Problem, match="TOO_MANY_REQUESTS"), turns.one_of(ONE):
            pass
        with turns.one_of(OTHER):
            pass
    with turns.one_of(ONE):
        pass


def test_once_it_is_closed_none_is_begun():
    turns = Turns(Limits())
    with turns.one_of(ONE):
        turns.close()
        for refused in (turns.one_of(ONE), turns.one_of(OTHER), turns.of_caller()):
            with pytest.raises(Problem, match="STOPPING"), refused:
                pass


async def test_it_is_over_when_the_last_that_was_in_hand_has_ended():
    turns = Turns(Limits())
    await turns.over()
    with turns.of_caller():
        with turns.one_of(ONE), turns.one_of(OTHER):
            pass
        waiting = asyncio.create_task(turns.over())
        await settled()
        assert not waiting.done()
    await waiting
