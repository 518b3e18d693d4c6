"""Each workspace at its own pace: what one asks for, refuses or is slow at holds up no other; nothing is lost."""

import asyncio

import pytest

from bot.channels.base import NotSent, Sent, Unknown
from bot.delivery import AT_ONCE
from core.clock import HOUR, MINUTE, SECOND
from core.model.card_states import CardState
from core.model.watching import ScopeType
from core.model.work import Extent
from core.outcomes.engine import LOOK_AFTER
from core.store.tables import Audit, CardMessage, Watch
from tests.fakes.scripted_channel import ScriptedChannel
from tests.support.memories import document, rows, watch_request
from tests.support.posting import connect, member, message, place, post, rewrite, standing, updating
from tests.support.talks import bot_over, carried

ADAS, BOBS = place("Ada", "A"), place("Bob", "B")


@pytest.fixture
def channel():
    return ScriptedChannel()


@pytest.fixture
def ada(memory):
    return member(memory, "Ada", "A")


@pytest.fixture
def bob(memory):
    return member(memory, "Bob", "B")


@pytest.fixture(autouse=True)
def two_workspaces(memory, ada, bob):
    connect(memory, "A", "B")


def states(memory, workspace="A"):
    return [row.state for row in rows(memory, CardMessage) if row.workspace == workspace]


def audited(memory):
    return [(row.action, row.target, row.detail) for row in rows(memory, Audit) if row.action == "workspace_paused"]


async def carried_until(parts, holds):
    """Look at what is due again whenever a lane has ended, as the worker does, until something holds."""
    ended = asyncio.Event()
    parts.courier.lanes.ended = ended.set
    async with asyncio.timeout(30):
        while not holds():
            ended.clear()
            await parts.courier.carry()
            await ended.wait()


# ── asked to wait ──


async def test_a_workspace_that_asks_for_a_while_waits_and_no_other_does(memory, clock, parts, channel):
    post(memory, ADAS)
    channel.script("send", NotSent("rate limited", retry_after=30 * SECOND))
    await carried(parts)
    post(memory, ADAS, "later")
    post(memory, BOBS)
    clock.advance(29 * SECOND)
    await carried(parts)
    assert (channel.tried(), channel.at("A"), len(channel.at("B"))) == (1, [], 1)
    clock.advance(SECOND)
    await carried(parts)
    clock.advance(MINUTE)
    await carried(parts)
    assert sorted(states(memory)) == [CardState.SENT] * 2
    assert len(channel.at("A")) == 2


async def test_of_many_cards_only_those_in_flight_are_tried_when_the_workspace_asks_to_wait(memory, parts, channel):
    for number in range(AT_ONCE * 3):
        post(memory, ADAS, f"event {number}")
    channel.script("send", *[NotSent("rate limited", retry_after=30 * SECOND)] * AT_ONCE)
    await carried(parts)
    assert channel.tried() <= AT_ONCE + 1
    assert CardState.PENDING in states(memory)


async def test_a_shorter_wait_asked_for_later_ends_no_longer_one(memory, clock, parts, channel):
    for subject in ("one", "two"):
        post(memory, ADAS, subject)
    channel.script("send", NotSent("limited", retry_after=HOUR), NotSent("limited", retry_after=SECOND))
    await carried(parts)
    clock.advance(HOUR - SECOND)
    await carried(parts)
    assert channel.at("A") == []


async def test_an_answer_to_somebody_in_a_workspace_that_asked_to_wait_waits_too(memory, clock, parts, channel):
    """Whatever sends by itself, and not only what is carried in turn."""
    memory.workspaces.hold("default", "fake", "A", 30 * SECOND)
    await parts.courier.send("default", post(memory, ADAS))
    assert channel.tried() == 0
    clock.advance(30 * SECOND)
    await carried(parts)
    assert len(channel.at("A")) == 1


@pytest.mark.parametrize("how", ["held", "paused"])
async def test_updates_and_looks_of_a_workspace_that_is_to_hear_nothing_wait_too(how, memory, clock, parts, channel):
    channel.script("send", Unknown("time-out"))
    post(memory, ADAS, "in doubt")
    await carried(parts)
    stands = post(memory, ADAS, "stands")
    await carried(parts)
    rewrite(memory, stands, "second")
    clock.advance(LOOK_AFTER)
    if how == "held":
        memory.workspaces.hold("default", "fake", "A", HOUR)
    else:
        memory.workspaces.pause("default", "fake", "A", "removed")
    await carried(parts)
    await parts.courier.bring_up_to_date("default", stands)
    assert (channel.tried("update"), channel.tried("find_sent")) == (0, 0)
    clock.advance(HOUR)
    connect(memory, "A")
    await carried(parts)
    assert (channel.tried("update"), channel.tried("find_sent")) == (1, 1)


