"""Carrying cards: each send ends in sent, not sent or unknown, and no end leads to two cards or to none."""

import asyncio
import socket

import pytest

from bot.channels.base import Sent
from bot.delivery import Courier
from cards.codec import to_json
from cards.notices import notice
from core.clock import DAY, HOUR, MINUTE, SECOND
from core.model.card_states import CardState
from core.model.work import Place
from core.outcomes.engine import LOOK_AFTER
from core.store.tables import CardMessage
from tests.fakes.platform import RETRY_AFTER_SECS
from tests.fakes.platform_channel import PLATFORM, PlatformChannel, UnreadChannel
from tests.support.bots import parts_over
from tests.support.memories import rows


@pytest.fixture
def card(memory, ada):
    """A card that waits to be sent to Ada; its (tenant, message)."""
    message_id = memory.messages.post(
        "default",
        ada.person_id,
        Place(PLATFORM, "room", "Ada"),
        "hello",
        "notice",
        lambda _: to_json(notice("Hello", "there")),
    )
    return "default", message_id


@pytest.fixture
def courier(parts):
    return parts.courier


async def carry(courier):
    """Let what is due be carried to its end; how many cards that were."""
    begun = await courier.carry()
    await courier.lanes.finish()
    return begun


def row(memory):
    [message] = rows(memory, CardMessage)
    return message


def courier_over(parts, **channels):
    return Courier(parts.gateway, channels)


async def test_an_accepted_card_is_sent_with_its_key_and_its_place_is_remembered(memory, courier, room, card):
    assert await carry(courier) == 1
    [message] = room.messages()
    assert (message["key"], message["person"]) == (str(card[1]), "Ada")
    assert (row(memory).state, row(memory).message_ref) == (CardState.SENT, message["ref"])
    assert await carry(courier) == 0


async def test_a_rate_limit_is_waited_out_as_long_as_the_platform_says(memory, clock, courier, room, card):
    room.script("429")
    await carry(courier)
    assert row(memory).state == CardState.FAILED
    clock.advance(RETRY_AFTER_SECS * SECOND - 1)
    assert await carry(courier) == 0
    clock.advance(1)
    await carry(courier)
    assert (room.tried(), len(room.messages()), row(memory).state) == (2, 1, CardState.SENT)


async def test_rate_limits_in_a_row_wait_longer_each_time(memory, clock, courier, room, card):
    room.script("429", "429", "429", "429")
    waits = []
    for _ in range(4):
        await carry(courier)
        waits.append(row(memory).not_before - clock.now())
        clock.advance(waits[-1])
    assert all(wait >= RETRY_AFTER_SECS * SECOND for wait in waits)
    assert waits == sorted(waits)
    assert waits[-1] > 2 * waits[0]


async def test_a_permanent_refusal_parks_the_card_and_it_is_never_tried_again(memory, clock, courier, room, card):
    room.script("403")
    await carry(courier)
    assert (row(memory).state, row(memory).reason) == (CardState.PARKED, "account_inactive")
    clock.advance(30 * DAY)
    assert (await carry(courier), await carry(courier), room.tried()) == (0, 0, 1)


@pytest.mark.parametrize("trouble", ["500", "silence"])
async def test_a_lost_send_that_did_not_arrive_is_sent_again_once_the_history_says_so(
    trouble, memory, clock, courier, room, card
):
    room.script(trouble)
    await carry(courier)
    assert row(memory).state == CardState.UNKNOWN
    assert (await carry(courier), await carry(courier), room.tried()) == (0, 0, 1)
    clock.advance(LOOK_AFTER)
    assert await carry(courier) == 1
    await carry(courier)
    assert (len(room.messages()), row(memory).state) == (1, CardState.SENT)


async def test_a_card_that_arrived_unseen_is_found_and_not_sent_again(memory, clock, courier, room, card):
    room.script("cut")
    await carry(courier)
    assert row(memory).state == CardState.UNKNOWN
    clock.advance(LOOK_AFTER)
    await carry(courier)
    [message] = room.messages()
    assert (row(memory).state, row(memory).message_ref) == (CardState.SENT, message["ref"])
    clock.advance(DAY)
    assert (await carry(courier), room.tried()) == (0, 1)


