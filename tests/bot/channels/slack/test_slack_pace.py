"""Bursts are small, the long run is slow, and nobody waits for another's cards."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from bot.channels.pace import Bucket
from bot.channels.slack.pace import (
    CONVERSATION_BURST,
    CONVERSATION_SECS,
    WORKSPACE_BURST,
    WORKSPACE_SECS,
    slack_pace,
)

EPSILON = 1e-6


class Time:
    """Passes while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, secs: float) -> None:
        self.slept.append(secs)
        self.now += secs


def never_too_many(times: list[float], interval: float, burst: int) -> bool:
    """Between any two turns, at most the burst and what the interval allows besides."""
    return all(
        later - earlier + EPSILON >= interval * (between - burst)
        for i, earlier in enumerate(times)
        for between, later in enumerate(times[i:], start=1)
    )


@given(st.lists(st.tuples(st.sampled_from(["D1", "D2", "D3", "D4", "D5"]), st.floats(0, 3)), max_size=60))
def test_no_stretch_of_time_has_more_than_the_burst_and_the_rate(asked: list[tuple[str, float]]) -> None:
    time = Time()
    pace = slack_pace(time.monotonic, time.sleep)
    turns: list[tuple[str, float]] = []

    async def ask() -> None:
        for conversation, gap in asked:
            time.now += gap
            await pace.turn(conversation)
            turns.append((conversation, time.now))

    asyncio.run(ask())
    assert never_too_many([at for _, at in turns], WORKSPACE_SECS, WORKSPACE_BURST)
    for name in {name for name, _ in turns}:
        assert never_too_many([at for one, at in turns if one == name], CONVERSATION_SECS, CONVERSATION_BURST)


@given(st.integers(1, 5), st.lists(st.floats(0, 10), max_size=30))
def test_a_turn_is_never_later_than_the_rate_demands(burst: int, gaps: list[float]) -> None:
    """All that was asked for before, one an interval, is the longest wait."""
    bucket, now = Bucket(1.0, burst), 50.0
    for number, gap in enumerate(gaps):
        now += gap
        assert 0 <= bucket.reserve(now) <= number


async def test_a_burst_goes_at_once_and_then_one_a_second() -> None:
    time = Time()
    pace = slack_pace(time.monotonic, time.sleep)
    for _ in range(CONVERSATION_BURST):
        await pace.turn("D1")
    assert time.slept == []
    for _ in range(3):
        await pace.turn("D1")
    assert time.slept == [CONVERSATION_SECS] * 3


async def test_many_cards_for_one_person_hold_up_no_other() -> None:
    asleep = asyncio.Event()

    async def sleep(_: float) -> None:
        asleep.set()
        await asyncio.Event().wait()

    pace = slack_pace(lambda: 1.0, sleep)
    many = [asyncio.create_task(pace.turn("D1")) for _ in range(20)]
    await asleep.wait()
    async with asyncio.timeout(5):
        for number in range(WORKSPACE_BURST - CONVERSATION_BURST):
            await pace.turn(f"E{number}")
    assert sum(task.done() for task in many) == CONVERSATION_BURST
    for task in many:
        task.cancel()
    await asyncio.wait(many)


async def test_a_workspace_of_many_people_is_written_to_four_times_a_second() -> None:
    time = Time()
    pace = slack_pace(time.monotonic, time.sleep)
    began = time.now
    for number in range(WORKSPACE_BURST + 40):
        await pace.turn(f"D{number}")
    assert abs(time.now - began - 10) < EPSILON


async def test_idle_conversations_are_forgotten_and_busy_ones_are_not() -> None:
    time = Time()
    pace = slack_pace(time.monotonic, time.sleep)
    for number in range(5_000):
        await pace.turn(f"D{number}")
        assert len(pace._conversations) <= 256
    time.now += 60
    while len(pace._conversations) < 255:
        await pace.turn(f"E{len(pace._conversations)}")
    time.now += 60
    for _ in range(CONVERSATION_BURST):
        await pace.turn("busy")
    await pace.turn("one more")
    assert set(pace._conversations) == {"busy", "one more"}
    time.slept.clear()
    await pace.turn("busy")
    assert time.slept == [CONVERSATION_SECS]
