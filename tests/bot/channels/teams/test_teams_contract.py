"""What any way to Teams has to hold, so that one SDK can take the place of another."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

import pytest

from bot.channels.base import Gone, NotSent, Profile, Sent, Unknown, Unreachable
from bot.channels.teams.address import Address
from bot.channels.teams.port import Answered, Claims, Refused, Transport
from cards.teams import to_teams_message
from core.clock import SECOND, ManualClock
from core.model.work import Extent
from tests.fakes.faults import Faults
from tests.fakes.teams_openid import APP_ID, TENANT_ID, USER_ID, message
from tests.fakes.teams_transport import MemoryTransport
from tests.fakes.teams_world import BOT, User, World
from tests.support.teams_out import CARD, CARDS, transport_to

MESSAGE = to_teams_message(CARD)


@dataclass
class Stage:
    """A way to Teams, with Ada at its other end, and what goes wrong between them."""

    transport: Transport
    world: World
    faults: Faults
    service_url: str
    ada: User

    @property
    def address(self) -> Address:
        return Address(self.service_url, self.world.chat(self.ada), self.ada.teams_id, BOT)

    def standing(self) -> list[Any]:
        """The cards in Ada's chat."""
        return [one.card for one in self.world.messages[self.world.chat(self.ada)]]


@pytest.fixture(params=["bot framework", "memory"])
async def stage(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Stage]:
    if request.param == "memory":
        world = World()
        memory = MemoryTransport(world, clock)
        yield Stage(memory, world, memory.faults, "https://smba.trafficmanager.net/emea/", world.add_user(USER_ID))
        return
    teams, user = request.getfixturevalue("teams"), request.getfixturevalue("user")
    transport = transport_to(teams)
    yield Stage(transport, teams.world, teams.faults, teams.service_url, user)
    await transport.close()


# ── sending ──


@pytest.mark.parametrize("state", CARDS)
async def test_a_message_stands_word_for_word_under_the_id_that_is_told(stage, state) -> None:
    sent = await stage.transport.send(stage.address, to_teams_message(CARDS[state]))
    [standing] = stage.world.messages[stage.ada.conversation]
    assert sent == Sent(standing.activity_id)
    assert {name: standing.activity[name] for name in MESSAGE} == to_teams_message(CARDS[state])


PERSON, CARD_ALONE, WORKSPACE = Extent.PERSON, Extent.CARD, Extent.WORKSPACE
ENDS = [
    ("403:ConversationBlockedByUser", NotSent("ConversationBlockedByUser", lasting=PERSON)),
    ("403:BotNotInConversationRoster", NotSent("BotNotInConversationRoster", lasting=PERSON)),
    ("403:BotDisabledByAdmin", NotSent("BotDisabledByAdmin", lasting=PERSON)),
    ("403:sub:MessageWritesBlocked", NotSent("MessageWritesBlocked", lasting=PERSON)),
    ("403:SomethingNew", NotSent("SomethingNew", lasting=PERSON)),
    ("403", NotSent("HTTP 403, and the answer has no code", lasting=PERSON)),
    ("403:html", NotSent("HTTP 403, and the answer has no code", read=True)),
    ("404:ConversationNotFound", Gone("ConversationNotFound")),
    ("404:html", NotSent("HTTP 404, and the answer has no code", read=True)),
    ("412:PreconditionFailed", NotSent("PreconditionFailed")),
    ("413:MessageSizeTooBig", NotSent("MessageSizeTooBig", lasting=CARD_ALONE)),
    ("413", NotSent("HTTP 413, and the answer has no code", lasting=CARD_ALONE)),
    ("400:BadArgument", NotSent("BadArgument", read=True)),
    ("401:BotNotRegistered", NotSent("BotNotRegistered", lasting=WORKSPACE)),
    ("429:7", NotSent("TooManyRequests", retry_after=7 * SECOND)),
    ("429:none", NotSent("TooManyRequests", retry_after=30 * SECOND)),
    ("307", NotSent("HTTP 307, and the answer has no code", read=True)),
    ("500:ServiceError", Unknown("ServiceError")),
    ("502:html", Unknown("HTTP 502, and the answer has no code")),
    ("504", Unknown("HTTP 504, and the answer has no code")),
    ("408", Unknown("HTTP 408, and the answer has no code")),
]