# ── refused for good: the workspace ──


@pytest.mark.parametrize("reason", ["account_inactive", "token_revoked", "missing_scope"])
async def test_a_lasting_refusal_of_a_workspace_pauses_it_and_its_cards_go_out_when_it_lets_the_bot_in_again(
    reason, memory, clock, parts, channel, ada
):
    cards = [post(memory, ADAS, subject) for subject in ("one", "two", "three")]
    channel.script("send", *[NotSent(reason, lasting=Extent.WORKSPACE)] * 3)
    await carried(parts)
    assert memory.workspaces.find("fake", "A").reason == reason
    assert audited(memory) == [("workspace_paused", "fake:A", {"reason": reason})]
    assert set(states(memory)) <= {CardState.FAILED, CardState.PENDING}
    tried = channel.tried()
    clock.advance(90 * HOUR)
    await carried(parts)
    assert channel.tried() == tried, "nothing is tried in vain"
    channel.heal()
    connect(memory, "A")
    await carried(parts)
    assert {one.key for one in channel.at("A")} == set(map(str, cards))


async def test_what_nobody_deletes_for_a_refusal_watches_are_kept(memory, parts, channel, revise, ada):
    revise()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md")), ada)
    before = rows(memory, Watch)
    channel.script("send", NotSent("account_inactive", lasting=Extent.WORKSPACE))
    post(memory, ADAS)
    await carried(parts)
    assert rows(memory, Watch) == before


async def test_a_lasting_refusal_of_an_update_pauses_too_and_the_newest_is_shown_when_it_is_over(
    memory, clock, parts, channel
):
    card = standing_at(memory, channel)
    rewrite(memory, card, "second")
    channel.script("update", NotSent("account_inactive", lasting=Extent.WORKSPACE))
    await carried(parts)
    assert memory.workspaces.find("fake", "A").paused
    clock.advance(90 * HOUR)
    await carried(parts)
    assert channel.tried("update") == 1
    connect(memory, "A")
    await carried(parts)
    assert channel.at("A")[0].card["words"] == "second"


@pytest.mark.parametrize("reasons", [("app_uninstalled", "tokens_revoked"), ("tokens_revoked", "app_uninstalled")])
async def test_shut_out_twice_in_either_order_is_shut_out_once(reasons, memory, parts):
    for reason in reasons:
        await parts.ingress.shut_out("fake", "A", reason)
    assert audited(memory) == [("workspace_paused", "fake:A", {"reason": reasons[0]})]
    assert not memory.workspaces.find("fake", "B").paused


async def test_shut_out_of_a_workspace_that_nobody_knows_is_nothing(memory, parts):
    await parts.ingress.shut_out("fake", "Z", "app_uninstalled")
    assert audited(memory) == []


# ── refused for good: the person ──


async def test_a_lasting_refusal_of_a_person_lets_their_watches_wait_and_nobody_elses(
    memory, parts, channel, revise, ada, bob
):
    revise()
    for who in (ada, bob):
        memory.watch(watch_request(who, ScopeType.ENTITY, document("travel.md")), who)
    channel.script("send", NotSent("account_inactive", lasting=Extent.PERSON))
    post(memory, ADAS)
    await carried(parts)
    assert {row.owner_id: (row.enabled, row.suspended) for row in rows(memory, Watch)} == {
        ada.person_id: (True, "unreachable"),
        bob.person_id: (True, None),
    }
    assert not memory.workspaces.find("fake", "A").paused
    await parts.ingress.said(ADAS, "e1", "I am back")
    assert {row.suspended for row in rows(memory, Watch)} == {None}


async def test_what_one_place_of_a_person_refuses_goes_to_their_other(memory, parts, channel, revise, ada):
    revise()
    await parts.worker.settle()
    memory.watch(watch_request(ada, ScopeType.ENTITY, document("travel.md"), name="travel"), ada)
    memory.people.bind("default", ada.person_id, place("Ada", "B"))
    channel.script("send", NotSent("account_inactive", lasting=Extent.PERSON), workspace="B")
    revise(meals=55)
    await parts.worker.settle()
    assert (channel.tried(workspace="B"), channel.at("B"), len(channel.at("A"))) == (1, [], 1)
    assert [row.suspended for row in rows(memory, Watch)] == [None]


# ── slow, or broken ──


