"""Over real HTTP, against a Teams that says no in every way: a card is out once, or it is known that it is not."""

import asyncio
import time
from dataclasses import replace

import pytest

from bot.channels.base import CALLED_OFF, CannotTell, Gone, NotSent, Profile, Sent, Unknown, Unreachable
from bot.channels.teams.address import Address
from bot.channels.teams.channel import AT_ONCE
from bot.channels.teams.pace import teams_pace
from bot.memory_gateway import MemoryGateway
from cards.model import with_outcome
from cards.teams import to_teams, to_teams_message
from core.clock import MINUTE, SECOND
from core.model.notices import MARGIN
from core.model.work import HOME, Extent, Place, stranger
from tests.fakes.teams_connector import fake_connector
from tests.fakes.teams_openid import TENANT_ID, USER_ID
from tests.fakes.teams_transport import MemoryTransport
from tests.fakes.teams_world import BOT, World
from tests.support.teams_out import ADA, CARD, CARDS, channel_over, outgoing, transport_to

OTHER_ID = "00000000-dddd-4ddd-8ddd-000000000004"
BOB = Place("teams", TENANT_ID, OTHER_ID)

pytestmark = pytest.mark.usefixtures("user")


def standing(teams, user):
    return [message.card for message in teams.world.messages[user.conversation]]


def known(memory, teams, user, place=ADA) -> Address:
    """Let a user have spoken to the bot."""
    address = Address(teams.service_url, teams.world.chat(user), user.teams_id, BOT, zone="Europe/Berlin")
    memory.addresses.keep("default", place, address.to_row())
    return address


@pytest.fixture
def heard(memory, teams, user) -> Address:
    return known(memory, teams, user)


# ── sending ──


async def test_each_card_is_one_message_in_the_persons_own_chat(channel, teams, heard) -> None:
    sent = [await channel.send(outgoing(state, card=card)) for state, card in CARDS.items()]
    messages = teams.world.messages[heard.conversation]
    assert sent == [Sent(heard.message_ref(message.activity_id)) for message in messages]
    assert [message.activity for message in messages] == [to_teams_message(card) for card in CARDS.values()]
    assert teams.made("open") == []


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        ("429:7", NotSent("TooManyRequests", retry_after=7 * SECOND)),
        ("412:PreconditionFailed", NotSent("PreconditionFailed")),
        ("502:html", Unknown("HTTP 502, and the answer has no code")),
        ("cut-stored", Unknown("ServerDisconnectedError")),
        ("403:ConversationBlockedByUser", NotSent("ConversationBlockedByUser", lasting=Extent.PERSON)),
        ("413:MessageSizeTooBig", NotSent("MessageSizeTooBig", lasting=Extent.CARD)),
        ("401:BotNotRegistered", NotSent("BotNotRegistered", lasting=Extent.WORKSPACE)),
    ],
)
async def test_a_card_is_posted_once_and_ends_as_it_did(channel, teams, user, heard, fault, outcome) -> None:
    teams.script("send", fault)
    assert await channel.send(outgoing()) == outcome
    assert len(teams.made("send")) == 1
    assert len(standing(teams, user)) == (1 if fault.endswith("-stored") else 0)


async def test_row_38_of_150_at_the_pace_none_is_refused(memory, clock, user, heard) -> None:
    """The fake's own limits are those of Teams."""

    class Time:
        now = 1_000.0

        async def sleep(self, secs: float) -> None:
            self.now += secs

    passing, gateway = Time(), MemoryGateway(memory)
    with fake_connector(clock, limited=lambda: passing.now) as teams:
        ada = teams.world.add_user(USER_ID)
        known(memory, teams, ada)
        transport = transport_to(teams)
        channel = channel_over(
            transport, gateway, teams.service_url, pace=teams_pace(lambda: passing.now, passing.sleep)
        )
        ends = [await channel.send(outgoing(f"card {number}")) for number in range(150)]
        await transport.close()
        assert len({end.message_ref for end in ends}) == len(standing(teams, ada)) == 150
    gateway.stop()


async def test_without_a_pace_teams_refuses_the_eighth(memory, clock, user, heard) -> None:
    with fake_connector(clock, limited=time.monotonic) as teams:
        known(memory, teams, teams.world.add_user(USER_ID))
        gateway, transport = MemoryGateway(memory), transport_to(teams)
        channel = channel_over(transport, gateway, teams.service_url)
        ends = [await channel.send(outgoing(f"card {number}")) for number in range(9)]
        assert {type(end) for end in ends} == {Sent, NotSent}
        await transport.close()
        gateway.stop()


