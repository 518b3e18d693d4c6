"""Cards of which nothing can be done wait in the database, each by itself, and keep no other card from its turn."""

import pytest
import structlog

from bot.delivery import PAUSE_SECS, Courier
from core.model.card_states import CardState
from core.outcomes.engine import LOOK_AFTER, REST
from core.store.tables import CardMessage
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.memories import change_row
from tests.support.posting import PLATFORM, connect, member, message, place, post, rewrite, standing, take
from tests.support.talks import bot_over, carried

ADAS = place("Ada", "A")
MANY = 40


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture(autouse=True)
def ada(memory):
    connect(memory, "A")
    return member(memory, "Ada", "A")


def to_send(memory, channel, subject):
    return post(memory, ADAS, subject)


def doubted(memory, channel, subject):
    card = take(memory, post(memory, ADAS, subject))
    memory.outcomes.lost(card, "time-out")
    return card.message_id


def outdated(memory, channel, subject):
    card = standing(memory, ADAS, subject)
    channel.take(f"ref-{card.message_id}", card)
    rewrite(memory, card.message_id, "second")
    return card.message_id


EVERY = (to_send, doubted, outdated)
"""What makes a card due."""


def is_done(memory, message_id):
    """Whether what the card was due for is done: it stands, and says what it is to say."""
    row = message(memory, message_id)
    return (row.state, row.update_at) == (CardState.SENT, None)


def break_card(memory, message_id):
    """From now on whatever is done with it raises."""
    change_row(memory, CardMessage, ("default", message_id), place={"nowhere": "at all"})


def attempts(logs, name="delivery.failed"):
    return [log["message_id"] for log in logs if log["event"] == name]


@pytest.mark.parametrize("made", EVERY)
async def test_many_that_cannot_be_carried_keep_no_good_one_from_its_turn(made, memory, clock, parts, channel):
    broken = [made(memory, channel, f"broken {number}") for number in range(MANY)]
    clock.advance(1)
    good = made(memory, channel, "good")
    for one in broken:
        break_card(memory, one)
    clock.advance(LOOK_AFTER)
    with structlog.testing.capture_logs() as logs:
        await parts.worker.settle()
    assert is_done(memory, good)
    assert sorted(attempts(logs)) == sorted(map(str, broken)), "each was tried once"


@pytest.mark.parametrize("made", EVERY)
async def test_what_could_not_be_carried_is_tried_again_after_a_while_by_whatever_process(
    made, memory, clock, parts, channel
):
    bad = made(memory, channel, "bad")
    known = message(memory, bad).place
    break_card(memory, bad)
    clock.advance(LOOK_AFTER)
    await carried(parts)
    change_row(memory, CardMessage, ("default", bad), place=known)
    with bot_over(memory, channel, owner="another") as other:
        clock.advance(REST - 1)
        assert await other.courier.carry() == 0
        clock.advance(1)
        await other.worker.settle()
    assert is_done(memory, bad)


async def test_where_not_even_that_can_be_written_the_lane_waits_and_the_others_are_carried(
    memory, parts, channel, monkeypatch
):
    waited = []

    async def sleep(secs):
        waited.append(secs)

    def full(*_):
        raise OSError("no space left")

    break_card(memory, post(memory, ADAS, "broken"))
    post(memory, ADAS, "good")
    courier = Courier(parts.gateway, {PLATFORM: channel}, sleep)
    monkeypatch.setattr(memory.outcomes, "rest", full)
    with structlog.testing.capture_logs() as logs:
        await courier.carry()
        await courier.lanes.finish()
    assert (waited, len(attempts(logs, "delivery.not_rested"))) == ([PAUSE_SECS], 1)
    assert len(channel.at("A")) == 1