async def test_a_slow_workspace_holds_up_no_other(memory, parts, channel):
    for number in range(AT_ONCE * 2):
        post(memory, ADAS, f"event {number}")
        post(memory, BOBS, f"event {number}")
    gate = channel.gate("send", "A")
    await parts.courier.carry()
    await channel.until(lambda: len(channel.at("B")) == AT_ONCE * 2)
    await channel.until(lambda: channel.tried("send", "A") == AT_ONCE)
    assert channel.at("A") == []
    post(memory, BOBS, "said since")
    await carried_until(parts, lambda: len(channel.at("B")) == AT_ONCE * 2 + 1)
    assert channel.tried("send", "A") == AT_ONCE, "what is in flight is not begun with again"
    gate.opened.set()
    await parts.courier.lanes.finish()
    assert len(channel.at("A")) == AT_ONCE * 2


async def test_the_running_bot_carries_what_is_said_in_one_workspace_while_another_is_slow(memory, parts, channel):
    gate = channel.gate("send", "A")
    post(memory, ADAS)
    run = asyncio.create_task(parts.worker.run(3600))
    await gate.reached.wait()
    post(memory, BOBS)
    parts.worker.wake()
    await channel.until(lambda: channel.at("B"))
    assert channel.at("A") == []
    gate.opened.set()
    await channel.until(lambda: channel.at("A"))
    parts.worker.stop()
    await asyncio.wait_for(run, 20)


async def test_a_slow_update_holds_up_no_other_workspace(memory, parts, channel):
    rewrite(memory, standing_at(memory, channel), "second")
    gate = channel.gate("update", "A")
    post(memory, BOBS)
    await parts.courier.carry()
    await gate.reached.wait()
    await channel.until(lambda: channel.at("B"))
    gate.opened.set()
    await parts.courier.lanes.finish()


async def test_no_more_than_so_many_are_in_flight_in_one_workspace(memory, parts, channel):
    for number in range(AT_ONCE * 3):
        post(memory, ADAS, f"event {number}")
        post(memory, BOBS, f"event {number}")
    gates = [channel.gate("send", workspace) for workspace in "AB"]
    await parts.courier.carry()
    await channel.until(lambda: channel.most == {"A": AT_ONCE, "B": AT_ONCE})
    for gate in gates:
        gate.opened.set()
    await carried_until(parts, lambda: len(channel.standing) == AT_ONCE * 6)
    await parts.courier.lanes.finish()
    assert dict(channel.most) == {"A": AT_ONCE, "B": AT_ONCE}
    assert (len(channel.at("A")), len(channel.at("B"))) == (AT_ONCE * 3,) * 2


@pytest.fixture
def composing_fails(memory, parts, monkeypatch):
    """One card that cannot be composed, whoever tries."""
    bad = post(memory, ADAS, "bad")
    take = parts.courier._delivery.take

    def taken(tenant_id, message_id, present):
        if message_id == bad:
            raise RuntimeError("cannot be composed")
        return take(tenant_id, message_id, present)

    monkeypatch.setattr(parts.courier._delivery, "take", taken)
    return bad


async def test_one_that_cannot_be_carried_stops_none_of_the_others(memory, parts, channel, composing_fails):
    for number in range(3):
        post(memory, ADAS, f"event {number}")
    await carried(parts)
    assert len(channel.at("A")) == 3


async def test_one_that_cannot_be_carried_is_tried_again_after_a_while_and_not_at_once(
    memory, clock, parts, channel, composing_fails, monkeypatch
):
    async with asyncio.timeout(20):
        await parts.worker.settle()
    assert message(memory, composing_fails).state == CardState.PENDING
    monkeypatch.undo()
    clock.advance(HOUR)
    await carried(parts)
    assert [one.key for one in channel.at("A")] == [str(composing_fails)]


# ── cards that stand ──


def standing_at(memory, channel, where=ADAS, subject="stands"):
    """A card that the platform has; its id."""
    card = standing(memory, where, subject)
    channel.take(f"ref-{card.message_id}", card)
    return card.message_id


def words(channel, workspace="A"):
    return [one.card["words"] for one in channel.at(workspace)]


@pytest.mark.parametrize(
    ("trouble", "taken"),
    [
        (NotSent("rate limited", retry_after=7 * SECOND), False),
        (NotSent("not now"), False),
        (Unknown("500"), False),
        (Unknown("cut"), True),
        (RuntimeError("the client's own mistake"), False),
    ],
)
async def test_an_update_that_met_trouble_is_shown_in_the_end_with_the_newest(
    trouble, taken, memory, clock, parts, channel
):
    card = standing_at(memory, channel)
    rewrite(memory, card, "second")
    channel.script("update", trouble, trouble, taken=taken)
    await parts.courier.bring_up_to_date("default", card)
    rewrite(memory, card, "third")
    for _ in range(4):
        clock.advance(MINUTE)
        await carried(parts)
    assert words(channel) == ["third"]
    tried = channel.tried("update")
    clock.advance(HOUR)
    await carried(parts)
    assert (channel.tried("update"), channel.tried()) == (tried, 0)