# ── whether it may still go ──


@pytest.mark.parametrize(("waits", "posted"), [(MINUTE - MARGIN - 1, 4), (MINUTE - MARGIN, 3)])
async def test_a_card_whose_lease_ran_out_before_its_turn_came_is_not_posted(
    memory, clock, teams, transport, heard, waits, posted
) -> None:
    async def sleep(_: float) -> None:
        clock.advance(waits)

    async def may_go(card) -> bool:
        return card.is_held(clock.now())

    gateway = MemoryGateway(memory)
    channel = channel_over(transport, gateway, teams.service_url, pace=teams_pace(lambda: 0.0, sleep), may_go=may_go)
    ends = [await channel.send(outgoing(name)) for name in ("first", "second", "third", "fourth")]
    assert (ends[-1] == CALLED_OFF) == (posted == 3)
    assert len(teams.made("send")) == posted
    gateway.stop()


async def test_it_is_asked_after_the_token_the_address_and_the_turn_and_again_in_a_new_chat(
    memory, teams, transport, user, heard
) -> None:
    asked, gateway = [], MemoryGateway(memory)

    async def may_go(_) -> bool:
        asked.append([call.operation for call in teams.calls])
        return len(asked) < 2

    channel = channel_over(transport, gateway, teams.service_url, may_go=may_go)
    teams.world.lose_chat(user)
    assert await channel.send(outgoing()) == CALLED_OFF
    assert asked == [["token"], ["token", "send", "open"]]
    gateway.stop()


# ── where to ──


@pytest.mark.parametrize("heard_of", [True, False])
async def test_somebody_who_never_spoke_is_written_to_by_their_id_at_a_service_that_is_known(
    memory, teams, transport, user, heard_of
) -> None:
    gateway = MemoryGateway(memory)
    if heard_of:
        known(memory, teams, teams.world.add_user(OTHER_ID, "Bob"), BOB)
    channel = channel_over(transport, gateway, "https://127.0.0.1:9/" if heard_of else teams.service_url)
    first, second = [await channel.send(outgoing(name)) for name in ("first", "second")]
    assert {type(first), type(second)} == {Sent}
    [opened] = teams.made("open")
    assert (opened.body["members"], opened.body["bot"]) == ([{"id": USER_ID}], {"id": BOT})
    kept = Address.from_row(memory.addresses.find("default", ADA))
    assert (kept.conversation, kept.service_url) == (user.conversation, teams.service_url)
    gateway.stop()


async def test_row_35_whom_nobody_knows_is_not_written_to_without_an_address(channel, teams, user) -> None:
    """Teams would say 200: they wrote, and have removed the app since."""
    outcome = await channel.send(outgoing(person_id=stranger(ADA)))
    assert outcome.lasting is Extent.PERSON
    assert {call.operation for call in teams.calls} <= {"token"}


async def test_row_35_whoever_removes_the_app_while_their_chat_is_opened_leaves_no_address(
    memory, teams, transport, user
) -> None:
    async def gone(_) -> bool:
        return False

    gateway = MemoryGateway(memory)
    channel = channel_over(transport, gateway, teams.service_url, may_go=gone)
    assert await channel.send(outgoing()) == CALLED_OFF
    assert memory.addresses.find("default", ADA) is None
    gateway.stop()


async def test_row_36_a_chat_that_teams_does_not_know_is_opened_once_more_and_kept(
    memory, channel, teams, user, heard
) -> None:
    teams.world.lose_chat(user)
    sent = await channel.send(outgoing())
    assert sent.message_ref.startswith(f"{teams.service_url}|{user.conversation}|")
    assert user.conversation != heard.conversation
    kept = Address.from_row(memory.addresses.find("default", ADA))
    assert kept == replace(heard, conversation=user.conversation)
    assert len(standing(teams, user)) == 1


async def test_one_that_stays_unknown_is_tried_again_later_and_given_up_in_the_end(channel, teams, heard) -> None:
    teams.script("send", *["404:ConversationNotFound"] * 2)
    assert await channel.send(outgoing()) == NotSent("ConversationNotFound", read=True)
    assert (len(teams.made("send")), len(teams.made("open"))) == (2, 1)
    assert isinstance(await channel.send(outgoing()), Sent)