@pytest.mark.parametrize("trouble", ["500", "cut"])
async def test_where_the_platform_cannot_tell_it_is_never_sent_again(trouble, memory, clock, parts, room, card):
    courier = courier_over(parts, **{PLATFORM: UnreadChannel(room.url)})
    room.script(trouble)
    await carry(courier)
    looked = []
    for _ in range(5):
        clock.advance(HOUR)
        looked.append((await carry(courier), await carry(courier)))
    assert looked == [(1, 0), (1, 0), (0, 0), (0, 0), (0, 0)]
    assert (room.tried(), row(memory).state) == (1, CardState.SKIPPED)


async def test_a_look_that_could_not_tell_is_not_repeated_at_once(clock, parts, room, card):
    courier = courier_over(parts, **{PLATFORM: UnreadChannel(room.url)})
    room.script("500")
    await carry(courier)
    clock.advance(LOOK_AFTER)
    assert await carry(courier) == 1
    assert await carry(courier) == 0


class FallingChannel(PlatformChannel):
    """Its client breaks after the platform has accepted, and again when the history is read."""

    readable = False

    async def send(self, card):
        await super().send(card)
        raise RuntimeError("the client's own mistake")

    async def find_sent(self, card):
        if not self.readable:
            raise RuntimeError("not today")
        return await super().find_sent(card)


async def test_a_client_that_raises_leaves_the_card_in_doubt_and_an_unreadable_history_tells_nothing(
    memory, clock, parts, room, card
):
    channel = FallingChannel(room.url)
    courier = courier_over(parts, **{PLATFORM: channel})
    await carry(courier)
    assert (row(memory).state, row(memory).reason) == (CardState.UNKNOWN, "RuntimeError")
    clock.advance(LOOK_AFTER)
    await carry(courier)
    assert row(memory).state == CardState.UNKNOWN
    channel.readable = True
    clock.advance(LOOK_AFTER)
    await carry(courier)
    assert (row(memory).state, room.tried()) == (CardState.SENT, 1)


async def test_a_platform_that_is_down_has_not_taken_the_card(memory, clock, parts, room, card):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/room"
        await carry(courier_over(parts, **{PLATFORM: PlatformChannel(address)}))
    assert row(memory).state == CardState.FAILED
    clock.advance(MINUTE)
    await carry(parts.courier)
    assert len(room.messages()) == 1


async def test_a_card_for_a_platform_that_is_not_running_waits_until_it_runs(memory, clock, parts, room, card):
    await carry(courier_over(parts))
    assert row(memory).state == CardState.FAILED
    assert "fake is not running" in row(memory).reason
    clock.advance(MINUTE)
    await carry(parts.courier)
    assert len(room.messages()) == 1


async def test_a_card_in_doubt_on_a_platform_that_is_not_running_stays_in_doubt(memory, clock, parts, room, card):
    room.script("cut")
    await carry(parts.courier)
    clock.advance(LOOK_AFTER)
    await carry(courier_over(parts))
    assert row(memory).state == CardState.UNKNOWN


async def test_two_couriers_at_once_send_one_card(memory, parts, room, card):
    other = parts_over(memory, {PLATFORM: PlatformChannel(room.url)}, owner="other")
    await asyncio.gather(parts.courier.send(*card), other.courier.send(*card))
    other.gateway.stop()
    assert (room.tried(), row(memory).state) == (1, CardState.SENT)


async def test_one_bad_card_does_not_hold_up_the_others(memory, ada, bob, parts, room, card):
    hello = to_json(notice("Hello", "Bob"))
    memory.messages.post("default", bob.person_id, Place(PLATFORM, "room", "Bob"), "hello", "notice", lambda _: hello)
    room.script("403")
    assert await carry(parts.courier) == 2
    assert len(room.messages()) == 1


class SlowChannel(PlatformChannel):
    """Answers only after the card's lease has run out, and somebody else has looked."""

    def __init__(self, room, meanwhile):
        super().__init__(room)
        self._meanwhile = meanwhile

    async def send(self, card):
        outcome = await super().send(card)
        await self._meanwhile()
        assert isinstance(outcome, Sent)
        return outcome


async def test_a_worker_that_lost_its_lease_still_records_what_the_platform_accepted(memory, clock, parts, room, card):
    async def meanwhile():
        clock.advance(memory.config.watch.lease_secs * SECOND)
        await carry(parts.courier)
        assert row(memory).state == CardState.UNKNOWN, "it is marked in doubt, and looked for a minute later"

    await carry(courier_over(parts, **{PLATFORM: SlowChannel(room.url, meanwhile)}))
    clock.advance(LOOK_AFTER)
    assert await carry(parts.courier) == 0
    assert (row(memory).state, room.tried()) == (CardState.SENT, 1)