async def test_race_of_two_rewrites_of_which_the_first_is_slow_ends_with_the_second(memory, parts, channel):
    card = standing_at(memory, channel)
    gate = channel.gate("update")
    rewrite(memory, card, "second")
    slow = asyncio.create_task(parts.courier.bring_up_to_date("default", card))
    await gate.reached.wait()
    rewrite(memory, card, "third")
    await parts.courier.bring_up_to_date("default", card)
    await carried(parts)
    assert channel.tried("update") == 1, "of two on their way the older could come last"
    gate.opened.set()
    await slow
    assert words(channel) == ["third"]
    assert [said["words"] for said in channel.at("A")[0].said] == ["first", "second", "third"]


async def test_race_of_two_processes_that_show_one_card_ends_with_the_newest(memory, clock, parts, channel):
    """The first outlives its lease, and its words arrive after those of whoever took over."""
    card = standing_at(memory, channel)
    slow_channel = ScriptedChannel()
    slow_channel.standing = channel.standing
    gate = slow_channel.gate("update")
    rewrite(memory, card, "second")
    with bot_over(memory, slow_channel) as other:
        slow = asyncio.create_task(other.courier.bring_up_to_date("default", card))
        await gate.reached.wait()
        clock.advance(memory.config.watch.lease_secs * SECOND)
        rewrite(memory, card, "third")
        await carried(parts)
        assert words(channel) == ["third"]
        gate.opened.set()
        await slow
    await carried(parts)
    assert words(channel) == ["third"]


async def test_a_message_that_is_gone_at_the_platform_ends_the_updating(memory, clock, parts, channel):
    card = standing_at(memory, channel)
    rewrite(memory, card, "second")
    channel.script("update", NotSent("message_not_found", lasting=Extent.CARD))
    for _ in range(3):
        await carried(parts)
        clock.advance(HOUR)
    assert (channel.tried("update"), channel.tried()) == (1, 0)


async def test_the_card_of_an_updater_that_crashed_is_shown_by_the_next(memory, clock, parts, channel):
    card = standing_at(memory, channel)
    rewrite(memory, card, "second")
    assert updating(memory, card) is not None, "by a bot that died then"
    await carried(parts)
    assert words(channel) == ["first"]
    clock.advance(memory.config.watch.lease_secs * SECOND)
    await carried(parts)
    assert words(channel) == ["second"]


async def test_a_card_tapped_while_it_was_in_flight_is_never_sent_again(memory, clock, parts, channel):
    card = post(memory, ADAS)
    channel.script("send", Unknown("time-out"), taken=True)
    gate = channel.gate("send")
    sending = asyncio.create_task(carried(parts))
    await gate.reached.wait()
    memory.outcomes.witnessed("default", card, "m0")
    gate.opened.set()
    await sending
    assert (message(memory, card).state, message(memory, card).message_ref) == (CardState.SENT, "m0")
    for _ in range(3):
        clock.advance(HOUR)
        await carried(parts)
    assert (channel.tried(), channel.tried("find_sent")) == (1, 0)


# ── stopping ──


async def test_a_courier_that_is_stopped_begins_with_nothing_more_and_comes_to_an_end(memory, parts, channel):
    for workspace in (ADAS, BOBS):
        for number in range(AT_ONCE * 2):
            post(memory, workspace, f"event {number}")
    gates = [channel.gate("send", workspace) for workspace in "AB"]
    await parts.courier.carry()
    await asyncio.gather(*(gate.reached.wait() for gate in gates))
    await channel.until(lambda: channel.tried("send", "B") == AT_ONCE)
    parts.courier.stop()
    for gate in gates:
        gate.opened.set()
    await parts.courier.lanes.finish()
    assert await parts.courier.carry() == 0
    assert {*states(memory, "A"), *states(memory, "B")} == {CardState.SENT, CardState.PENDING}
    assert (len(channel.at("A")), len(channel.at("B"))) == (AT_ONCE, AT_ONCE)


async def test_what_is_sent_is_remembered_by_where_it_stands(memory, parts, channel):
    card = post(memory, ADAS)
    channel.script("send", Sent("m0"), taken=True)
    await carried(parts)
    assert message(memory, card).message_ref == "m0"