async def test_no_more_requests_are_under_way_than_may_be(memory, clock) -> None:
    full, release = asyncio.Event(), asyncio.Event()

    class Slow(MemoryTransport):
        under_way = 0

        async def send(self, address, message):
            self.under_way += 1
            if self.under_way == AT_ONCE:
                full.set()
            await release.wait()
            return await super().send(address, message)

    world, gateway = World(), MemoryGateway(memory)
    world.add_user(USER_ID)
    transport = Slow(world, clock)
    channel = channel_over(transport, gateway, "https://smba.trafficmanager.net/emea/")
    sending = asyncio.gather(*(channel.send(outgoing(f"card {number}")) for number in range(60)))
    await full.wait()
    for _ in range(100):  # whatever else could begin has done so by then
        await gateway.call(memory.addresses.find, "default", ADA)
    assert transport.under_way == AT_ONCE
    release.set()
    assert {type(end) for end in await sending} == {Sent}
    gateway.stop()


@pytest.mark.parametrize("fault", ["500:ServiceError-stored", "cut-stored", "429:7", "garbage"])
async def test_a_chat_that_does_not_open_leaves_nothing_in_doubt(channel, teams, user, fault) -> None:
    teams.script("open", fault)
    outcome = await channel.send(outgoing())
    assert isinstance(outcome, NotSent)
    assert (outcome.lasting, teams.made("send")) == (None, [])
    assert isinstance(await channel.send(outgoing()), Sent)


async def test_who_has_not_the_app_or_is_not_in_the_tenant_cannot_be_written_to(channel, teams, user) -> None:
    user.no = "ForbiddenOperationException"
    for place in (ADA, BOB):
        assert (await channel.send(outgoing(place=place))).lasting is Extent.PERSON


async def test_an_address_at_no_service_of_teams_is_that_persons_trouble_alone(memory, channel, teams, user, heard):
    memory.addresses.keep("default", ADA, replace(heard, service_url="https://evil.example/").to_row())
    assert (await channel.send(outgoing())).lasting is Extent.PERSON
    assert {call.operation for call in teams.calls} <= {"token"}


@pytest.mark.parametrize("workspace", [None, "another"])
async def test_nobody_is_written_to_or_looked_up_in_a_tenant_that_has_not_let_the_bot_in(
    memory, teams, transport, heard, workspace
) -> None:
    gateway = MemoryGateway(memory)
    channel = channel_over(transport, gateway, teams.service_url, workspace=lambda: workspace)
    for outcome in (
        await channel.send(outgoing()),
        await channel.update(outgoing(message_ref="https://smba.trafficmanager.net/teams/|a:1|1")),
    ):
        assert isinstance(outcome, NotSent)
        assert outcome.lasting is None
    with pytest.raises(Unreachable):
        await channel.profile(TENANT_ID, USER_ID)
    assert teams.calls == []
    gateway.stop()


@pytest.mark.parametrize(("fault", "lasting"), [("AADSTS7000215", Extent.WORKSPACE), ("503:html", None)])
async def test_without_a_token_it_is_the_workspaces_trouble_or_nobodys(channel, teams, heard, fault, lasting) -> None:
    teams.script("token", fault)
    assert (await channel.send(outgoing())).lasting is lasting
    assert teams.made("send") == []


# ── what is no message ──


async def test_a_stored_card_that_is_none_is_given_up(channel, teams) -> None:
    assert (await channel.send(replace(outgoing(), card={"type": "Poem"}))).lasting is Extent.CARD
    assert teams.calls == []


async def test_there_is_no_home_tab(channel, teams) -> None:
    for outcome in (
        await channel.send(outgoing(kind=HOME)),
        await channel.update(outgoing(kind=HOME, message_ref=HOME)),
        await channel.update(outgoing(kind=HOME, message_ref="https://smba.trafficmanager.net/teams/|a:1|1")),
    ):
        assert outcome.lasting is Extent.CARD
    assert teams.calls == []


async def test_there_is_no_history(channel, teams) -> None:
    told = await channel.find_sent(outgoing())
    assert isinstance(told, CannotTell)
    assert (told.for_good, teams.calls) == (True, [])


# ── updating ──