@pytest.mark.parametrize(("fault", "outcome"), ENDS, ids=[fault for fault, _ in ENDS])
async def test_a_message_is_sent_once_and_ends_as_it_did(stage, fault, outcome) -> None:
    stage.faults.script("send", fault)
    assert await stage.transport.send(stage.address, MESSAGE) == outcome
    assert stage.standing() == []
    assert isinstance(await stage.transport.send(stage.address, MESSAGE), Sent)


@pytest.mark.parametrize("fault", ["cut", "half", "garbage", "empty", "500:ServiceError"])
@pytest.mark.parametrize("stored", ["", "-stored"])
async def test_what_may_have_arrived_is_in_doubt_and_not_sent_again(stage, fault, stored) -> None:
    stage.faults.script("send", fault + stored)
    assert isinstance(await stage.transport.send(stage.address, MESSAGE), Unknown)
    assert len(stage.standing()) == (1 if stored else 0)


async def test_after_the_app_was_removed_teams_may_say_that_it_took_a_message(stage) -> None:
    """Nothing shows then that nobody reads it: that the app was removed is heard on the way in alone."""
    assert isinstance(await stage.transport.send(stage.address, MESSAGE), Sent)


# ── updating ──


async def test_an_update_replaces_a_message_however_often_it_is_made(stage) -> None:
    sent = await stage.transport.send(stage.address, MESSAGE)
    for state in list(CARDS)[:3]:
        assert await stage.transport.update(stage.address, sent.message_ref, to_teams_message(CARDS[state])) == sent
    assert stage.standing() == [to_teams_message(CARDS[state])["attachments"][0]["content"]]


@pytest.mark.parametrize(("fault", "outcome"), ENDS, ids=[fault for fault, _ in ENDS])
async def test_an_update_ends_as_it_did_and_may_be_made_again(stage, fault, outcome) -> None:
    sent = await stage.transport.send(stage.address, MESSAGE)
    stage.faults.script("update", fault)
    assert await stage.transport.update(stage.address, sent.message_ref, MESSAGE) == outcome
    assert await stage.transport.update(stage.address, sent.message_ref, MESSAGE) == sent


async def test_a_message_that_is_gone_is_not_updated_and_no_other_is_sent(stage) -> None:
    address = stage.address
    sent = await stage.transport.send(address, MESSAGE)
    stage.world.messages[address.conversation].clear()
    assert await stage.transport.update(address, sent.message_ref, MESSAGE) == Gone("ActivityNotFoundInConversation")
    assert stage.standing() == []
    stage.world.lose_chat(stage.ada)
    assert await stage.transport.update(address, sent.message_ref, MESSAGE) == Gone("ConversationNotFound")


# ── a chat ──


@pytest.mark.parametrize("known_by", ["user_id", "teams_id"])
async def test_a_chat_is_opened_by_either_id_and_is_the_same(stage, known_by) -> None:
    asked = Address(stage.service_url, "", getattr(stage.ada, known_by), "")
    opened = [await stage.transport.open_dm(TENANT_ID, asked) for _ in range(2)]
    assert opened == [replace(asked, conversation=stage.ada.conversation, bot=BOT)] * 2
    assert isinstance(await stage.transport.send(opened[0], MESSAGE), Sent)


@pytest.mark.parametrize(
    "fault", ["500:ServiceError-stored", "cut-stored", "half", "garbage", "empty", "429:7", "404:html"]
)
async def test_a_chat_that_does_not_open_leaves_nothing_in_doubt(stage, fault) -> None:
    asked = Address(stage.service_url, "", USER_ID, "")
    stage.faults.script("open", fault)
    outcome = await stage.transport.open_dm(TENANT_ID, asked)
    assert isinstance(outcome, NotSent)
    assert outcome.lasting is None
    assert isinstance(await stage.transport.open_dm(TENANT_ID, asked), Address)


