"""A lease is kept for as long as its work takes, and lost work goes no further."""

import asyncio
from itertools import repeat

import pytest
from structlog.testing import capture_logs

from bot.keeping import LeaseLost, kept

SOON = 0.001


class Lease:
    """Says what each extension comes to, the last for ever; `enough` is set at the `wanted`th."""

    def __init__(self, *outcomes, wanted=1):
        self._outcomes = iter([*outcomes[:-1], *repeat(outcomes[-1], 10_000)])
        self._wanted = wanted
        self.extended = 0
        self.enough = asyncio.Event()

    async def extend(self):
        self.extended += 1
        if self.extended == self._wanted:
            self.enough.set()
        outcome = next(self._outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def told(event, word="done"):
    await event.wait()
    return word


async def test_what_takes_long_is_extended_until_it_is_done_and_then_no_more():
    lease = Lease(True, wanted=5)
    assert await kept(told(lease.enough), lease.extend, SOON) == "done"
    ended = lease.extended
    for _ in range(3):
        await asyncio.sleep(SOON)
    assert lease.extended == ended >= 5


async def test_what_is_done_before_the_first_beat_is_not_extended():
    lease = Lease(True)
    assert await kept(asyncio.sleep(0, "done"), lease.extend, 3600) == "done"
    assert lease.extended == 0


async def test_its_own_error_is_raised_as_it_is():
    async def fails():
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await kept(fails(), Lease(True).extend, 3600)


async def test_a_lost_lease_ends_the_work_where_it_is():
    went_on = []

    async def work():
        await asyncio.Event().wait()
        went_on.append("further")

    with pytest.raises(LeaseLost):
        await kept(work(), Lease(True, True, False).extend, SOON)
    assert went_on == []


async def test_a_lost_lease_of_work_that_is_done_meanwhile_is_no_loss():
    done = asyncio.Event()

    async def completed_by_then():
        done.set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return False

    assert await kept(told(done), completed_by_then, SOON) == "done"


async def test_a_database_that_does_not_answer_is_asked_again_and_its_words_are_not_logged():
    lease = Lease(OSError("canary"), OSError("canary"), True, wanted=3)
    with capture_logs() as logs:
        assert await kept(told(lease.enough), lease.extend, SOON) == "done"
    assert [entry["event"] for entry in logs] == ["lease.not_extended"] * 2
    assert "canary" not in str(logs)


async def test_whoever_waits_no_longer_ends_the_work_too():
    ended = asyncio.Event()

    async def work():
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    waiting = asyncio.create_task(kept(work(), Lease(True).extend, SOON))
    await asyncio.sleep(SOON)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert ended.is_set()