async def test_an_update_replaces_the_message(channel, teams, user, heard) -> None:
    sent = await channel.send(outgoing())
    shown = with_outcome(CARD, "Muted for a day")
    for _ in range(2):
        assert await channel.update(outgoing(card=shown, message_ref=sent.message_ref)) == sent
    assert standing(teams, user) == [to_teams(shown)]


async def test_an_update_finds_its_chat_without_an_address(memory, clock, channel, teams, user, heard) -> None:
    """Whoever was erased has none any more, and what stands there is to be redacted."""
    sent = await channel.send(outgoing())
    memory.inbound.left("default", ADA, "gone", "app_removed")
    with fake_connector(clock) as other:
        known(memory, other, other.world.add_user(OTHER_ID), BOB)
    assert await channel.update(outgoing(card=with_outcome(CARD, "Gone"), message_ref=sent.message_ref)) == sent
    assert teams.made("open") == []


async def test_a_message_that_is_gone_is_told_and_nothing_is_posted(channel, teams, user, heard) -> None:
    sent = await channel.send(outgoing())
    teams.world.messages[user.conversation].clear()
    outcome = await channel.update(outgoing(message_ref=sent.message_ref))
    assert outcome == Gone("ActivityNotFoundInConversation")
    assert standing(teams, user) == []


async def test_row_36_a_chat_that_teams_does_not_know_just_now_leaves_its_message_to_be_updated_later(
    channel, teams, heard
) -> None:
    sent = await channel.send(outgoing())
    teams.script("update", "404:ConversationNotFound")
    assert await channel.update(outgoing(message_ref=sent.message_ref)) == NotSent("ConversationNotFound", read=True)
    assert await channel.update(outgoing(message_ref=sent.message_ref)) == sent
    assert (len(teams.made("send")), teams.made("open")) == (1, [])


@pytest.mark.parametrize("ref", [None, "", "a:1", "|1", "D1/1.1"])
async def test_only_a_message_of_teams_is_updated(channel, teams, ref) -> None:
    assert (await channel.update(outgoing(message_ref=ref))).lasting is Extent.CARD
    assert teams.calls == []


# ── whose profile ──


@pytest.mark.parametrize(
    ("changed", "email"),
    [
        ({}, "ada@acme.example"),
        ({"email": "ceo@acme.example"}, "ada@acme.example"),
        ({"upn": "ada_home.example#EXT#@acme.onmicrosoft.com", "role": "guest"}, None),
        ({"upn": "ada_home.example#EXT#@acme.onmicrosoft.com"}, None),
        ({"role": "guest"}, None),
        ({"role": "anonymous"}, None),
        ({"tenant_id": "00000000-eeee-4eee-8eee-000000000005"}, None),
        ({"upn": "ada"}, None),
        ({"upn": "ada@acme.example\n"}, None),
        ({"upn": "a b@acme.example"}, None),
        ({"upn": ""}, None),
    ],
)
async def test_the_address_is_the_one_that_the_organisation_gave_to_a_member_of_its_own(
    channel, user, heard, changed, email
) -> None:
    for name, value in changed.items():
        setattr(user, name, value)
    told = await channel.profile(TENANT_ID, USER_ID)
    assert told == Profile("Ada", email, zone=heard.zone, locale=None, active=True)


@pytest.mark.parametrize(("name", "shown"), [("", USER_ID), (" \u200b ", USER_ID), ("A\nda", "A da")])
async def test_a_name_is_one_line_or_the_id(channel, user, heard, name, shown) -> None:
    user.name = name
    assert (await channel.profile(TENANT_ID, USER_ID)).display_name == shown


async def test_who_is_not_there_has_none_and_who_cannot_be_asked_about_is_told(memory, channel, teams, user, heard):
    memory.addresses.keep("default", BOB, heard.to_row())
    assert await channel.profile(TENANT_ID, OTHER_ID) is None
    teams.script("member", "500:ServiceError")
    with pytest.raises(Unreachable):
        await channel.profile(TENANT_ID, USER_ID)
    teams.script("token", "AADSTS7000215")
    teams.revoke()
    for reason in ("Unauthorized", "AADSTS7000215"):
        with pytest.raises(Unreachable, match=reason):
            await channel.profile(TENANT_ID, USER_ID)


async def test_whoever_removed_the_app_is_not_looked_up(channel, teams, user) -> None:
    assert await channel.profile(TENANT_ID, USER_ID) is None
    assert {call.operation for call in teams.calls} <= {"token"}
