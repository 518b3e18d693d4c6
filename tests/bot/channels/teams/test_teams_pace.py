"""No window of time holds more messages than Teams takes, and nobody waits without need."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.channels.pace import Bucket
from bot.channels.teams.pace import CONVERSATION_LIMITS, TENANT_LIMIT, teams_pace, within
from tests.fakes.teams_connector import CONVERSATION_LIMITS as REAL
from tests.fakes.teams_connector import TENANT_LIMITS as REAL_TENANT
from tests.fakes.throttle import Throttle
from tests.support.virtual_time import VirtualTime


class Counted:
    """What is written at the pace, as Teams counts it."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.pace = teams_pace(self.time.monotonic, self.time.sleep)
        self.refused = 0
        self._conversations, self._tenant = Throttle(REAL), Throttle(REAL_TENANT)

    async def write(self, conversation: str, at: float = 0.0) -> float:
        """When it was written."""
        if at:
            await self.time.sleep(at)
        await self.pace.turn(conversation)
        lets = self._tenant.lets("", self.time.now) and self._conversations.lets(conversation, self.time.now)
        self.refused += not lets
        return self.time.now


@pytest.mark.parametrize("people", [1, 5, 150])
async def test_of_150_at_once_none_is_refused(people) -> None:
    counted = Counted()
    await counted.time.run([counted.write(f"a:{number % people}") for number in range(150)])
    assert counted.refused == 0


async def test_of_more_than_an_hours_worth_for_one_person_none_is_refused() -> None:
    counted = Counted()
    ends = [await _written(counted) for _ in range(2_000)]
    assert counted.refused == 0
    assert ends[-1] - ends[0] > 3_600


async def _written(counted: Counted) -> float:
    [at] = await counted.time.run([counted.write("a:1")])
    return at


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 40)), max_size=120))
def test_none_is_refused_whenever_and_to_whom_ever_they_come(asked) -> None:
    counted = Counted()
    asyncio.run(counted.time.run([counted.write(conversation, at) for conversation, at in asked]))
    assert counted.refused == 0


@given(st.sampled_from([*CONVERSATION_LIMITS, TENANT_LIMIT]), st.lists(st.floats(0, 3), min_size=1, max_size=200))
def test_a_rate_stays_within_its_limit_in_every_window(limit, gaps) -> None:
    bucket, throttle, now = Bucket(*within(*limit)), Throttle([limit]), 1_000.0
    for gap in gaps:
        now += gap
        assert throttle.lets("", now + bucket.reserve(now))


async def test_a_few_for_one_person_go_at_once_and_the_rest_steadily() -> None:
    counted = Counted()
    ends = await counted.time.run([counted.write("a:1") for _ in range(20)])
    assert ends[:3] == [counted.time.now - (ends[-1] - ends[0])] * 3
    assert all(later - earlier <= 0.5 + 1e-9 for earlier, later in pairwise(sorted(ends)))


async def test_many_for_one_person_hold_up_no_other() -> None:
    counted = Counted()
    began = counted.time.now
    work = [counted.write("a:1") for _ in range(40)] + [counted.write(f"a:{number}") for number in range(2, 8)]
    ends = await counted.time.run(work)
    assert max(ends[40:]) - began < 1 < max(ends[:40]) - began


async def test_a_minute_later_the_burst_is_there_again() -> None:
    counted = Counted()
    await counted.time.run([counted.write("a:1") for _ in range(10)])
    counted.time.now += 60
    ends = await counted.time.run([counted.write("a:1") for _ in range(3)])
    assert ends == [counted.time.now] * 3