async def test_nobody_can_be_written_to_who_is_not_in_the_tenant_or_has_not_the_app(stage) -> None:
    stage.ada.no = "ForbiddenOperationException"
    for tenant, user in ((TENANT_ID, USER_ID), (TENANT_ID, "29:nobody"), ("another", USER_ID)):
        outcome = await stage.transport.open_dm(tenant, Address(stage.service_url, "", user, ""))
        assert outcome.lasting is Extent.PERSON


# ── a member ──


async def test_a_member_is_who_the_organisation_says(stage) -> None:
    stage.ada.email = "ceo@acme.example"
    told = await stage.transport.member(stage.address, TENANT_ID, USER_ID)
    assert told == Profile("Ada", "ada@acme.example", zone=None, locale=None, active=True)


async def test_somebody_who_is_not_there_has_no_profile(stage) -> None:
    assert await stage.transport.member(stage.address, TENANT_ID, "00000000-dddd-4ddd-8ddd-000000000004") is None


@pytest.mark.parametrize(
    "fault", ["500:ServiceError", "cut", "403:BotNotInConversationRoster", "429:7", "garbage", "empty"]
)
async def test_a_profile_that_cannot_be_had_just_now_is_not_none(stage, fault) -> None:
    stage.faults.script("member", fault, fault)  # a connection that was cut may be made anew
    with pytest.raises(Unreachable):
        await stage.transport.member(stage.address, TENANT_ID, USER_ID)


# ── inbound ──


def claims(stage: Stage) -> Claims:
    return Claims(APP_ID, stage.service_url)


def raw(stage: Stage, **more: Any) -> bytes:
    return json.dumps(message() | {"serviceUrl": stage.service_url} | more).encode()


async def test_a_turn_is_handed_the_activity_as_it_came_and_its_answer_comes_back(stage) -> None:
    answer = Answered(HTTPStatus.OK, "application/vnd.microsoft.card.adaptive", {"type": "AdaptiveCard"})
    came, seen = raw(stage, type="invoke", name="adaptiveCard/action", value={"action": {"verb": "x"}}, new=[1]), []

    async def turn(activity: dict[str, Any]) -> Answered:
        seen.append(activity)
        return answer

    assert await stage.transport.take(claims(stage), came, turn) == answer
    assert seen == [json.loads(came)]


@pytest.mark.parametrize("kind", ["message", "invoke", "conversationUpdate", "installationUpdate", "somethingNew"])
async def test_a_turn_without_an_answer_has_none_whatever_it_is_about(stage, kind) -> None:
    async def turn(_: dict[str, Any]) -> None:
        return None

    assert await stage.transport.take(claims(stage), raw(stage, type=kind), turn) is None


async def test_what_goes_wrong_within_a_turn_reaches_whoever_asked(stage) -> None:
    async def turn(_: dict[str, Any]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await stage.transport.take(claims(stage), raw(stage), turn)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"type": NaN}', b'{"a": 1, "a": 2}', b"\xff"])
async def test_what_is_no_activity_is_400_and_no_turn(stage, body) -> None:
    async def turn(_: dict[str, Any]) -> None:
        pytest.fail("there is nothing to deal with")

    with pytest.raises(Refused) as refused:
        await stage.transport.take(claims(stage), body, turn)
    assert refused.value.status == HTTPStatus.BAD_REQUEST


@pytest.mark.parametrize("headers", [[], [("Authorization", "Bearer x")], [("authorization", "Bearer a.b.c")]])
async def test_who_proves_nothing_is_refused(stage, headers) -> None:
    with pytest.raises(Refused) as refused:
        await stage.transport.verify(headers, raw(stage))
    assert refused.value.status == HTTPStatus.UNAUTHORIZED


# ── credentials ──


async def test_it_is_ready_once_it_may_write(stage) -> None:
    await stage.transport.ready()
    assert isinstance(await stage.transport.send(stage.address, MESSAGE), Sent)


async def test_credentials_that_are_refused_are_told(stage) -> None:
    stage.faults.script("token", "AADSTS7000215")
    with pytest.raises(Refused) as refused:
        await stage.transport.ready()
    assert refused.value.status == HTTPStatus.UNAUTHORIZED


async def test_closing_twice_does_no_harm(stage) -> None:
    await stage.transport.send(stage.address, MESSAGE)
    await stage.transport.close()
    await stage.transport.close()
