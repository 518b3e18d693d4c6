"""Whoever no longer holds a card does not send it; and where that cannot be helped, it is said aloud."""

import asyncio

import pytest
from structlog.testing import capture_logs

from bot.channels.base import CALLED_OFF, NotSent, Unknown
from bot.delivery import AT_ONCE, Courier
from bot.memory_gateway import MemoryGateway
from core.clock import HOUR, SECOND
from core.model.card_states import CardState
from core.model.notices import MARGIN
from core.model.work import Extent
from core.outcomes.engine import LOOK_AFTER
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.posting import PLATFORM, connect, member, message, place, post, state
from tests.support.talks import bot_over, carried

ADAS = place("Ada", "A")


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada", "A")


@pytest.fixture
def lease(memory):
    return memory.config.watch.lease_secs * SECOND


class SleepyGateway(MemoryGateway):
    """Of a process that is put to sleep for a while, right after one of its calls."""

    def __init__(self, memory, asleep, after):
        super().__init__(memory)
        self._asleep = asleep
        self._after = after

    async def call(self, function, *args, **kwargs):
        result = await super().call(function, *args, **kwargs)
        if function == self._after:
            self.memory.clock.advance(self._asleep)
        return result


async def slept(memory, channel, asleep, after="take"):
    """Send one card by a process that sleeps meanwhile, right after that call; its id."""
    card = post(memory, ADAS)
    gateway = SleepyGateway(memory, asleep, getattr(memory.delivery, after))
    await Courier(gateway, {PLATFORM: channel}).send("default", card)
    gateway.stop()
    return card


async def test_a_card_whose_lease_ran_out_in_a_sleeping_process_is_left_to_the_others(
    memory, clock, parts, channel, lease
):
    card = await slept(memory, channel, lease)
    assert (channel.tried(), message(memory, card).reason) == (0, CALLED_OFF.reason)
    clock.advance(HOUR)
    await carried(parts)
    assert (channel.tried(), state(memory, card)) == (1, CardState.SENT)


@pytest.mark.parametrize("after", ["take", "may_go"])
@pytest.mark.parametrize(("left", "tried"), [(MARGIN, 0), (MARGIN + 1, 1)])
async def test_a_card_is_sent_as_long_as_nobody_elses_clock_may_have_ended_its_lease(
    left, tried, after, memory, channel, lease
):
    """Also where the process slept between its last look and the send: another card had held up its event loop."""
    await slept(memory, channel, lease - left, after)
    assert channel.tried() == tried


async def test_a_card_that_another_has_sent_meanwhile_is_not_recorded_as_refused(memory, clock, parts, channel, lease):
    """The sleeper wakes when all is over."""
    card = post(memory, ADAS)
    late = memory.delivery.take("default", card, dict)
    clock.advance(lease + LOOK_AFTER)
    await carried(parts)
    clock.advance(LOOK_AFTER)
    await parts.worker.settle()
    await parts.courier._record(late, await parts.courier._send(late, channel))
    assert (channel.tried(), state(memory, card)) == (1, CardState.SENT)


def lost(logs):
    return [
        (log["tenant"], log["message_id"], log["log_level"]) for log in logs if log["event"] == "delivery.lost_hold"
    ]


async def test_that_a_card_may_be_out_twice_is_an_error_in_the_log(memory, clock, parts, channel, lease):
    card = post(memory, ADAS)
    gate = channel.gate("send")
    sending = asyncio.create_task(carried(parts))
    await gate.reached.wait()
    with bot_over(memory, ScriptedChannel(), owner="another") as other:
        for _ in range(2):
            clock.advance(max(lease, LOOK_AFTER))
            await other.worker.settle()
    assert state(memory, card) == CardState.SENT
    with capture_logs() as logs:
        gate.opened.set()
        await sending
    assert lost(logs) == [("default", str(card), "error")]


async def test_a_card_that_was_seen_where_it_stands_before_its_sender_knew_is_no_error(memory, parts, channel):
    card = post(memory, ADAS)
    gate = channel.gate("send")
    sending = asyncio.create_task(carried(parts))
    await gate.reached.wait()
    memory.outcomes.witnessed("default", card, "m0")
    with capture_logs() as logs:
        gate.opened.set()
        await sending
    assert lost(logs) == []


@pytest.mark.parametrize("trouble", [NotSent("not now"), Unknown("time-out")])
async def test_what_did_not_arrive_is_not_out_twice(trouble, memory, parts, channel):
    channel.script("send", trouble)
    post(memory, ADAS)
    with capture_logs() as logs:
        await carried(parts)
    assert lost(logs) == []


async def test_a_workspace_that_refuses_several_cards_at_once_is_said_to_be_paused_once(memory, parts, channel):
    for number in range(AT_ONCE):
        post(memory, ADAS, f"event {number}")
    gate = channel.gate("send")
    channel.script("send", *[NotSent("account_inactive", lasting=Extent.WORKSPACE)] * AT_ONCE)
    with capture_logs() as logs:
        sending = asyncio.create_task(carried(parts))
        await channel.until(lambda: channel.tried() == AT_ONCE)
        gate.opened.set()
        await sending
    [paused] = [log for log in logs if log["event"] == "workspace.paused"]
    assert (paused["workspace"], paused["reason"], paused["log_level"]) == ("A", "account_inactive", "error")
